package netio_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/troupe-go/troupe/netio"
)

func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "a\nb\r\n\n", "\r\n\r\r\n", "no end", "ends\r", "123456789\n", "12345678\r\n", "\xff\n"} {
		f.Add([]byte(seed), []byte{0}, true)
		f.Add([]byte(seed), []byte{2, 0}, false)
	}
	f.Fuzz(func(t *testing.T, data, pieces []byte, anyBytes bool) {
		skipLarge(t, data)
		all, err := checkPieces(t, netio.Lines{MaxSize: 8, AnyBytes: anyBytes}, data, pieces)
		text := string(data)
		for i, line := range all {
			whole, rest, _ := strings.Cut(text, "\n")
			if line != whole && line+"\r" != whole || len(line) > 8 || !anyBytes && !utf8.ValidString(line) {
				t.Fatalf("line %d of %q is %q", i, data, line)
			}
			text = rest
		}
		if err == nil && text != "" {
			t.Fatalf("of %q, %q was forgotten", data, text)
		}
	})
}

func TestLinesAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data string
		lines      int
		err        error
	}{
		{"as long as may be", "12345678\n12345678\r\n12345678", 3, nil},
		{"too long", "ok\n123456789\n", 1, netio.ErrTooLong},
		{"too long without an end", "123456789", 0, netio.ErrTooLong},
		{"too long before its end", "12345678\r9", 0, netio.ErrTooLong},
		{"not UTF-8", "ok\n\xc3\x28\n", 1, netio.ErrUTF8},
	} {
		for _, piece := range []byte{0, 255} {
			all, err := decodeAll(t, netio.Lines{MaxSize: 8}, []byte(c.data), piece)
			if len(all) != c.lines || !errors.Is(class(err), c.err) {
				t.Errorf("%s: %q, %v", c.name, all, err)
			}
		}
	}
}

// TestTheLongestLimit has values come in pieces where the limit is the greatest number.
func TestTheLongestLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		codec netio.Codec[string, string]
		data  string
	}{
		"Lines":  {netio.Lines{MaxSize: math.MaxInt}, "12345678\n"},
		"JSON":   {netio.JSON[string, string]{MaxSize: math.MaxInt}, `"12345678"`},
		"Frames": {textFrames{netio.Frames{Prefix: netio.Uvarint, MaxSize: math.MaxInt}}, "\x0812345678"},
	} {
		if all, err := decodeAll(t, c.codec, []byte(c.data), 0); len(all) != 1 || all[0] != "12345678" || err != nil {
			t.Errorf("%s: %q came, %v", name, all, err)
		}
	}
}

// TestLineTooLongEarly checks that the decoder does not wait for the end of a line
// that is too long.
func TestLineTooLongEarly(t *testing.T) {
	t.Parallel()
	d, err := netio.Lines{MaxSize: 8}.NewDecoder()
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, err = d.Decode([]byte("123456789"), false)
	wrong(t, err, netio.ErrTooLong)
}

func TestLinesToSend(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]error{
		"2\nlines": netio.ErrEncode, "end\r": netio.ErrEncode, "123456789": netio.ErrTooLong, "\xff": netio.ErrUTF8,
	} {
		out, err := netio.Lines{MaxSize: 8}.Append([]byte("kept"), line)
		wrong(t, err, want)
		if string(out) != "kept" {
			t.Errorf("%q was appended", out)
		}
	}
	if out, err := (netio.Lines{AnyBytes: true}).Append(nil, "\xff"); err != nil || string(out) != "\xff\n" {
		t.Errorf("%q, %v", out, err)
	}
}
