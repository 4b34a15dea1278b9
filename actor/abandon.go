package actor

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"
)

// abandoned is implemented by Reply, whatever its type of answer.
type abandoned interface{ abandonReply(err error) }

// searchDepth bounds how deep in a message a Reply is looked for: a Reply in a
// struct behind a pointer in a field is at depth 3.
const searchDepth = 6

// abandonReplies answers with err every ask whose Reply lies in the message m.
// Without that, whoever asked would wait for an answer that can't come. It is
// only called for messages that are dropped or whose handler has failed, so it
// may be slow; types that can't hold a Reply are recognised once.
//
// It looks into m itself, its fields, also unexported ones, its arrays, slices
// and interfaces, and behind its pointers where the pointer's type says that a
// Reply is there. It does not follow an interface behind a pointer: what lies
// there may be shared with others that write to it just now, such as a database
// handle, and half an interface must not be read. Maps, functions and channels
// are not searched, nor are the types of this package: the actor behind a Ref
// keeps replies that have nothing to do with the message.
func abandonReplies(m any, err error) {
	v := reflect.ValueOf(m)
	if v.IsValid() && mayHoldReply(place{v.Type(), true}) {
		search(addressable(v), err, searchDepth, true)
	}
}

// place is a type, and whether interfaces are followed where it was found.
type place struct {
	reflect.Type
	open bool
}

// search abandons the replies in v. Open says that no pointer was passed.
func search(v reflect.Value, err error, depth int, open bool) {
	if depth == 0 || !mayHoldReply(place{v.Type(), open}) {
		return
	}
	if isReply(v.Type()) {
		exported(v).Interface().(abandoned).abandonReply(err)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			search(v.Field(i), err, depth-1, open)
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			search(v.Index(i), err, depth-1, open)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			search(v.Elem(), err, depth-1, false)
		}
	case reflect.Interface:
		if !v.IsNil() {
			search(addressable(exported(v).Elem()), err, depth-1, open)
		}
	}
}

// addressable returns a copy of v whose unexported fields can be read.
func addressable(v reflect.Value) reflect.Value {
	box := reflect.New(v.Type()).Elem()
	box.Set(v)
	return box
}

// exported returns v as if it had been reached through exported fields only.
func exported(v reflect.Value) reflect.Value {
	if v.CanInterface() {
		return v
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

var replyHolders sync.Map // From place to bool.

// mayHoldReply reports whether a value at the given place can lead to a Reply.
func mayHoldReply(p place) bool {
	if known, ok := replyHolders.Load(p); ok {
		return known.(bool)
	}
	may := leadsToReply(p, map[place]bool{})
	replyHolders.Store(p, may)
	return may
}

// replyMessages keeps what holdsReply has found, from reflect.Type to bool: its
// key is made without allocating.
var replyMessages sync.Map

// holdsReply reports whether a message of type t can lead to a Reply.
func holdsReply(t reflect.Type) bool {
	if known, ok := replyMessages.Load(t); ok {
		return known.(bool)
	}
	may := mayHoldReply(place{t, true})
	replyMessages.Store(t, may)
	return may
}

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

// ownPath is the import path of this package.
var ownPath = reflect.TypeFor[PID]().PkgPath()

// isReply reports whether t is a Reply, and not a type that embeds one.
func isReply(t reflect.Type) bool {
	return t.PkgPath() == ownPath && strings.HasPrefix(t.Name(), "Reply[")
}
