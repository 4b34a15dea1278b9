package netio_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/troupe-go/troupe/netio"
)

// FuzzJSON compares with the stream of encoding/json.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		"", " \n", `{"a":1}{"b":[2,"}"]}`, "1 2\n3", `"a\"b" "\\"`, "[1}", "]", "tru", "null true", `{"a":`, `"open`,
		"\"\xff\"", "1,2", `{"a":"` + strings.Repeat("x", 60) + `"}`, strings.Repeat("[", 70), `"<"`, "1[2]", "-", `1"a"`, "000\"",
	} {
		f.Add([]byte(seed), []byte{0})
		f.Add([]byte(seed), []byte{3, 0})
	}
	f.Fuzz(func(t *testing.T, data, pieces []byte) {
		skipLarge(t, data)
		all, err := checkPieces(t, netio.JSON[any, any]{MaxSize: 64}, data, pieces)
		d := json.NewDecoder(bytes.NewReader(data))
		for i := range all {
			var want any
			if err := d.Decode(&want); err != nil || !reflect.DeepEqual(all[i], want) {
				t.Fatalf("value %d of %q is %v, encoding/json says %v, %v", i, data, all[i], want, err)
			}
		}
		if err != nil && (errors.Is(err, netio.ErrJSON) || errors.Is(err, io.ErrUnexpectedEOF)) && utf8.Valid(data) {
			var more any
			if e := d.Decode(&more); e == nil && !isScalar(more) { // It reads 000 as three numbers.
				t.Fatalf("%q is refused, %v, where encoding/json reads %v", data, err, more)
			}
		}
	})
}

func isScalar(v any) bool {
	kind := reflect.ValueOf(v).Kind()
	return kind != reflect.Map && kind != reflect.Slice
}

type point struct{ X, Y int }

func TestJSONIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data string
		strict     bool
		points     int
		err        error
	}{
		{"fine", "{\"X\":1}\n{\"Y\":2} {\"X\":3}{\"Z\":4}", false, 4, nil},
		{"an unknown field", `{"X":1}{"Z":4}`, true, 1, netio.ErrJSON},
		{"another type", `{"X":1}{"X":"one"}`, false, 1, netio.ErrJSON},
		{"no JSON", `GET / HTTP/1.1`, false, 0, netio.ErrJSON},
		{"half of it", `{"X":1}{"X":`, false, 1, io.ErrUnexpectedEOF},
		{"not UTF-8", "{\"\xff\":1}", false, 0, netio.ErrUTF8},
		{"too long", `{"X":` + strings.Repeat(" ", 100) + "1}", false, 0, netio.ErrTooLong},
		{"too deep", strings.Repeat("[", 100), false, 0, netio.ErrTooLong},
	} {
		for _, piece := range []byte{0, 255} {
			all, err := decodeAll(t, netio.JSON[point, point]{MaxSize: 64, Strict: c.strict}, []byte(c.data), piece)
			if len(all) != c.points || !errors.Is(class(err), c.err) {
				t.Errorf("%s: %v, %v", c.name, all, err)
			}
		}
	}
	var syntax *json.SyntaxError
	if _, err := decodeAll(t, netio.JSON[point, point]{}, []byte("[}")); !errors.As(err, &syntax) {
		t.Errorf("%v does not wrap the error of encoding/json", err)
	}
}

func TestJSONToSend(t *testing.T) {
	t.Parallel()
	out, err := netio.JSON[point, point]{}.Append([]byte("kept"), point{1, 2})
	if string(out) != "kept{\"X\":1,\"Y\":2}\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	_, err = netio.JSON[point, func()]{}.Append(nil, func() {})
	wrong(t, err, netio.ErrEncode)
	_, err = netio.JSON[point, string]{MaxSize: 4}.Append(nil, "long")
	wrong(t, err, netio.ErrTooLong)
	_, err = netio.JSON[point, point]{MaxSize: -1}.NewDecoder()
	wrong(t, err, netio.ErrConfig)
}
