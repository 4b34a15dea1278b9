package netio_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"

	"github.com/troupe-go/troupe/netio"
)

// decodeAll hands data to a new decoder in pieces of the given lengths, again and
// again, or in one.
func decodeAll[In, Out any](tb testing.TB, c netio.Codec[In, Out], data []byte, pieces ...byte) (all []In, err error) {
	tb.Helper()
	d, err := c.NewDecoder()
	if err != nil {
		tb.Fatal(err)
	}
	var rest []byte
	for i := 0; ; i++ {
		size := len(data)
		if len(pieces) > 0 {
			size = min(size, int(pieces[i%len(pieces)])+1)
		}
		rest = append(rest, data[:size]...)
		data = data[size:]
		for {
			n, m, ok, err := d.Decode(rest, len(data) == 0)
			if n < 0 || n > len(rest) {
				tb.Fatalf("%d of %d bytes were taken", n, len(rest))
			}
			if err != nil {
				return all, err
			}
			rest = rest[n:]
			if !ok {
				break
			}
			all = append(all, m)
		}
		switch {
		case len(data) > 0:
		case len(rest) > 0:
			return all, io.ErrUnexpectedEOF
		default:
			return all, nil
		}
	}
}

// checkPieces checks that it does not matter in which pieces bytes come, and that
// what is encoded comes back.
func checkPieces[T any](tb testing.TB, c netio.Codec[T, T], data, pieces []byte) (all []T, err error) {
	tb.Helper()
	all, err = decodeAll(tb, c, data)
	inPieces, errInPieces := decodeAll(tb, c, data, pieces...)
	if !reflect.DeepEqual(all, inPieces) || !errors.Is(class(err), class(errInPieces)) {
		tb.Fatalf("%q is\n%v, %v\nin one, and\n%v, %v\nin pieces of %v", data, all, err, inPieces, errInPieces, pieces)
	}
	var again []byte
	for _, m := range all {
		before := len(again)
		var err error
		if again, err = c.Append(again, m); errors.Is(err, netio.ErrTooLong) || errors.Is(err, netio.ErrEncode) {
			return all, err // Such as a <, for which JSON writes six bytes.
		}
		if err != nil || len(again) == before {
			tb.Fatalf("%v was decoded and can't be encoded: %v", m, err)
		}
	}
	if back, err := decodeAll(tb, c, again, pieces...); err != nil || !reflect.DeepEqual(all, back) {
		tb.Fatalf("%v came back as %v, %v", all, back, err)
	}
	return all, err
}

// skipLarge keeps fuzzing fast: what matters is in a few bytes.
func skipLarge(t *testing.T, data []byte) {
	if len(data) > 1<<10 {
		t.Skip()
	}
}

// class is which of the package's errors an error is.
func class(err error) error {
	for _, one := range []error{netio.ErrTooLong, netio.ErrUTF8, netio.ErrFrame, netio.ErrJSON, io.ErrUnexpectedEOF} {
		if errors.Is(err, one) {
			return one
		}
	}
	return err
}

func wrong(tb testing.TB, err error, want ...error) {
	tb.Helper()
	for _, w := range want {
		if !errors.Is(err, w) {
			tb.Errorf("the error is %v, want %v", err, w)
		}
	}
}

func TestMap(t *testing.T) {
	t.Parallel()
	c := netio.Map(netio.Lines{}, func(line string) int { return len(line) })
	all, err := decodeAll(t, c, []byte("a\n\nccc\n"), 1)
	if fmt.Sprint(all, err) != "[1 0 3] <nil>" {
		t.Error(all, err)
	}
	if out, err := c.Append(nil, "x"); string(out) != "x\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	_, err = netio.Map[string, string, int](nil, nil).NewDecoder()
	wrong(t, err, netio.ErrConfig)
	_, err = netio.Map(netio.Lines{MaxSize: -1}, func(string) int { return 0 }).NewDecoder()
	wrong(t, err, netio.ErrConfig)
}
