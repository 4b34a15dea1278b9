package actor

import (
	"reflect"
	"strings"
	"unsafe"
)

// letter is a message on its way to where its type is not known.
type letter struct {
	message any
	// asked is the ask that the message belongs to, if that is known: its Reply need not
	// be in the message itself.
	asked address
}

// abandon answers, with err, the asks that the message belongs to, as it is dropped or
// its handler has failed. Without that, whoever asked would wait for an answer that
// can't come.
func (l letter) abandon(err error) {
	l.asked.abandon(err)
	in := boxSpot{empty: true}
	if spots, at := in.open(unsafe.Pointer(&l.message)); spots != nil {
		spots.each(at, searchDepth, func(a address) { a.abandon(err) })
	}
}

// abandon answers the ask with err, unless it is answered: that answer is the better one.
func (a address) abandon(err error) {
	if a.slot != nil && a.slot.begin(a.round, err) == nil {
		a.slot.err = err
		a.slot.answered(nil, a.round)
	}
}

// ownPath is the import path of this package.
var ownPath = reflect.TypeFor[PID]().PkgPath()

// isReply reports whether t is a Reply, and not a type that embeds one.
func isReply(t reflect.Type) bool {
	return t.PkgPath() == ownPath && strings.HasPrefix(t.Name(), "Reply[")
}
