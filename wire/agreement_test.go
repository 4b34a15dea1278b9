package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/wire"
)

func drawPart(t *rapid.T) part {
	return part{rapid.String().Draw(t, "name"), rapid.Uint32().Draw(t, "cents"), rapid.Bool().Draw(t, "done")}
}

// drawMessage draws a message of one of the registered types.
func drawMessage(t *rapid.T) any {
	switch rapid.IntRange(0, 4).Draw(t, "type") {
	case 0:
		o := order{From: rapid.String().Draw(t, "from"), Amount: rapid.Int64().Draw(t, "amount"), At: time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "at"), 5).UTC()}
		o.Rates[1] = rapid.Float64().Draw(t, "rate")
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			o.Parts = append(o.Parts, drawPart(t))
		}
		if rapid.Bool().Draw(t, "more") {
			p := drawPart(t)
			o.More, o.Last, o.Note = map[string]part{p.Name: p}, &p, []byte(p.Name+"\xff")
		}
		return o
	case 1:
		return tick{rapid.Uint64().Draw(t, "n"), rapid.Uint64().Draw(t, "m")}
	case 2:
		p := drawPart(t)
		return &p
	case 3:
		return list{1, &list{2, &list{N: rapid.Int().Draw(t, "n")}}}
	}
	return map[string][]int{rapid.String().Draw(t, "key"): rapid.SliceOfN(rapid.Int(), 1, 5).Draw(t, "ints")}
}

func TestMessagesCross(t *testing.T) {
	// The other side has one type more, and so other numbers.
	a, b := sides(t, everything, func(r *wire.Registry) {
		wire.Register[uint8]("aaa", wire.In(r))
		everything(r)
	})
	rapid.Check(t, func(t *rapid.T) {
		m := drawMessage(t)
		from, to := a, b
		if rapid.Bool().Draw(t, "back") {
			from, to = b, a
		}
		buf := []byte("before")
		buf, err := from.Append(buf, m)
		if err != nil {
			t.Fatal(err)
		}
		data, ok := bytes.CutPrefix(buf, []byte("before"))
		if !ok {
			t.Fatalf("what was in the buffer is now %q", buf)
		}
		got, err := to.Decode(data)
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Fatalf("got %#v, want %#v (%v)", got, m, err)
		}
		for i := range buf {
			buf[i] = 0xee // The message must have no part of the data.
		}
		if !reflect.DeepEqual(got, m) {
			t.Fatalf("when the data was overwritten, %#v became %#v", m, got)
		}
	})
}

// A message of an older program has fields less, and one of a newer program more.
func TestVersionsCross(t *testing.T) {
	type v1 struct{ A int }
	type v2 struct {
		A int
		B string
	}
	older, newer := sides(t,
		func(r *wire.Registry) { wire.Register[v1]("m", wire.In(r)) },
		func(r *wire.Registry) { wire.Register[v2]("m", wire.In(r), wire.Version(2), wire.Reads(1)) })
	data, err := older.Append(nil, v1{1})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := newer.Decode(data); err != nil || m != (v2{A: 1}) {
		t.Errorf("the newer program reads %v (%v)", m, err)
	}
	if data, err = newer.Append(nil, v2{2, "x"}); err != nil {
		t.Fatal(err)
	}
	if m, err := older.Decode(data); err != nil || m != (v1{2}) {
		t.Errorf("the older program reads %v (%v)", m, err)
	}
}

func TestAppendRefuses(t *testing.T) {
	ring := &list{}
	ring.Next = ring
	deep := list{}
	for range 100 {
		next := deep
		deep = list{Next: &next}
	}
	a, _ := sides(t, func(r *wire.Registry) {
		everything(r)
		wire.Register[int]("here", wire.In(r))
		wire.Register[part]("part", wire.In(r), wire.Version(2))
		wire.Register[[]struct{}]("empty", wire.In(r))
	}, func(r *wire.Registry) {
		everything(r)
		wire.Register[part]("part", wire.In(r))
		wire.Register[[]struct{}]("empty", wire.In(r))
	})
	for _, c := range []struct {
		m    any
		kind error
		text string
	}{
		{nil, wire.ErrNotRegistered, "nil interface"},
		{uint16(1), wire.ErrNotRegistered, "wire.Register[uint16](name)"},
		{1, wire.ErrNotRegistered, `other side: "here" (int); register it there`},
		{&order{}, wire.ErrNotRegistered, "send the value"},
		{part{}, wire.ErrLayout, "version 2 here and 1 there"},
		{(*part)(nil), wire.ErrEncode, "the pointer is nil"},
		{stubborn{"panics"}, wire.ErrEncode, `"stubborn" (wire_test.stubborn) as own: AppendBinary panics: stubborn`},
		{stubborn{"fails"}, wire.ErrEncode, "stubborn"},
		{math.NaN(), wire.ErrEncode, "NaN"},
		{"\xff", wire.ErrEncode, "not UTF-8"},
		{list{Next: ring}, wire.ErrLimit, "nested more than 64 deep; is it cyclic?"},
		{deep, wire.ErrLimit, "nested more than 64 deep"},
		{strings.Repeat("x", 513<<10), wire.ErrLimit, "bytes, of 524288; send it in parts"},
		{stubborn{strings.Repeat("x", 513<<10)}, wire.ErrLimit, "send it in parts"},
		{make([]struct{}, 150_000), wire.ErrLimit, "more than 200000 values"},
	} {
		before := []byte("before")
		got, err := a.Append(before, c.m)
		if !errors.Is(err, c.kind) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%T: got %v, want %v with %q", c.m, err, c.kind, c.text)
		}
		if string(got) != "before" {
			t.Errorf("%T: the buffer has become %.40q", c.m, got)
		}
	}
	for _, ok := range []any{"\uFFFD", `\ufffd`, `\\ufffd` + "\\", ""} {
		if _, err := a.Append(nil, ok); err != nil {
			t.Errorf("%q: %v", ok, err)
		}
	}
	if err := a.Takes(part{}); !errors.Is(err, wire.ErrLayout) {
		t.Errorf("Takes says %v", err)
	}
}

// AppendBinary gets none of the buffer that others have filled, and may return another one.
func TestOwnMethodsGetTheirPlace(t *testing.T) {
	a, b := sides(t, everything, everything)
	for _, room := range []int{0, 2, 100} {
		dst, err := a.Append(append(make([]byte, 0, 6+room), "before"...), stubborn{"forgets"})
		if err != nil || !bytes.HasPrefix(dst, []byte("before")) {
			t.Fatalf("room %d: got %q (%v)", room, dst, err)
		}
		if m, err := b.Decode(dst[6:]); err != nil || m != (stubborn{"own"}) {
			t.Errorf("room %d: got %v (%v)", room, m, err)
		}
	}
}

// isKind reports whether the error is one of those that Decode promises.
func isKind(err error) bool {
	for _, kind := range []error{wire.ErrData, wire.ErrLimit, wire.ErrNotRegistered, wire.ErrLayout} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

func TestDecodeRefuses(t *testing.T) {
	a, b := sides(t, func(r *wire.Registry) {
		everything(r)
		wire.Register[int]("zzz", wire.In(r))
	}, everything)
	good, err := a.Append(nil, order{From: "x", Parts: []part{{"y", 1, true}}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if m, err := b.Decode(good[:n]); err == nil || !isKind(err) {
			t.Errorf("the first %d bytes are read as %v (%v)", n, m, err)
		}
	}
	for i := range len(good) * 8 {
		bad := bytes.Clone(good)
		bad[i/8] ^= 1 << (i % 8)
		if _, err := b.Decode(bad); err != nil && !isKind(err) {
			t.Errorf("bit %d flipped: %v", i, err)
		}
	}
	text, err := a.Append(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		data []byte
		kind error
		text string
	}{
		{"nothing", nil, wire.ErrData, "ends early"},
		{"unknown number", []byte{50}, wire.ErrData, "number 50; the other side has offered"},
		{"endless number", bytes.Repeat([]byte{0xff}, 20), wire.ErrData, "64 bits"},
		{"long number", []byte{0x80, 0}, wire.ErrData, "zeros before"},
		{"another's type", wire.AppendNumber(9, "1"), wire.ErrNotRegistered, `"zzz"`},
		{"a context value", wire.AppendNumber(2, `"x"`), wire.ErrData, "used as a message"},
		{"two messages", append(bytes.Clone(text), text[1:]...), wire.ErrData, `no "text"`},
		{"too long", make([]byte, 600<<10), wire.ErrLimit, "614400 bytes, of 524288"},
		{"too deep", append(text[:1:1], strings.Repeat("[", 65)...), wire.ErrLimit, "64 deep"},
		{"too many", append(text[:1:1], strings.Repeat(",", 200_001)...), wire.ErrLimit, "200000 values"},
	} {
		if m, err := b.Decode(c.data); m != nil || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v (%v), want %v with %q", c.name, m, err, c.kind, c.text)
		}
	}
	panics, err := a.Append(nil, stubborn{"bad"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Decode(panics); !errors.Is(err, wire.ErrData) || !strings.Contains(err.Error(), "UnmarshalBinary panics") {
		t.Errorf("UnmarshalBinary panics: %v", err)
	}
}

// A few bytes can't ask for much memory.
func TestMemoryIsBounded(t *testing.T) {
	type wide struct{ A [1000]int64 }
	const limit = 8 << 20
	register := func(r *wire.Registry) {
		r.Limits.Memory = limit
		wire.Register[[]wide]("slice", wire.In(r))
		wire.Register[map[int]wide]("map", wire.In(r))
		wire.Register[[]*wide]("pointers", wire.In(r))
		wire.Register[[][]wide]("slices", wire.In(r))
		wire.Register[[]map[string]string]("maps", wire.In(r))
		wire.Register[[]string]("strings", wire.In(r))
		wire.Register[[]int8]("bytes", wire.In(r))
	}
	a, b := sides(t, register, register)
	pairs := func(n int) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, `"%d":{},`, i)
		}
		return "{" + strings.TrimSuffix(s.String(), ",") + "}"
	}
	items := func(item string) func(int) string {
		return func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]" }
	}
	for _, c := range []struct {
		empty any // Of the type.
		body  func(n int) string
	}{
		{[]wide{}, items("{}")},
		{map[int]wide{}, pairs},
		{[]*wide{}, items("{}")},
		{[][]wide{}, items("[{}]")},
		{[]map[string]string{}, items(`{"":""}`)},
		{[]string{}, items(`""`)},
		{[]int8{}, items("0")},
	} {
		head, err := a.Append(nil, c.empty)
		if err != nil {
			t.Fatal(err)
		}
		taken, refused := 0, 0
		for n := 1; n < 100_000; n += 1 + n/2 {
			data := append(head[:1:1], c.body(n)...)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			m, err := b.Decode(data)
			runtime.ReadMemStats(&after)
			// Slices that grow leave smaller ones behind, which count here: their sum is less than twice the estimate.
			if got := after.TotalAlloc - before.TotalAlloc; got > 2*limit {
				t.Fatalf("%T of %d takes %d bytes (%v)", c.empty, n, got, err)
			}
			switch {
			case err == nil && reflect.ValueOf(m).Len() != n:
				t.Errorf("%T: got %d of %d", m, reflect.ValueOf(m).Len(), n)
			case err == nil:
				taken++
			case errors.Is(err, wire.ErrLimit):
				refused++
			default:
				t.Errorf("%T: %v", c.empty, err)
			}
		}
		if taken == 0 || refused == 0 {
			t.Errorf("%T: %d sizes are taken and %d refused; want some of both", c.empty, taken, refused)
		}
	}
}

func TestOfferRefuses(t *testing.T) {
	r := &wire.Registry{}
	everything(r)
	o, err := r.Offer()
	if err != nil {
		t.Fatal(err)
	}
	good := o.Bytes()
	for n := range good {
		if _, err := o.Agree(good[:n]); !errors.Is(err, wire.ErrData) {
			t.Errorf("the first %d bytes of an offer: %v", n, err)
		}
	}
	for _, c := range []struct {
		name string
		data []byte
		kind error
		text string
	}{
		{"another program", []byte("HTTP/1.1 400 Bad Request"), wire.ErrData, "HTTP/1.1 400 Bad"},
		{"more behind", append(bytes.Clone(good), 0), wire.ErrData, "1 bytes follow"},
		{"too many types", append(bytes.Clone(good[:7]), 0xff, 0xff, 0xff, 0x7f), wire.ErrData, "268435455 things are announced"},
		{"too long", make([]byte, 1<<22+1), wire.ErrLimit, "of 4194304"},
		{"kind", bytes.Replace(good, []byte("\x00\x0abank.order"), []byte("\x02\x0abank.order"), 1), wire.ErrData, "kind 2"},
		{"order", bytes.Replace(good, []byte("bank.order"), []byte("zank.order"), 1), wire.ErrData, "comes after"},
		{"bad name", bytes.Replace(good, []byte("bank.order"), []byte("bank\nor;er"), 1), wire.ErrData, `bank\nor;er`},
	} {
		if _, err := o.Agree(c.data); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %v with %q", c.name, err, c.kind, c.text)
		}
	}
}

func TestErrorsCross(t *testing.T) {
	a, b := sides(t, everything, func(r *wire.Registry) { wire.Error(errFunds, "bank.funds", wire.In(r)) })
	original := fmt.Errorf("withdraw: %w (%w)", errors.Join(errFunds, errBank), actor.ErrNoReply)
	e, err := b.DecodeError(a.AppendError(nil, original))
	if err != nil || e.Text != original.Error() || e.Error() != e.Text {
		t.Fatalf("got %v (%v)", e, err)
	}
	if !errors.Is(e, errFunds) || !errors.Is(e, actor.ErrNoReply) || errors.Is(e, errBank) || errors.Is(e, actor.ErrKilled) {
		t.Errorf("the errors in it are %v", e.Unwrap())
	}
	// Back again, on its way to a third node: the name that the second did not know is still there.
	if e, err = a.DecodeError(b.AppendError(nil, fmt.Errorf("relayed: %w", e))); err != nil || !errors.Is(e, errBank) || !errors.Is(e, errFunds) {
		t.Errorf("relayed, the errors are %v (%v)", e, err)
	}
	for text, err := range map[string]error{
		"an error whose methods panic: the error panics": (*nilError)(nil),
		"a nil error":   nil,
		"bad \uFFFD":    errors.New("bad \xff"),
		"äääääääääääää": errors.New(strings.Repeat("ä", 5000)),
	} {
		e, bad := b.DecodeError(a.AppendError(nil, err))
		if bad != nil || !strings.HasPrefix(e.Text, text) || len(e.Text) > 4<<10 {
			t.Errorf("%q is read as %q (%v)", text, e, bad)
		}
	}
	good := a.AppendError(nil, original)
	for n := range good {
		if _, err := b.DecodeError(good[:n]); !errors.Is(err, wire.ErrData) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
}

type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

func TestValuesCross(t *testing.T) {
	type key struct{ n int }
	register := func(r *wire.Registry) {
		everything(r)
		wire.Value[order](key{1}, "order", wire.In(r))
		wire.Value[string](key{2}, "other", wire.In(r))
	}
	a, b := sides(t, func(r *wire.Registry) {
		register(r)
		wire.Value[int](key{3}, "mine", wire.In(r))
	}, register)
	ctx := context.WithValue(context.WithValue(t.Context(), tenantKey{}, "acme"), key{1}, order{From: "x"})
	ctx = context.WithValue(ctx, key{3}, 5)
	data, err := a.AppendValues([]byte("before"), ctx)
	if err != nil {
		t.Fatal(err)
	}
	data = data[len("before"):]
	got, err := b.DecodeValues(t.Context(), data)
	if err != nil || got.Value(tenantKey{}) != "acme" || got.Value(key{1}).(order).From != "x" || got.Value(key{2}) != nil || got.Value(key{3}) != nil {
		t.Fatalf("got %v (%v)", got, err)
	}
	for n := range data {
		if _, err := b.DecodeValues(t.Context(), data[:n]); err == nil || !isKind(err) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	one := data[1 : 2+int(data[1])]
	doubled := append(append([]byte{2}, one...), one...)
	if _, err := b.DecodeValues(t.Context(), doubled); !errors.Is(err, wire.ErrData) {
		t.Errorf("a value that comes twice: %v", err)
	}
	if _, err := b.DecodeValues(t.Context(), make([]byte, 600<<10)); !errors.Is(err, wire.ErrLimit) {
		t.Errorf("too much: %v", err)
	}
	for _, bad := range []any{5, strings.Repeat("x", 600<<10)} {
		if got, err := a.AppendValues([]byte("x"), context.WithValue(ctx, tenantKey{}, bad)); err == nil || string(got) != "x" {
			t.Errorf("a value of type %T is sent: %.20q (%v)", bad, got, err)
		}
	}
}
