package actor

import (
	"reflect"
	"sync"
	"unsafe"
)

// abandoned is implemented by Reply, whatever its type of answer.
type abandoned interface{ abandonReply(err error) }

var abandonedType = reflect.TypeFor[abandoned]()

// searchDepth bounds how deep in a message a Reply is looked for: a Reply in a
// struct behind a pointer in a field is at depth 3.
const searchDepth = 6

// abandonReplies answers with err every ask whose Reply lies in the message m:
// in m itself, its fields, also unexported ones, its arrays and slices, and
// behind its pointers and interfaces. Without that, whoever asked would wait for
// an answer that can't come. Maps, functions and channels are not searched. It
// is only called for messages that are dropped or whose handler has failed, so
// it may be slow; types that can't hold a Reply are recognised once.
func abandonReplies(m any, err error) {
	v := reflect.ValueOf(m)
	if !v.IsValid() || !mayHoldReply(v.Type()) {
		return
	}
	// A copy that can be addressed, and thereby its unexported fields read.
	box := reflect.New(v.Type()).Elem()
	box.Set(v)
	search(box, err, searchDepth)
}

func search(v reflect.Value, err error, depth int) {
	if depth == 0 || !mayHoldReply(v.Type()) {
		return
	}
	if v.Type().Implements(abandonedType) && v.Kind() == reflect.Struct {
		exported(v).Interface().(abandoned).abandonReply(err)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			search(v.Field(i), err, depth-1)
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			search(v.Index(i), err, depth-1)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			search(v.Elem(), err, depth-1)
		}
	case reflect.Interface:
		if !v.IsNil() {
			abandonReplies(exported(v).Interface(), err)
		}
	}
}

// exported returns v as if it had been reached through exported fields only.
func exported(v reflect.Value) reflect.Value {
	if v.CanInterface() {
		return v
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

var replyHolders sync.Map // From reflect.Type to bool.

// mayHoldReply reports whether a value of type t can lead to a Reply.
func mayHoldReply(t reflect.Type) bool {
	if known, ok := replyHolders.Load(t); ok {
		return known.(bool)
	}
	may := leadsToReply(t, map[reflect.Type]bool{})
	replyHolders.Store(t, may)
	return may
}

func leadsToReply(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array, reflect.Slice, reflect.Pointer:
		return leadsToReply(t.Elem(), seen)
	case reflect.Struct:
		if t.Implements(abandonedType) {
			return true
		}
		for i := range t.NumField() {
			if leadsToReply(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
