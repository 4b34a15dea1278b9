package actor

import (
	"reflect"
	"sync"
	"unsafe"
)

// sizePlan says how large the messages of a type are, without reflection: the
// size of the type, and where in it there are strings and slices, which have
// their length in their second word.
type sizePlan struct {
	fixed int
	spots []sizeSpot
	// dynamic says that there are interfaces, for whose values it takes
	// reflection.
	dynamic bool
}

// sizeSpot is a string or a slice at an offset, and the size of its elements.
type sizeSpot struct {
	at   uintptr
	each int
}

var sizePlans sync.Map // From reflect.Type to *sizePlan.

func sizePlanOf(t reflect.Type) *sizePlan {
	if known, ok := sizePlans.Load(t); ok {
		return known.(*sizePlan)
	}
	s := &sizePlan{fixed: int(t.Size())}
	s.collect(t, 0)
	known, _ := sizePlans.LoadOrStore(t, s)
	return known.(*sizePlan)
}

// maxSizedArray bounds the spots that an array may lead to. Of longer ones only
// the array itself counts.
const maxSizedArray = 64

// collect adds the spots of a value of type t, which lies at the given offset.
func (s *sizePlan) collect(t reflect.Type, at uintptr) {
	switch t.Kind() {
	case reflect.String:
		s.spots = append(s.spots, sizeSpot{at, 1})
	case reflect.Slice:
		s.spots = append(s.spots, sizeSpot{at, int(t.Elem().Size())})
	case reflect.Interface:
		s.dynamic = true
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			s.collect(f.Type, at+f.Offset)
		}
	case reflect.Array:
		for i := range min(t.Len(), maxSizedArray) {
			s.collect(t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	}
}

// static returns the size of the message at m, of the plan's type.
func (s *sizePlan) static(m unsafe.Pointer) int {
	sum := s.fixed
	for _, spot := range s.spots {
		n := *(*int)(unsafe.Add(m, spot.at+unsafe.Sizeof(uintptr(0))))
		sum += n * spot.each
	}
	return sum
}

// sizeOf returns the size of a message. It allocates only if there is an
// interface in it.
func sizeOf[M any](m *M) int {
	s := sizePlanOf(reflect.TypeFor[M]())
	size := s.static(unsafe.Pointer(m))
	if s.dynamic {
		boxed := *m // It is on the heap, and m need not be.
		size += dynamicSize(reflect.ValueOf(&boxed).Elem(), searchDepth)
	}
	return size
}

// dynamicSize returns the size of what is in the interfaces in v.
func dynamicSize(v reflect.Value, depth int) (sum int) {
	if depth == 0 {
		return 0
	}
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return 0
		}
		return int(v.Elem().Type().Size()) + dynamicSize(v.Elem(), depth-1) + contentSize(v.Elem(), depth-1)
	case reflect.Struct:
		for i := range v.NumField() {
			sum += dynamicSize(v.Field(i), depth-1)
		}
	case reflect.Array:
		for i := range min(v.Len(), maxSizedArray) {
			sum += dynamicSize(v.Index(i), depth-1)
		}
	}
	return sum
}

// contentSize returns the size of what is in the strings and slices in v.
func contentSize(v reflect.Value, depth int) (sum int) {
	if depth == 0 {
		return 0
	}
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Slice:
		return v.Len() * int(v.Type().Elem().Size())
	case reflect.Struct:
		for i := range v.NumField() {
			sum += contentSize(v.Field(i), depth-1)
		}
	case reflect.Array:
		for i := range min(v.Len(), maxSizedArray) {
			sum += contentSize(v.Index(i), depth-1)
		}
	}
	return sum
}
