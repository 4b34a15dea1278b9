package queues

import (
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// Inbox holds work that is meant for one worker, by how firmly and by priority. The zero Inbox is empty.
//
// # Protocol
//
// It is the protocol of sleeping and waking, for a single worker. A sender puts something in, then looks whether the
// worker rests, and wakes it. A worker that is about to sleep enters itself among the sleepers, and then looks into its
// inbox. So either the sender sees the sleeper, or the sleeper the work. No other worker takes pinned work, so no search
// may stand in for that wake-up. Others may take preferred work once the worker has too much of it, and steal work that
// was merely placed here.
//
// # Tried and rejected
//
// Pinned work in a worker's deque would have to be passed over by thieves, which take the oldest only. A lock-free list for
// many producers is dearer than a short lock where it matters: a worker without such work pays one load of a word that
// nobody writes, in either case.
type Inbox[T any] struct {
	// mask has a bit for each queue that holds something. Written under mu, read by everyone without it; it pairs with the
	// sign that the worker rests, and with the sleepers.
	mask xatomic.Uint32
	// These count the work that waits. Written under mu; thieves and sleepers look at the first two.
	placed    xatomic.Int64
	preferred xatomic.Int64
	pinned    atomic.Int64

	mu     xatomic.Mutex
	queues [bonds][slots]fifo[T]
	turn   int  // Where several bonds wait with the same urgency, they take turns.
	closed bool // Nothing more is accepted from outside.
}

// Bond says how firmly work is tied to a worker.
type Bond uint8

// The bonds.
const (
	Free      Bond = iota // It runs anywhere.
	Placed                // It is handed to the worker, and free once it has begun. Others steal it.
	Preferred             // It runs elsewhere only if its worker has too much of it.
	Pinned                // It runs nowhere else.

	// bonds is how many kinds of bonds an inbox holds.
	bonds = 3
)

const (
	// slotNext is for interrupted work. It goes before all but critical work and is continued newest first. The slots of
	// the priorities follow.
	slotNext = 0
	// slots is how many there are for each bond.
	slots = 1 + Priorities
	// allBonds has the mask's bits of one slot, for every bond.
	allBonds = 1 | 1<<slots | 1<<(2*slots)
)

// slotOf returns the slot of a priority.
func slotOf(p Priority) int { return 1 + int(p) }

// priorityOf says how urgent the work in a slot counts on the worker.
func priorityOf(slot int) Priority {
	if slot == slotNext {
		return Normal
	}
	return Priority(slot - 1)
}

// index counts the bonds of an inbox from 0.
func (b Bond) index() int { return int(b - Placed) }

// bit is the mask's bit for the bond's queue of a slot.
func (b Bond) bit(slot int) uint32 { return 1 << (b.index()*slots + slot) }

// urgency returns the most urgent slot of a mask that is not 0. Critical work is before interrupted work.
func urgency(mask uint32) int {
	if mask&(allBonds<<slotOf(Critical)) != 0 {
		return slotOf(Critical)
	}
	return bits.TrailingZeros32(mask | mask>>slots | mask>>(2*slots))
}

// Mask is 0 while the inbox is empty.
func (b *Inbox[T]) Mask() uint32 { return b.mask.Load() }

// Placed returns how much placed work waits.
func (b *Inbox[T]) Placed() int { return int(b.placed.Load()) }

// Preferred returns how much preferred work waits.
func (b *Inbox[T]) Preferred() int { return int(b.preferred.Load()) }

// Pinned returns how much pinned work waits.
func (b *Inbox[T]) Pinned() int { return int(b.pinned.Load()) }

// Urgent reports whether critical work waits for this worker alone.
func (b *Inbox[T]) Urgent() bool { return b.mask.Load()&(allBonds<<slotOf(Critical)) != 0 }

// HasFor reports whether work of priority p, or work that goes before it, waits for this worker alone.
func (b *Inbox[T]) HasFor(p Priority) bool {
	if p == Critical {
		return b.Urgent()
	}
	before := uint32(1)<<(slotOf(p)+1) - 1
	return b.mask.Load()&(before|before<<slots|before<<(2*slots)) != 0
}

// interrupted is how many pieces of interrupted work wait for this worker alone.
func (b *Inbox[T]) interrupted() int {
	if b.mask.Load()&(allBonds<<slotNext) == 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.queues[Preferred.index()][slotNext].n + b.queues[Pinned.index()][slotNext].n
}

// Submit puts work from outside in. It returns false once the inbox is closed.
func (b *Inbox[T]) Submit(x *T, p Priority, bond Bond) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.pushLocked(x, slotOf(p), bond)
	return true
}

// Close refuses work from outside from now on.
func (b *Inbox[T]) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
}

// Push puts work in.
func (b *Inbox[T]) Push(x *T, p Priority, bond Bond) { b.push(x, slotOf(p), bond) }

// PushNext puts interrupted work in: it goes before all but critical work and is continued newest first.
func (b *Inbox[T]) PushNext(x *T, bond Bond) { b.push(x, slotNext, bond) }

func (b *Inbox[T]) push(x *T, slot int, bond Bond) {
	b.mu.Lock()
	b.pushLocked(x, slot, bond)
	b.mu.Unlock()
}

func (b *Inbox[T]) pushLocked(x *T, slot int, bond Bond) {
	queue := &b.queues[bond.index()][slot]
	if slot == slotNext {
		queue.pushFront(x)
	} else {
		queue.push(x)
	}
	b.count(bond, 1)
	if queue.n == 1 {
		b.mask.Or(bond.bit(slot))
	}
}

// Take returns the most urgent work, or nil.
func (b *Inbox[T]) Take() (x *T, p Priority, bond Bond) {
	b.mu.Lock()
	defer b.mu.Unlock()
	mask := b.mask.Load()
	if mask == 0 {
		return nil, 0, Free
	}
	slot := urgency(mask)
	for {
		b.turn = (b.turn + 1) % bonds
		if bond = Placed + Bond(b.turn); mask&bond.bit(slot) != 0 {
			break
		}
	}
	return b.popLocked(slot, bond), priorityOf(slot), bond
}

// TakeOf returns the most urgent work with a bond, on behalf of another worker.
func (b *Inbox[T]) TakeOf(bond Bond) (*T, Priority) {
	b.mu.Lock()
	defer b.mu.Unlock()
	mask := b.mask.Load() & (bond.bit(slots) - bond.bit(0))
	if mask == 0 {
		return nil, 0
	}
	slot := urgency(mask)
	return b.popLocked(slot, bond), priorityOf(slot)
}

func (b *Inbox[T]) popLocked(slot int, bond Bond) *T {
	queue := &b.queues[bond.index()][slot]
	x := queue.pop()
	b.count(bond, -1)
	if queue.n == 0 {
		b.mask.And(^bond.bit(slot))
	}
	return x
}

func (b *Inbox[T]) count(bond Bond, delta int64) {
	switch bond {
	case Pinned:
		b.pinned.Add(delta)
	case Preferred:
		b.preferred.Add(delta)
	case Placed:
		b.placed.Add(delta)
	}
}

// span returns the positions of the next work in a queue and after its last.
func (b *Inbox[T]) span(bond Bond, slot int) (begin, end int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.queues[bond.index()][slot].span()
}

// raise moves work that lies before end from the queue of a slot to the queue of the next priority, as the element that
// rise returns for it, and returns how much. Interrupted work becomes critical.
func (b *Inbox[T]) raise(bond Bond, slot int, end int64, rise func(*T, Priority) *T) (moved int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	queue := &b.queues[bond.index()][slot]
	p := priorityOf(slot)
	to := Critical
	if slot != slotNext {
		to = p - 1
	}
	for queue.n > 0 && queue.popped < end {
		b.pushLocked(rise(b.popLocked(slot, bond), p), slotOf(to), bond)
		moved++
	}
	return moved
}

// RaiseDue raises work that has been there since the given time, and tells raised how much, by bond. Preferred and placed
// work does not rise above the ceiling, since others may get it.
func (b *Inbox[T]) RaiseDue(m *OwnMarks, since time.Duration, ceiling Priority, rise func(*T, Priority) *T, raised func(Bond, int)) {
	for bond := Placed; bond <= Pinned; bond++ {
		for slot := range slots {
			m := &m.inbox[bond.index()][slot]
			if len(m.list) == 0 || slot == slotOf(Critical) {
				continue
			}
			begin, _ := b.span(bond, slot)
			end := m.due(since, begin)
			if bond != Pinned && priorityOf(slot) <= ceiling {
				continue
			}
			if moved := b.raise(bond, slot, end, rise); moved > 0 {
				raised(bond, moved)
			}
		}
	}
}

// length returns how much work waits.
func (b *Inbox[T]) length() int {
	if b.mask.Load() == 0 {
		return 0
	}
	return int(b.placed.Load() + b.preferred.Load() + b.pinned.Load())
}

// addLengths adds how much work waits, by priority.
func (b *Inbox[T]) addLengths(sum *[Priorities]int) {
	if b.mask.Load() == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for bond := range b.queues {
		for slot := range b.queues[bond] {
			sum[priorityOf(slot)] += b.queues[bond][slot].n
		}
	}
}

// empty hands everything to f.
func (b *Inbox[T]) empty(f func(*T)) {
	for b.mask.Load() != 0 {
		x, _, _ := b.Take()
		f(x)
	}
}
