package cbor_test

import (
	"bytes"
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	library "github.com/fxamacker/cbor/v2"

	"github.com/troupe-go/troupe/wire"
	"github.com/troupe-go/troupe/wire/cbor"
)

type payment struct {
	Cents int64 `cbor:"1,keyasint"`
	Note  []byte
	At    time.Time
	Tags  map[string]int
	From  netip.Addr
	Sum   big.Int
	Next  *payment
	Wide  []struct{ A [100]uint64 }
}

func agree(tb testing.TB, limits wire.Limits) *wire.Agreement {
	tb.Helper()
	r := &wire.Registry{Codec: cbor.Codec, Limits: limits}
	wire.Register[payment]("payment", wire.In(r))
	wire.Register[string]("text", wire.In(r))
	o, err := r.Offer()
	if err != nil {
		tb.Fatal(err)
	}
	a, err := o.Agree(o.Bytes())
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func sample() payment {
	p := payment{Cents: 150, Note: []byte{0, 0xff}, At: time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.FixedZone("", 3600)), Tags: map[string]int{"a": 1, "b": -2}, From: netip.MustParseAddr("::1"), Next: &payment{Cents: -1}}
	p.Sum.SetString("123456789012345678901234567890", 10)
	p.Wide = make([]struct{ A [100]uint64 }, 2)
	return p
}

func TestMessagesCross(t *testing.T) {
	a := agree(t, wire.Limits{})
	p := sample()
	data, err := a.Append([]byte("before"), p)
	if err != nil || !bytes.HasPrefix(data, []byte("before")) {
		t.Fatalf("got %q (%v)", data, err)
	}
	data = data[len("before"):]
	got, err := a.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	q := got.(payment)
	if !q.At.Equal(p.At) || q.Sum.Cmp(&p.Sum) != 0 {
		t.Errorf("got %v and %v, want %v and %v", q.At, &q.Sum, p.At, &p.Sum)
	}
	q.At, q.Sum, q.Next.At, q.Next.Sum = p.At, p.Sum, p.Next.At, p.Next.Sum
	if !reflect.DeepEqual(q, p) {
		t.Errorf("got %+v, want %+v", q, p)
	}
	for n := range data {
		if m, err := a.Decode(data[:n]); !errors.Is(err, wire.ErrData) {
			t.Errorf("the first %d bytes are read as %v (%v)", n, m, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	a := agree(t, wire.Limits{Values: 100, Memory: 1 << 20})
	if _, err := a.Append(nil, "\xff"); !errors.Is(err, wire.ErrEncode) || !strings.Contains(err.Error(), "not UTF-8") {
		t.Errorf("a string that is not UTF-8: %v", err)
	}
	ring := &payment{}
	ring.Next = ring
	if _, err := a.Append(nil, payment{Next: ring}); !errors.Is(err, wire.ErrLimit) {
		t.Errorf("a cyclic value: %v", err)
	}
	for name, c := range map[string]struct {
		data string
		kind error
	}{
		"a list of 2^60":    {"\x9b\x10\x00\x00\x00\x00\x00\x00\x00", wire.ErrData},
		"a string of 2^60":  {"\x7b\x10\x00\x00\x00\x00\x00\x00\x00", wire.ErrData},
		"65 lists":          {strings.Repeat("\x81", 65) + "\x00", wire.ErrLimit},
		"65 tags":           {strings.Repeat("\xc1", 65) + "\x00", wire.ErrLimit},
		"65 endless lists":  {strings.Repeat("\x9f", 65), wire.ErrLimit},
		"101 values":        {"\x98\x65" + strings.Repeat("\x00", 101), wire.ErrLimit},
		"a mark":            {"\xff", wire.ErrData},
		"a mark in a list":  {"\x82\x00\xff", wire.ErrData},
		"an endless number": {"\x1f", wire.ErrData},
		"no such length":    {"\x1c", wire.ErrData},
		"a head cut off":    {"\x1b\x00", wire.ErrData},
		"two items":         {"\x60\x60", wire.ErrData},
		"another kind":      {"\x01", wire.ErrData},
	} {
		// The name "text" comes after "payment".
		if m, err := a.Decode([]byte("\x01" + c.data)); m != nil || !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v (%v), want %v", name, m, err, c.kind)
		}
	}
	wide := sample()
	wide.Wide = make([]struct{ A [100]uint64 }, 5)
	if _, err := a.Append(nil, wide); !errors.Is(err, wire.ErrLimit) {
		t.Errorf("more than 100 values: %v", err)
	}
	// 90 elements of 800 bytes, in 90 bytes.
	body := "\x00\xa1\x64Wide\x98\x5a" + strings.Repeat("\xa0", 90)
	if m, err := a.Decode([]byte(body)); err != nil || len(m.(payment).Wide) != 90 {
		t.Errorf("within the memory: %v", err)
	}
	if _, err := agree(t, wire.Limits{Memory: 200_000}).Decode([]byte(body)); !errors.Is(err, wire.ErrLimit) || !strings.Contains(err.Error(), "200000 bytes of memory") {
		t.Errorf("beyond the memory: %v", err)
	}
}

// FuzzMeasure compares with the library: what that takes for whole is measured, with no fewer values than it reads.
func FuzzMeasure(f *testing.F) {
	whole, err := agree(f, wire.Limits{}).Append(nil, sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole[1:])
	f.Add([]byte("\x9f\x01\x7f\x61a\xff\xff"))
	f.Add([]byte("\xbf\x61a\x81\x80\xff"))
	f.Add([]byte("\xc2\x49\x01\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := cbor.Codec.Measure(data, wire.Limits{Values: 1 << 20, Depth: 32})
		if n > len(data) {
			t.Fatalf("%d values in %d bytes", n, len(data))
		}
		var v any
		if rest, bad := library.UnmarshalFirst(data, &v); bad != nil {
			return
		} else if err != nil && !errors.Is(err, wire.ErrLimit) {
			t.Fatalf("the library reads %v, Measure says %v", v, err)
		} else if want := count(v); err == nil && n < want {
			t.Fatalf("%d values are measured in %v, which has %d (%d bytes of %d)", n, v, want, len(data)-len(rest), len(data))
		}
	})
}

func count(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += count(e)
		}
	case map[any]any:
		for k, e := range v {
			n += count(k) + count(e)
		}
	}
	return n
}
