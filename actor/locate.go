package actor

import (
	"reflect"
	"sync"
	"unsafe"
)

// locator finds the Reply in a message without reflection: it is the path from
// the message's first byte to the first Reply in it, through fields and
// pointers. An actor learns by it which ask a message belongs to. Without a path
// (the Reply is in a slice, or behind an interface in a field) a message is
// handled all the same, but not taken for part of an ask.
//
// The alternative was to let each place in a lane have a word for the ask. It
// would cost every message 8 bytes, and lose the ask of a message that is
// stashed, or handed on.
type locator struct {
	// offsets has an offset for each pointer that is followed, and the Reply's.
	offsets []uintptr
	// dynamic says that the message is an interface: the path is that of the
	// value in it.
	dynamic bool
}

// locators has the *locator for each type of message, or nil for those without
// a Reply that can be found, by reflect.Type.
var locators sync.Map

func locatorOf(t reflect.Type) *locator {
	if known, ok := locators.Load(t); ok {
		return known.(*locator)
	}
	var l *locator
	if t.Kind() == reflect.Interface {
		l = &locator{dynamic: true}
	} else if offsets := pathToReply(t, searchDepth); offsets != nil {
		l = &locator{offsets: offsets}
	}
	locators.Store(t, l)
	return l
}

// pathToReply returns the offsets on the way to the first Reply in a value of
// type t, or nil.
func pathToReply(t reflect.Type, depth int) []uintptr {
	switch {
	case depth == 0:
		return nil
	case isReply(t):
		return []uintptr{0}
	case t.PkgPath() == ownPath:
		return nil
	case t.Kind() == reflect.Pointer:
		if path := pathToReply(t.Elem(), depth-1); path != nil {
			return append([]uintptr{0}, path...)
		}
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if path := pathToReply(t.Field(i).Type, depth-1); path != nil {
				path[0] += t.Field(i).Offset
				return path
			}
		}
	}
	return nil
}

// addressIn returns the address in the message at m, whose type is M, or the zero
// address.
func addressIn[M any](l *locator, m *M) address {
	if l.dynamic {
		return findDynamic(*m)
	}
	return l.at(unsafe.Pointer(m))
}

// findDynamic is addressIn for an interface.
func findDynamic(m any) address {
	t := reflect.TypeOf(m)
	if t == nil {
		return address{}
	}
	l := locatorOf(t)
	if l == nil {
		return address{}
	}
	data := (*[2]unsafe.Pointer)(unsafe.Pointer(&m))[1]
	if t.Kind() == reflect.Pointer { // The interface has it in place of the value.
		return l.at(unsafe.Pointer(&data))
	}
	if t.Size() < unsafe.Sizeof(address{}) {
		return address{} // A struct of one pointer may be in that place too.
	}
	return l.at(data)
}

// at follows the path from p.
func (l *locator) at(p unsafe.Pointer) address {
	last := len(l.offsets) - 1
	for _, offset := range l.offsets[:last] {
		if p = *(*unsafe.Pointer)(unsafe.Add(p, offset)); p == nil {
			return address{}
		}
	}
	return *(*address)(unsafe.Add(p, l.offsets[last]))
}
