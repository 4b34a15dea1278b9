package layout

import (
	"reflect"
	"unsafe"
)

// replies says where the Replies lie in a value.
//
// Only what is part of the value itself is looked at: fields and arrays, and values in interfaces, which nobody can
// change. The user owns what lies behind a pointer or in a slice: other goroutines may write it under the user's
// lock, and the Replies there may belong to other messages.
type replies struct {
	// offsets has the places of the Replies, in their order.
	offsets []uintptr
	only    uintptr // The first of them.
	// boxes has the places of the interfaces.
	boxes []box
	// dynamic says that the type is an interface. Then its value is looked into for First, too. The value of a field
	// is not: that takes too long for each message.
	dynamic bool
	// beyond says that a Reply may lie where it is not looked for.
	beyond bool
}

// box is the place of an interface, which is an empty one or has methods.
type box struct {
	at    uintptr
	empty bool
}

// collectReplies adds the places in a value of type t, which lies at the given offset.
func (l *Layout) collectReplies(t reflect.Type, at uintptr) {
	r := &l.replies
	switch {
	case !leadsToReply(l.rules, spot{t, true}, map[spot]bool{}):
	case l.rules.IsReply(t):
		r.offsets = append(r.offsets, at)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			l.collectReplies(f.Type, at+f.Offset)
		}
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			l.collectReplies(t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	case t.Kind() == reflect.Interface:
		r.boxes = append(r.boxes, box{at, t.NumMethod() == 0})
		r.beyond = true
	default:
		r.beyond = true
	}
}

// spot is a type, and whether no pointer leads to where it was found.
type spot struct {
	reflect.Type
	open bool
}

// leadsToReply reports whether a value at the spot is taken to lead to a Reply: to one that is in it, or behind its
// pointers and slices. An interface behind a pointer is not taken for that: many types have one, and few of these
// interfaces hold a Reply.
func leadsToReply(rules Rules, s spot, seen map[spot]bool) bool {
	if seen[s] {
		return false
	}
	seen[s] = true
	switch {
	case rules.IsReply(s.Type):
		return true
	case rules.IsOpaque(s.Type):
		return false
	}
	switch s.Kind() {
	case reflect.Interface:
		return s.open
	case reflect.Array, reflect.Slice:
		return leadsToReply(rules, spot{s.Elem(), s.open}, seen)
	case reflect.Pointer:
		return leadsToReply(rules, spot{s.Elem(), false}, seen)
	case reflect.Struct:
		for i := range s.NumField() {
			if leadsToReply(rules, spot{s.Field(i).Type, s.open}, seen) {
				return true
			}
		}
	}
	return false
}

// MayHoldReply reports whether a value may have a Reply, or lead to one.
func (l *Layout) MayHoldReply() bool { return len(l.replies.offsets) > 0 || l.replies.beyond }

// HoldsOneReply reports whether each value has one Reply in itself, and none elsewhere.
func (l *Layout) HoldsOneReply() bool { return len(l.replies.offsets) == 1 && !l.replies.beyond }

// OnlyReply returns where the Reply is in the value at m, if HoldsOneReply. It may belong to no ask.
func (l *Layout) OnlyReply(m unsafe.Pointer) unsafe.Pointer { return unsafe.Add(m, l.replies.only) }

// FirstReply returns where the first Reply of an ask is that is found in the value at m, or nil.
func (l *Layout) FirstReply(m unsafe.Pointer) unsafe.Pointer {
	for _, at := range l.replies.offsets {
		if r := unsafe.Add(m, at); *(*unsafe.Pointer)(r) != nil {
			return r
		}
	}
	if l.replies.dynamic {
		if in, at := l.open(l.replies.boxes[0], m); in != nil {
			return in.FirstReply(at)
		}
	}
	return nil
}

// EachReply calls do with where each Reply of an ask is that is found in the value at m.
func (l *Layout) EachReply(m unsafe.Pointer, do func(reply unsafe.Pointer)) {
	l.eachReply(m, maxDepth, do)
}

func (l *Layout) eachReply(m unsafe.Pointer, depth int, do func(reply unsafe.Pointer)) {
	for _, at := range l.replies.offsets {
		if r := unsafe.Add(m, at); *(*unsafe.Pointer)(r) != nil {
			do(r)
		}
	}
	if depth == 0 {
		return
	}
	for _, b := range l.replies.boxes {
		if in, at := l.open(b, m); in != nil {
			in.eachReply(at, depth-1, do)
		}
	}
}

// EachReplyIn is EachReply for the value in an interface.
func EachReplyIn(value any, rules Rules, do func(reply unsafe.Pointer)) {
	l := Layout{rules: rules}
	if in, at := l.open(box{empty: true}, unsafe.Pointer(&value)); in != nil {
		in.EachReply(at, do)
	}
}

// open returns the layout of the value in the interface that lies in the value at m, and where that value is. It
// returns nil if there is nothing to find.
func (l *Layout) open(b box, m unsafe.Pointer) (in *Layout, at unsafe.Pointer) {
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
	in = l.rules.Of(reflect.TypeOf(v))
	if len(in.replies.offsets) == 0 && len(in.replies.boxes) == 0 {
		return nil, nil // The second word may be a pointer that is the value itself.
	}
	return in, (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]
}
