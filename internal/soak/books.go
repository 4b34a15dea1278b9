package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// parcel is what a message carries, so that the books can tell what became of it.
type parcel struct {
	state atomic.Uint32
	// retried says that the receiver may handle it again after a failure, and give it to
	// the dead letters after that. Written before it is sent.
	retried bool
}

// The bits of a parcel's state.
const (
	accepted uint32 = 1 << iota // The send returned no error.
	refused                     // It returned one.
	handled                     // A handler has begun with it.
	dead                        // It is a dead letter.
)

// books count what became of all messages. Every accepted one has to be handled or to
// become a dead letter, once, and none that was refused may be handled.
type books struct {
	sent, accepted, refused, handled, dead atomic.Int64
	settled                                atomic.Int64 // Accepted, and handled or dead.

	mu     sync.Mutex
	errors []string // The first of them.
	faults int
}

// note enters what has happened to a parcel.
func (b *books) note(p *parcel, what uint32) {
	before := p.state.Or(what)
	switch what {
	case accepted:
		b.accepted.Add(1)
	case refused:
		b.refused.Add(1)
	case handled:
		b.handled.Add(1)
	case dead:
		b.dead.Add(1)
	}
	after := before | what
	isSettled := func(state uint32) bool { return state&accepted != 0 && state&(handled|dead) != 0 }
	if !isSettled(before) && isSettled(after) {
		b.settled.Add(1)
	}
	switch {
	case after&refused != 0 && after&handled != 0:
		b.fault("a message was handled although its send returned an error")
	case p.retried:
	case before&what != 0:
		b.fault("a message was %s twice", word(what))
	case after&handled != 0 && after&dead != 0:
		b.fault("a message was handled and is a dead letter")
	}
}

func word(what uint32) string {
	return map[uint32]string{accepted: "accepted", refused: "refused", handled: "handled", dead: "a dead letter"}[what]
}

// fault notes something that must not happen.
func (b *books) fault(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	const kept = 20
	if b.faults++; len(b.errors) < kept {
		b.errors = append(b.errors, fmt.Sprintf(format, args...))
	}
}

// close checks the books when nothing can happen any more.
func (b *books) close() {
	if lost := b.accepted.Load() - b.settled.Load(); lost != 0 {
		b.fault("%d messages were accepted, and neither handled nor became dead letters", lost)
	}
}
