package sched

import (
	"math/bits"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// inbox holds work that is meant for one worker, by how firmly and by priority.
//
// # Protocol
//
// It is that of idle, for a single worker: whoever puts something in looks
// afterwards whether the worker rests and wakes it; a worker that is about to
// sleep enters itself among the sleepers and then looks into its inbox. So
// either the sender sees the sleeper, or the sleeper the work. Nobody else takes
// what is pinned, so no search may stand in for that wake-up; see
// [idle.wakeWorker]. What is preferred may be taken by others once the worker
// has too much of it; see [Worker.relieve]. What was merely placed here, anybody
// steals.
//
// # Tried and rejected
//
// Pinned work in a queue of the worker's deques would have to be passed over by
// thieves, which take the oldest only. A lock-free list for many producers is
// dearer than a short lock where it matters: a worker without such work pays one
// load of a word that nobody writes, in either case.
type inbox struct {
	// mask has a bit for each queue that holds something. Written under mu, read
	// by everyone without it; it pairs with Worker.resting and the sleepers.
	mask xatomic.Uint32
	// These count what waits. Written under mu; thieves and sleepers look at those
	// of which they may take.
	placed    xatomic.Int64
	preferred xatomic.Int64
	pinned    atomic.Int64

	mu     xatomic.Mutex
	queues [bonds][inboxSlots]fifo
	turn   int  // Where several kinds wait with the same urgency, they take turns.
	closed bool // Nothing more is accepted from outside.
}

// bond says how firmly work is tied to a worker.
type bond uint8

const (
	free      bond = iota // It runs anywhere.
	placed                // It is handed to the worker, and free once it has begun. Others steal it.
	preferred             // It runs elsewhere only if its worker has too much of it.
	pinned                // It runs nowhere else.

	bonds = 3 // Those that an inbox holds.
)

const (
	// slotNext is for interrupted work, which goes before all but critical work
	// and is continued newest first; the priorities follow.
	slotNext   = 0
	inboxSlots = 1 + numPriorities
	// inboxBonds has the mask's bits of one slot, for every bond.
	inboxBonds = 1 | 1<<inboxSlots | 1<<(2*inboxSlots)
)

func slotOf(p Priority) int { return 1 + int(p) }

// priorityOf says how urgent the work in a slot counts on the worker.
func priorityOf(slot int) Priority {
	if slot == slotNext {
		return Normal
	}
	return Priority(slot - 1)
}

func (b bond) index() int { return int(b - placed) }

// bit is that of a queue in the mask.
func (b bond) bit(slot int) uint32 { return 1 << (b.index()*inboxSlots + slot) }

// urgency returns the most urgent slot of a mask that is not 0. Critical work is
// before interrupted work.
func urgency(mask uint32) int {
	if mask&(inboxBonds<<slotOf(Critical)) != 0 {
		return slotOf(Critical)
	}
	return bits.TrailingZeros32(mask | mask>>inboxSlots | mask>>(2*inboxSlots))
}

// urgent reports whether critical work waits for this worker alone.
func (b *inbox) urgent() bool { return b.mask.Load()&(inboxBonds<<slotOf(Critical)) != 0 }

// hasFor reports whether work of priority p, or what goes before it, waits for
// this worker alone.
func (b *inbox) hasFor(p Priority) bool {
	if p == Critical {
		return b.urgent()
	}
	before := uint32(1)<<(slotOf(p)+1) - 1
	return b.mask.Load()&(before|before<<inboxSlots|before<<(2*inboxSlots)) != 0
}

// interrupted is how many pieces of interrupted work wait for this worker alone.
func (b *inbox) interrupted() int {
	if b.mask.Load()&(inboxBonds<<slotNext) == 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.queues[preferred.index()][slotNext].n + b.queues[pinned.index()][slotNext].n
}

// submit puts work from outside in. It returns false once the inbox is closed.
func (b *inbox) submit(n *Node, slot int, kind bond) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.pushLocked(n, slot, kind)
	return true
}

func (b *inbox) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
}

func (b *inbox) push(n *Node, slot int, kind bond) {
	b.mu.Lock()
	b.pushLocked(n, slot, kind)
	b.mu.Unlock()
}

func (b *inbox) pushLocked(n *Node, slot int, kind bond) {
	queue := &b.queues[kind.index()][slot]
	if slot == slotNext {
		queue.pushFront(n)
	} else {
		queue.push(n)
	}
	b.count(kind, 1)
	if queue.n == 1 {
		b.mask.Or(kind.bit(slot))
	}
}

// take returns what is most urgent, or nil.
func (b *inbox) take() (n *Node, p Priority, kind bond) {
	b.mu.Lock()
	defer b.mu.Unlock()
	mask := b.mask.Load()
	if mask == 0 {
		return nil, 0, free
	}
	slot := urgency(mask)
	for {
		b.turn = (b.turn + 1) % bonds
		if kind = placed + bond(b.turn); mask&kind.bit(slot) != 0 {
			break
		}
	}
	return b.popLocked(slot, kind), priorityOf(slot), kind
}

// takeOf returns the most urgent work of a kind, on behalf of someone else than
// the inbox's worker.
func (b *inbox) takeOf(kind bond) (*Node, Priority) {
	b.mu.Lock()
	defer b.mu.Unlock()
	mask := b.mask.Load() & (kind.bit(inboxSlots) - kind.bit(0))
	if mask == 0 {
		return nil, 0
	}
	slot := urgency(mask)
	return b.popLocked(slot, kind), priorityOf(slot)
}

func (b *inbox) popLocked(slot int, kind bond) *Node {
	queue := &b.queues[kind.index()][slot]
	n := queue.pop()
	b.count(kind, -1)
	if queue.n == 0 {
		b.mask.And(^kind.bit(slot))
	}
	return n
}

func (b *inbox) count(kind bond, delta int64) {
	switch kind {
	case pinned:
		b.pinned.Add(delta)
	case preferred:
		b.preferred.Add(delta)
	case placed:
		b.placed.Add(delta)
	}
}

// span returns the positions of the next node of a queue and after its last one.
func (b *inbox) span(kind bond, slot int) (begin, end int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	queue := &b.queues[kind.index()][slot]
	return queue.popped, queue.popped + int64(queue.n)
}

// raise moves what lies before end from the queue of a slot to that of the next
// priority, and returns how much. Interrupted work becomes critical.
func (b *inbox) raise(kind bond, slot int, end int64) (moved int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	queue := &b.queues[kind.index()][slot]
	p := priorityOf(slot)
	to := Critical
	if slot != slotNext {
		to = p - 1
	}
	for queue.n > 0 && queue.popped < end {
		b.pushLocked(risen(b.popLocked(slot, kind), p), slotOf(to), kind)
		moved++
	}
	return moved
}

// length is how many nodes wait.
func (b *inbox) length() int {
	if b.mask.Load() == 0 {
		return 0
	}
	return int(b.placed.Load() + b.preferred.Load() + b.pinned.Load())
}

// lengths adds how many nodes wait, by priority.
func (b *inbox) lengths(sum *[numPriorities]int) {
	if b.mask.Load() == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for kind := range b.queues {
		for slot := range b.queues[kind] {
			sum[priorityOf(slot)] += b.queues[kind][slot].n
		}
	}
}

// empty hands everything to f.
func (b *inbox) empty(f func(*Node)) {
	for b.mask.Load() != 0 {
		n, _, _ := b.take()
		f(n)
	}
}
