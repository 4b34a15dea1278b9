package actor

import (
	"reflect"
	"unsafe"
)

// buffers holds the messages of a lane. It is all of a lane that is compiled for
// each type of messages, so it does no more than to move them; see lane, which
// does everything else, also the counting. Large messages lie in boxes instead.
type buffers[M any] struct {
	out  []M // The consumer's.
	lane lane
	in   []M // Guarded by the mailbox's mutex.
}

// The buffers fill four cache lines but for 16 bytes. These are the first places
// of in and out, if messages are so small: an actor that gets one message at a time
// needs no more. Not so if there are pointers in them, since where a buffer has
// grown, what was in its first place stays there.
const seedBytes = 16

type paddedBuffers[M any] struct {
	buffers buffers[M]
	_       [seedBytes]byte
}

type seededBuffers[M any] struct {
	buffers buffers[M]
	seed    [1]M
}

type twiceSeededBuffers[M any] struct {
	buffers buffers[M]
	seeds   [2]M
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
	// discard takes the oldest, or else the newest, message of in away.
	discard(oldest bool) any
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
	at(i int) letter
}

func eachLetter(all letters, do func(m letter)) {
	for i := range all.len() {
		do(all.at(i))
	}
}

func newBuffers[M any](capacity int, tight bool) *buffers[M] {
	of := messageTypeOf(reflect.TypeFor[M]())
	b := makeBuffers[M](of.seeded)
	b.lane.init(capacity, tight, b, of)
	return b
}

func makeBuffers[M any](seeded bool) *buffers[M] {
	switch size := unsafe.Sizeof(*new(M)); {
	case !seeded:
		return &new(paddedBuffers[M]).buffers
	case size > seedBytes/2:
		b := new(seededBuffers[M])
		b.buffers.in = b.seed[:0]
		return &b.buffers
	default:
		b := new(twiceSeededBuffers[M])
		b.buffers.in, b.buffers.out = b.seeds[:0:1], b.seeds[1:1]
		return &b.buffers
	}
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
		*slot = zero // The buffer must not keep alive the memory that m points to.
	}
	l.head++
	l.taken.Store(uintptr(l.head))
	return m, true
}

func (b *buffers[M]) pending() int { return len(b.in) - int(b.lane.skipped) }

func (b *buffers[M]) swap() (size, room int) {
	if b.lane.tight {
		b.out = b.out[:0]
		if b.pending() > 0 {
			b.out = append(b.out, b.in[b.lane.skipped])
			b.skip()
		}
		return len(b.out), cap(b.in)
	}
	b.out, b.in = b.in, b.out[:0]
	return len(b.out), cap(b.out)
}

// skip clears the first place of in.
func (b *buffers[M]) skip() {
	clear(b.in[b.lane.skipped : b.lane.skipped+1])
	if b.lane.skipped++; int(b.lane.skipped) == len(b.in) {
		b.in, b.lane.skipped = b.in[:0], 0
	}
}

// push appends m to in. Before it takes more memory, it moves the messages into the empty
// places in front, if there are as many of them as messages. So each message moves once at most.
//
//go:noinline
func (b *buffers[M]) push(m M, asked address) {
	closed := int32(0)
	if n := b.pending(); len(b.in) == cap(b.in) && n <= int(b.lane.skipped) {
		copy(b.in, b.in[b.lane.skipped:])
		clear(b.in[n:])
		closed = b.lane.skipped
		b.in, b.lane.skipped = b.in[:n], 0
	}
	b.lane.asks.push(closed, len(b.in), asked)
	b.in = append(b.in, m)
}

func (b *buffers[M]) discard(oldest bool) any {
	if oldest {
		m := b.in[b.lane.skipped]
		b.skip()
		return m
	}
	last := len(b.in) - 1
	m := b.in[last]
	clear(b.in[last:])
	if b.in = b.in[:last]; last == int(b.lane.skipped) {
		b.in, b.lane.skipped = b.in[:0], 0
	}
	return m
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

func (b *buffers[M]) accept(w *sendWaiter) {
	b.push(*w.message.(*M), w.asked)
	if b.lane.meter != nil {
		b.lane.meter.add(w.size)
	}
}

func (b *buffers[M]) part(from, to int) letters {
	some := append(batch[M](nil), b.out[from:to]...)
	return &some
}

func (b *buffers[M]) empty(head int) letters {
	all := append(batch[M](b.out[head:len(b.out):len(b.out)]), b.in[b.lane.skipped:]...)
	b.in, b.out, b.lane.skipped = nil, nil, 0
	return &all
}

func (b *buffers[M]) handOver(at int) *lane {
	fresh := newBuffers[M](int(b.lane.capacity), b.lane.tight)
	out, in := b.out[at:], b.in[b.lane.skipped:]
	fresh.in = make([]M, len(out)+len(in))
	copy(fresh.in, out)
	copy(fresh.in[len(out):], in)
	b.in, b.lane.skipped = nil, 0
	return &fresh.lane
}

// batch implements letters by pointer. Methods of the value would need wrappers for the
// pointer, for each type of messages: 240 bytes.
type batch[M any] []M

func (b *batch[M]) len() int { return len(*b) }

func (b *batch[M]) at(i int) letter { return letter{message: (*b)[i]} }

// askedLetters are letters with the asks that they belong to.
type askedLetters struct {
	letters
	asks []address
}

// withAsks returns the letters with the asks that they belong to, at the same places. The
// asks are fewer if the last letters belong to none.
//
//go:noinline
func withAsks(all letters, asks []address) letters {
	if len(asks) == 0 {
		return all
	}
	return &askedLetters{all, asks}
}

func (l *askedLetters) at(i int) letter {
	m := l.letters.at(i)
	m.asked = askAt(l.asks, i)
	return m
}

// withoutAsks returns the letters that withAsks got.
func withoutAsks(all letters) letters {
	if l, ok := all.(*askedLetters); ok {
		return l.letters
	}
	return all
}
