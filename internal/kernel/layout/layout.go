// Package layout finds out once for each type of messages what lies where in its values, so that a message can be
// examined without reflection. It answers two questions: where the Replies are by which an ask is answered, and how
// many bytes a message takes.
//
// Unsafe code that looks into messages is here and nowhere else. It depends on two facts about Go's memory: a string
// and a slice have their length in their second word, and an interface has the address of its value in its second
// word. A test checks both.
package layout

import "reflect"

// Rules say which types matter.
type Rules interface {
	// IsReply reports whether t is a Reply, whose first word is nil if it belongs to no ask.
	IsReply(t reflect.Type) bool
	// IsOpaque reports whether the search for Replies leaves values of type t alone.
	IsOpaque(t reflect.Type) bool
	// Of returns the layout of a type that was found in an interface.
	Of(t reflect.Type) *Layout
}

// Layout is what is known of a type. It is not written after New, and safe for concurrent use.
type Layout struct {
	Type  reflect.Type
	rules Rules
	flat  bool

	replies replies
	size    size
}

// New returns the layout of t.
func New(t reflect.Type, rules Rules) *Layout {
	l := &Layout{Type: t, rules: rules, flat: isFlat(t)}
	l.replies.dynamic = t.Kind() == reflect.Interface
	l.collectReplies(t, 0)
	if len(l.replies.offsets) > 0 {
		l.replies.only = l.replies.offsets[0]
	}
	l.size.fixed = int(t.Size())
	l.size.collect(t, 0)
	return l
}

// IsFlat reports whether there are no pointers in values of the type.
func (l *Layout) IsFlat() bool { return l.flat }

func isFlat(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Array:
		return isFlat(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !isFlat(t.Field(i).Type) {
				return false
			}
		}
		return true
	default:
		return k >= reflect.Bool && k <= reflect.Complex128
	}
}

// maxDepth bounds how many interfaces are opened that lie in each other.
const maxDepth = 6
