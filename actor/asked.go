package actor

import (
	"reflect"
	"sync"
	"unsafe"
)

// replySpots says where in a message of some type a Reply can be: at which
// offsets, and whether also where no offset leads, such as behind a pointer.
type replySpots struct {
	offsets []uintptr
	beyond  bool
}

var spotsOf sync.Map // From reflect.Type to *replySpots.

// isAsk reports whether the message has a Reply in it that belongs to an ask.
func isAsk[M any](m *M) bool {
	spots := spotsIn(reflect.TypeFor[M]())
	return spots.holdReply(unsafe.Pointer(m)) || spots.beyond && hasReply(reflect.ValueOf(*m), searchDepth, true)
}

func spotsIn(t reflect.Type) *replySpots {
	known, ok := spotsOf.Load(t)
	if !ok {
		known, _ = spotsOf.LoadOrStore(t, findSpots(t))
	}
	return known.(*replySpots)
}

// holdReply reports whether there is a Reply that belongs to an ask at one of
// the offsets from m.
func (s *replySpots) holdReply(m unsafe.Pointer) bool {
	for _, at := range s.offsets {
		if *(*unsafe.Pointer)(unsafe.Add(m, at)) != nil {
			return true
		}
	}
	return false
}

func findSpots(t reflect.Type) *replySpots {
	s := &replySpots{}
	if mayHoldReply(place{t, true}) {
		s.collect(t, 0)
	}
	return s
}

// collect adds the spots of a value of type t, which lies at the given offset.
func (s *replySpots) collect(t reflect.Type, at uintptr) {
	switch {
	case !mayHoldReply(place{t, true}):
	case isReply(t):
		s.offsets = append(s.offsets, at+slotOffset)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			s.collect(f.Type, at+f.Offset)
		}
	default:
		s.beyond = true
	}
}

// slotOffset is where a Reply has the pointer that the zero one has not.
var slotOffset = func() uintptr {
	f, _ := reflect.TypeFor[Reply[int]]().FieldByName("slot")
	return f.Offset
}()

// hasReply is search, except that it changes nothing.
func hasReply(v reflect.Value, depth int, open bool) bool {
	if depth == 0 || !v.IsValid() || !mayHoldReply(place{v.Type(), open}) {
		return false
	}
	if isReply(v.Type()) {
		return !v.FieldByName("slot").IsNil()
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if hasReply(v.Field(i), depth-1, open) {
				return true
			}
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			if hasReply(v.Index(i), depth-1, open) {
				return true
			}
		}
	case reflect.Pointer:
		return !v.IsNil() && hasReply(v.Elem(), depth-1, false)
	case reflect.Interface:
		return !v.IsNil() && hasReply(v.Elem(), depth-1, open)
	}
	return false
}
