package actor

import "reflect"

// buffers holds the messages of a lane. It is all of a lane that is compiled for
// each type of messages, so it does no more than to move them; see lane, which
// does everything else, also the counting.
type buffers[M any] struct {
	lane lane
	in   []M // Guarded by the mailbox's mutex.
	out  []M // The consumer's.
}

// contents is buffers, as code sees it that is the same for all types of
// messages.
type contents interface {
	// pending returns the length of in.
	pending() int
	// swap makes in out, and returns its length and capacity.
	swap() (size, room int)
	// forget clears a place of out.
	forget(at int)
	// trim lets go of buffers that are longer than keep, of in only if it is
	// empty. It reports whether out is gone.
	trim(keep int) bool
	// accept appends the message of a waiting sender to in.
	accept(w *sendWaiter)
	// part returns a copy of a part of out.
	part(from, to int) letters
	// empty removes and returns all messages of out from head on, and of in.
	empty(head int) letters
	// handOver returns a new lane with all messages of out from at on, and of in,
	// which are removed here from in.
	handOver(at int) *lane
}

// letters are messages on their way to somebody who does not know their type.
type letters interface {
	len() int
	each(do func(m any))
}

func newBuffers[M any](capacity int) *buffers[M] {
	b := &buffers[M]{}
	b.lane.init(capacity, b, reflect.TypeFor[M]())
	return b
}

// take returns the consumer's next message. It must have one, but may have lost
// it to rescue; take then returns false.
func (b *buffers[M]) take() (m M, ok bool) {
	l := &b.lane
	if l.head == l.claimed && !l.claim() {
		return m, false
	}
	slot := &b.out[l.head]
	m = *slot
	if l.chunk > 1 {
		var zero M
		*slot = zero // What m points to must not be kept alive by the buffer.
	}
	l.head++
	return m, true
}

func (b *buffers[M]) pending() int { return len(b.in) }

func (b *buffers[M]) swap() (size, room int) {
	b.out, b.in = b.in, b.out[:0]
	return len(b.out), cap(b.out)
}

func (b *buffers[M]) forget(at int) { clear(b.out[at : at+1]) }

func (b *buffers[M]) trim(keep int) (gone bool) {
	if cap(b.in) > keep && len(b.in) == 0 {
		b.in = nil
	}
	if gone = cap(b.out) > keep; gone {
		b.out = nil
	}
	return gone
}

func (b *buffers[M]) accept(w *sendWaiter) { b.in = append(b.in, *w.message.(*M)) }

func (b *buffers[M]) part(from, to int) letters { return batch[M](append([]M(nil), b.out[from:to]...)) }

func (b *buffers[M]) empty(head int) letters {
	all := append(b.out[head:len(b.out):len(b.out)], b.in...)
	b.in, b.out = nil, nil
	return batch[M](all)
}

func (b *buffers[M]) handOver(at int) *lane {
	fresh := newBuffers[M](int(b.lane.capacity))
	fresh.in = append(append(fresh.in, b.out[at:]...), b.in...)
	b.in = nil
	return &fresh.lane
}

type batch[M any] []M

func (b batch[M]) len() int { return len(b) }

func (b batch[M]) each(do func(m any)) {
	for _, m := range b {
		do(m)
	}
}
