package layout_test

import (
	"bytes"
	"reflect"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/kernel/bytype"
	"github.com/troupe-go/troupe/internal/kernel/layout"
)

// reply stands for the Replies of package actor.
type reply struct {
	slot  *int
	round int
}

// secret stands for what the search leaves alone.
type secret struct{ r reply }

type rules struct{}

var known bytype.Map[layout.Layout]

func of(t reflect.Type) *layout.Layout {
	return known.Of(t, func(t reflect.Type) *layout.Layout { return layout.New(t, rules{}) })
}

func (rules) IsReply(t reflect.Type) bool      { return t == reflect.TypeFor[reply]() }
func (rules) IsOpaque(t reflect.Type) bool     { return t == reflect.TypeFor[secret]() }
func (rules) Of(t reflect.Type) *layout.Layout { return of(t) }
func first[M any](m *M) *reply {
	return (*reply)(of(reflect.TypeFor[M]()).FirstReply(unsafe.Pointer(m)))
}
func slotOf(n int) reply { return reply{&n, n} }
func each[M any](m *M) (rounds []int) {
	of(reflect.TypeFor[M]()).EachReply(unsafe.Pointer(m), collect(&rounds))
	return rounds
}
func collect(rounds *[]int) func(p unsafe.Pointer) {
	return func(p unsafe.Pointer) { *rounds = append(*rounds, (*reply)(p).round) }
}

// Layouts look into strings, slices and interfaces by their words. If this fails, Go has changed what these are.
func TestLayoutOfStringsSlicesAndInterfaces(t *testing.T) {
	s, b := "abc", make([]byte, 5, 9)
	second := func(p unsafe.Pointer) int { return *(*int)(unsafe.Add(p, unsafe.Sizeof(uintptr(0)))) }
	if n := second(unsafe.Pointer(&s)); n != len(s) {
		t.Errorf("the second word of a string of %d bytes is %d", len(s), n)
	}
	if n := second(unsafe.Pointer(&b)); n != len(b) {
		t.Errorf("the second word of a slice of %d bytes is %d", len(b), n)
	}
	boxed := any(slotOf(7))
	if r := (*reply)((*[2]unsafe.Pointer)(unsafe.Pointer(&boxed))[1]); r.round != 7 {
		t.Errorf("the second word of an interface leads to round %d, want 7", r.round)
	}
}

type tree struct {
	_     string
	left  *tree
	parts []reply
	inner struct {
		r, second reply
		any       any
	}
	rest [2]any
}

func TestReplies(t *testing.T) {
	m := tree{left: &tree{}, parts: []reply{slotOf(9)}}
	m.left.inner.r = slotOf(8)
	if r := first(&m); r != nil {
		t.Errorf("a Reply that is not in the value is found: %v", r)
	}
	m.inner.second = slotOf(2)
	if r := first(&m); r != &m.inner.second {
		t.Errorf("the first Reply is %v, want the second field's", r)
	}
	m.inner.r, m.inner.any, m.rest[1] = slotOf(1), slotOf(3), any([]any{slotOf(10)})
	m.rest[0] = struct{ a, b any }{slotOf(4), &m}
	if got, want := each(&m), []int{1, 2, 3, 4}; !reflect.DeepEqual(got, want) {
		t.Errorf("the Replies are of rounds %v, want %v", got, want)
	}
	hidden := secret{slotOf(1)}
	if got := each(&hidden); got != nil || of(reflect.TypeFor[secret]()).MayHoldReply() {
		t.Errorf("Replies %v are found in an opaque value", got)
	}
	var rounds []int
	layout.EachReplyIn(m, rules{}, collect(&rounds))
	if len(rounds) != 4 {
		t.Errorf("the Replies in a boxed value are of rounds %v, want four", rounds)
	}
	layout.EachReplyIn(nil, rules{}, collect(&rounds))
	layout.EachReplyIn(&m, rules{}, collect(&rounds))
	if len(rounds) != 4 {
		t.Errorf("the Replies behind a pointer are found: %v", rounds[4:])
	}
}

func TestOneReply(t *testing.T) {
	for _, c := range []struct {
		t        reflect.Type
		may, one bool
	}{
		{reflect.TypeFor[int](), false, false},
		{reflect.TypeFor[map[int]reply](), false, false},
		{reflect.TypeFor[reply](), true, true},
		{reflect.TypeFor[struct{ a [1]reply }](), true, true},
		{reflect.TypeFor[[2]reply](), true, false},
		{reflect.TypeFor[*reply](), true, false},
		{reflect.TypeFor[[]reply](), true, false},
		{reflect.TypeFor[any](), true, false},
		{reflect.TypeFor[*any](), false, false},
		{reflect.TypeFor[tree](), true, false},
	} {
		if l := of(c.t); l.MayHoldReply() != c.may || l.HoldsOneReply() != c.one {
			t.Errorf("%v: may hold a Reply: %v, holds one: %v; want %v, %v", c.t, l.MayHoldReply(), l.HoldsOneReply(), c.may, c.one)
		}
	}
}

func TestFlat(t *testing.T) {
	for t0, want := range map[reflect.Type]bool{
		reflect.TypeFor[[2]struct {
			a int8
			b complex128
		}](): true,
		reflect.TypeFor[struct{}]():         true,
		reflect.TypeFor[struct{ a *int }](): false,
		reflect.TypeFor[string]():           false,
		reflect.TypeFor[any]():              false,
	} {
		if got := of(t0).IsFlat(); got != want {
			t.Errorf("%v is flat: %v", t0, got)
		}
	}
}

type record struct {
	name  string
	lines []int32
	pair  [2]string
	more  any
}

// The size is what an independent sum over the fields says.
func TestSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string) string { return rapid.StringN(0, 9, -1).Draw(t, label) }
		m := record{name: text("name"), lines: make([]int32, rapid.IntRange(0, 9).Draw(t, "lines")), pair: [2]string{text("a"), text("b")}}
		want := int(unsafe.Sizeof(m)) + len(m.name) + 4*len(m.lines) + len(m.pair[0]) + len(m.pair[1])
		switch rapid.IntRange(0, 3).Draw(t, "more") {
		case 1:
			s := text("more")
			m.more, want = s, want+int(unsafe.Sizeof(s))+len(s)
		case 2:
			m.more, want = &m, want+int(unsafe.Sizeof(&m))
		case 3:
			b := bytes.Repeat([]byte{1}, rapid.IntRange(0, 9).Draw(t, "bytes"))
			m.more, want = struct{ inner any }{b}, want+int(unsafe.Sizeof(any(nil)))+int(unsafe.Sizeof(b))+len(b)
		}
		got, partial := of(reflect.TypeFor[record]()).Size(unsafe.Pointer(&m))
		if !partial {
			t.Fatal("a record has an interface")
		}
		if got += layout.SizeInInterfaces(reflect.ValueOf(&m).Elem()); got != want {
			t.Fatalf("the size of %+v is %d, want %d", m, got, want)
		}
	})
}
