package actor

import (
	"reflect"
	"sync"
	"unsafe"
)

// replySpots says where the Replies lie in the messages of a type, without reflection.
//
// Only what is part of the message itself is looked at: fields and arrays, and values in
// interfaces, which nobody can change. The user owns what lies behind a pointer or in a slice:
// others may write it under their lock, and the Replies there may belong to other messages. Which ask such a message belongs to, its send says; see
// carrier.
type replySpots struct {
	// offsets has the places of the Replies, in their order.
	offsets []uintptr
	// boxes has the places of the interfaces.
	boxes []boxSpot
	// dynamic says that the message is an interface. Then which ask it belongs to is told
	// by the value in it. That of a field is looked at when the message is dropped only:
	// it takes too long for each message.
	dynamic bool
	// beyond says that a Reply may lie where it is not looked for.
	beyond bool
}

// boxSpot is the place of an interface. Empty is its value for an empty interface.
type boxSpot struct {
	at    uintptr
	empty bool
}

// searchDepth bounds how many interfaces are opened that lie in each other.
const searchDepth = 6

var spotsOf sync.Map // From reflect.Type to *replySpots.

func spotsIn(t reflect.Type) *replySpots {
	known, ok := spotsOf.Load(t)
	if !ok {
		known, _ = spotsOf.LoadOrStore(t, findSpots(t))
	}
	return known.(*replySpots)
}

func findSpots(t reflect.Type) *replySpots {
	s := &replySpots{dynamic: t.Kind() == reflect.Interface}
	s.collect(t, 0)
	return s
}

// collect adds the spots of a value of type t, which lies at the given offset.
func (s *replySpots) collect(t reflect.Type, at uintptr) {
	switch {
	case !leadsToReply(place{t, true}, map[place]bool{}):
	case isReply(t):
		s.offsets = append(s.offsets, at)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			s.collect(f.Type, at+f.Offset)
		}
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			s.collect(t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	case t.Kind() == reflect.Interface:
		s.boxes = append(s.boxes, boxSpot{at, t.NumMethod() == 0})
		s.beyond = true
	default:
		s.beyond = true
	}
}

// place is a type, and whether no pointer leads to where it was found.
type place struct {
	reflect.Type
	open bool
}

// leadsToReply reports whether a value at the place is taken to lead to a Reply: one that
// is in it, or behind its pointers and slices. An interface behind a pointer is not: many
// a type has one, and few of them hold a Reply.
func leadsToReply(p place, seen map[place]bool) bool {
	if seen[p] {
		return false
	}
	seen[p] = true
	if p.PkgPath() == ownPath {
		return isReply(p.Type)
	}
	switch p.Kind() {
	case reflect.Interface:
		return p.open
	case reflect.Array, reflect.Slice:
		return leadsToReply(place{p.Elem(), p.open}, seen)
	case reflect.Pointer:
		return leadsToReply(place{p.Elem(), false}, seen)
	case reflect.Struct:
		for i := range p.NumField() {
			if leadsToReply(place{p.Field(i).Type, p.open}, seen) {
				return true
			}
		}
	}
	return false
}

// any reports whether a message may belong to an ask.
func (s *replySpots) any() bool { return len(s.offsets) > 0 || s.beyond }

// sure reports whether there is one Reply in each message, and nowhere else.
func (s *replySpots) sure() bool { return len(s.offsets) == 1 && !s.beyond }

// first returns the address of the first Reply of an ask in the message at m, or the zero
// address.
func (s *replySpots) first(m unsafe.Pointer) address {
	for _, at := range s.offsets {
		if a := *(*address)(unsafe.Add(m, at)); a.slot != nil {
			return a
		}
	}
	if s.dynamic {
		if in, at := s.boxes[0].open(m); in != nil {
			return in.first(at)
		}
	}
	return address{}
}

// each calls do with the addresses of all Replies of asks in the message at m.
func (s *replySpots) each(m unsafe.Pointer, depth int, do func(a address)) {
	for _, at := range s.offsets {
		if a := *(*address)(unsafe.Add(m, at)); a.slot != nil {
			do(a)
		}
	}
	if depth == 0 {
		return
	}
	for _, b := range s.boxes {
		if in, at := b.open(m); in != nil {
			in.each(at, depth-1, do)
		}
	}
}

// open returns where the value is in the interface of the message at m, and what is
// there to find, or nil.
func (b boxSpot) open(m unsafe.Pointer) (in *replySpots, at unsafe.Pointer) {
	p := unsafe.Add(m, b.at)
	var v any
	if b.empty {
		v = *(*any)(p)
	} else {
		v = *(*interface{ M() })(p)
	}
	if v == nil {
		return nil, nil
	}
	in = spotsIn(reflect.TypeOf(v))
	if len(in.offsets) == 0 && len(in.boxes) == 0 {
		return nil, nil // In place of a pointer, there is the pointer itself.
	}
	return in, (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]
}
