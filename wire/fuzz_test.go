package wire_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/wire"
)

// FuzzDecode gives messages, errors and context values of any bytes to the side that reads them. A message
// that was read is written and read again.
func FuzzDecode(f *testing.F) {
	a, b := sides(f, everything, everything)
	for _, m := range []any{order{From: "x", Parts: []part{{"y", 1, true}}, Last: &part{}}, tick{1, 2}, &part{Name: "z"}, list{1, &list{}}, stubborn{"bad"}, map[string][]int{"a": {1}}, 1.5, "text"} {
		data, err := a.Append(nil, m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(0), data)
	}
	f.Add(byte(1), a.AppendError(nil, errors.Join(errFunds, errors.New("x"))))
	f.Add(byte(2), []byte("\x01\x05\x02\"x\""))
	f.Fuzz(func(t *testing.T, what byte, data []byte) {
		before := bytes.Clone(data)
		var err error
		switch what % 3 {
		case 0:
			var m any
			if m, err = b.Decode(data); err == nil {
				sameAgain(t, a, b, m)
			}
		case 1:
			var e *wire.RemoteError
			if e, err = b.DecodeError(data); err == nil && (e.Text != e.Error() || len(e.Names) > 32) {
				t.Fatalf("got %#v", e)
			}
		case 2:
			_, err = b.DecodeValues(t.Context(), data)
		}
		if err != nil && !isKind(err) {
			t.Fatalf("the error is none that is promised: %v", err)
		}
		if !bytes.Equal(before, data) {
			t.Fatal("the data was changed")
		}
	})
}

// sameAgain writes a message that was read, and reads and writes it once more.
func sameAgain(t *testing.T, a, b *wire.Agreement, m any) {
	first, err := a.Append(nil, m)
	_, bad := m.(stubborn)
	if bad || errors.Is(err, wire.ErrLimit) { // Fields that were left out count when they are written.
		return
	}
	if err != nil {
		t.Fatalf("%#v was read, and can't be written: %v", m, err)
	}
	n, err := b.Decode(first)
	if err != nil {
		t.Fatalf("%#v was written, and can't be read: %v", m, err)
	}
	if second, err := a.Append(nil, n); err != nil || !bytes.Equal(first, second) {
		t.Fatalf("%q is written again as %q (%v)", first, second, err)
	}
}

// FuzzOffer gives any bytes to Agree.
func FuzzOffer(f *testing.F) {
	r := &wire.Registry{}
	everything(r)
	o, err := r.Offer()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(o.Bytes())
	f.Add([]byte("troupe\x01\x01\x00\x01a\x01\x01\x03own12345678"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := o.Agree(data)
		if err != nil {
			if !errors.Is(err, wire.ErrData) && !errors.Is(err, wire.ErrLimit) {
				t.Fatalf("the error is none that is promised: %v", err)
			}
			return
		}
		if out, err := a.Append(nil, "x"); err == nil {
			if _, err := a.Decode(out); err != nil && !isKind(err) {
				t.Fatal(err)
			}
		}
		for _, diff := range a.Differences() {
			if !errors.Is(diff, wire.ErrLayout) {
				t.Fatal(diff)
			}
		}
	})
}
