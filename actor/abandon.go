package actor

import (
	"unsafe"

	"github.com/troupe-go/troupe/internal/kernel/layout"
)

// letter is a message on its way to where its type is not known.
type letter struct {
	message any
	// asked is the ask that the message belongs to, if that is known: its Reply need not
	// be in the message itself.
	asked address
}

// abandon answers, with err, the asks that the message belongs to, as it is dropped or
// its handler has failed. Otherwise the asker would wait for an answer that
// can't come.
func (l letter) abandon(err error) {
	l.asked.abandon(err)
	layout.EachReplyIn(l.message, replyRules{}, func(r unsafe.Pointer) { addressAt(r).abandon(err) })
}

// abandon answers the ask with err, unless it is answered: that answer is the better one.
func (a address) abandon(err error) {
	if a.slot != nil && a.slot.begin(a.round, err) == nil {
		a.slot.err = err
		a.slot.answered(nil, a.round)
	}
}
