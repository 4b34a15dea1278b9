package actor

import (
	"reflect"
	"unsafe"
)

// maxByValue is the size up to which messages lie in lanes and pockets by value, in bytes. The
// number is picked. A lane keeps buffers of 64 places when it is empty: that is 32 KB each, at most.
//
// The size of a type is a constant for the compiler, so the code of other messages has no branch for it.
const maxByValue = 512

// boxes are the contents of a lane for large messages. The lane has pointers, which are never nil;
// nobody writes to a message once it is in its box. It is compiled once for all types of messages.
//
// The alternative was buffers of the messages themselves: an actor of messages of 64 KB kept
// buffers of up to 64 of them, and moved all that waited each time that a buffer grew.
type boxes struct {
	buffers[unsafe.Pointer]
	of *messageType
}

// newLane returns a lane for the messages of a cell.
func newLane(c cellular, capacity int, tight bool) *lane {
	if of := messageTypeOf(c.messageType()); of.large {
		return &newBoxes(of, capacity, tight).lane
	}
	return c.newLane(capacity, tight)
}

func newBoxes(of *messageType, capacity int, tight bool) *boxes {
	b := &boxes{of: of}
	b.lane.init(capacity, tight, b, of)
	return b
}

// open returns the message in a box. It is a copy.
func (m *messageType) open(box unsafe.Pointer) any {
	return reflect.NewAt(m.Type, box).Elem().Interface()
}

func (b *boxes) discard(oldest bool) any {
	return b.of.open(b.buffers.discard(oldest).(unsafe.Pointer)) //nolint:forcetypeassert // It is what the buffers hold.
}

// accept takes the sender's copy as the box.
func (b *boxes) accept(w *sendWaiter) {
	b.push(reflect.ValueOf(w.message).UnsafePointer(), w.asked)
	if b.lane.meter != nil {
		b.lane.meter.add(w.size)
	}
}

func (b *boxes) part(from, to int) letters { return b.sealed(b.buffers.part(from, to)) }

func (b *boxes) empty(head int) letters { return b.sealed(b.buffers.empty(head)) }

func (b *boxes) handOver(at int) *lane {
	fresh := newBoxes(b.of, int(b.lane.capacity), b.lane.tight)
	fresh.in = append(append(fresh.in, b.out[at:]...), b.in[b.lane.skipped:]...)
	b.in, b.lane.skipped = nil, 0
	return &fresh.lane
}

// insert makes n places before the messages that the consumer has in hand.
func (b *boxes) insert(n int) {
	old := b.out[b.lane.head:]
	b.out = append(make([]unsafe.Pointer, n, n+len(old)), old...)
}

// sealed makes letters of pointers.
func (b *boxes) sealed(pointers letters) letters {
	return &sealed{*pointers.(*batch[unsafe.Pointer]), b.of} //nolint:forcetypeassert // It is what the buffers return.
}

// sealed are letters in boxes.
type sealed struct {
	batch[unsafe.Pointer]
	of *messageType
}

func (s *sealed) at(i int) letter { return letter{message: s.of.open(s.batch[i])} }

// The functions below work for large messages and for others.

// putFirst puts m before the messages that the consumer has in hand, who calls it. The caller holds
// the mutex.
func putFirst[M any](l *lane, m M, asked address) {
	if unsafe.Sizeof(*new(M)) > maxByValue {
		parcel := m
		l.contents.(*boxes).putFirst(unsafe.Pointer(&parcel), asked)
	} else {
		l.contents.(*buffers[M]).putFirst(m, asked)
	}
}

// nextOf returns the message that the consumer takes next. It must have one.
func nextOf[M any](l *lane) *M {
	if unsafe.Sizeof(*new(M)) > maxByValue {
		return (*M)(l.contents.(*boxes).out[l.head])
	}
	return &l.contents.(*buffers[M]).out[l.head]
}

// firstLetter returns the first of some letters.
func firstLetter[M any](in letters) M {
	if unsafe.Sizeof(*new(M)) > maxByValue {
		return *(*M)(in.(*sealed).batch[0])
	}
	return (*in.(*batch[M]))[0]
}
