package layout

import (
	"reflect"
	"unsafe"
)

// size says how many bytes a value takes: the size of its type, and what is in its strings and slices.
type size struct {
	fixed int
	parts []part
	// dynamic says that there are interfaces, whose values take reflection.
	dynamic bool
}

// part is a string or a slice at an offset, and the size of its elements.
type part struct {
	at   uintptr
	each int
}

// maxArray bounds the parts that an array may lead to. Of longer arrays only the array itself counts.
const maxArray = 64

// collect adds the parts of a value of type t, which lies at the given offset.
func (s *size) collect(t reflect.Type, at uintptr) {
	switch t.Kind() {
	case reflect.String:
		s.parts = append(s.parts, part{at, 1})
	case reflect.Slice:
		s.parts = append(s.parts, part{at, int(t.Elem().Size())})
	case reflect.Interface:
		s.dynamic = true
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			s.collect(f.Type, at+f.Offset)
		}
	case reflect.Array:
		for i := range min(t.Len(), maxArray) {
			s.collect(t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	}
}

// Size returns how many bytes the value at m takes, with the contents of its strings and slices, but without what is in
// its interfaces. Partial says that it has interfaces: [SizeInInterfaces] returns the rest.
func (l *Layout) Size(m unsafe.Pointer) (bytes int, partial bool) {
	bytes = l.size.fixed
	for _, p := range l.size.parts {
		n := *(*int)(unsafe.Add(m, p.at+unsafe.Sizeof(uintptr(0))))
		bytes += n * p.each
	}
	return bytes, l.size.dynamic
}

// SizeInInterfaces returns how many bytes the values in the interfaces of v take. It uses reflection.
func SizeInInterfaces(v reflect.Value) int { return inInterfaces(v, maxDepth) }

func inInterfaces(v reflect.Value, depth int) (sum int) {
	if depth == 0 {
		return 0
	}
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return 0
		}
		return int(v.Elem().Type().Size()) + inInterfaces(v.Elem(), depth-1) + inParts(v.Elem(), depth-1)
	case reflect.Struct:
		for i := range v.NumField() {
			sum += inInterfaces(v.Field(i), depth-1)
		}
	case reflect.Array:
		for i := range min(v.Len(), maxArray) {
			sum += inInterfaces(v.Index(i), depth-1)
		}
	}
	return sum
}

// inParts returns how many bytes the contents of the strings and slices in v take.
func inParts(v reflect.Value, depth int) (sum int) {
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
			sum += inParts(v.Field(i), depth-1)
		}
	case reflect.Array:
		for i := range min(v.Len(), maxArray) {
			sum += inParts(v.Index(i), depth-1)
		}
	}
	return sum
}
