package sched

import (
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/deque"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// injector holds work that is nobody's yet: what comes from outside the
// workers, what overflowed their queues, and everything critical.
//
// It is a set of queues under one mutex. That is enough since few things pass
// here: an actor that is flooded from outside is queued once for a whole
// batch of messages.
type injector struct {
	// mask has bit p set while queue p holds something. Written under mu; read
	// by everyone without it, which is what makes a critical job anywhere
	// visible everywhere for the price of one load. It pairs with the sleepers'
	// count in idle: a submitter sets mask, then looks for sleepers; a worker
	// counts itself as a sleeper, then looks at mask.
	mask xatomic.Uint32
	// taken counts what has left. Written under mu, read by the monitor.
	taken atomic.Int64

	mu     xatomic.Mutex
	queues [numPriorities]fifo
	closed bool // Nothing more is accepted from outside.
}

func (p Priority) bit() uint32 { return 1 << p }

func (q *injector) has(p Priority) bool { return q.mask.Load()&p.bit() != 0 }

func (q *injector) push(n *Node, p Priority) {
	q.mu.Lock()
	q.pushLocked(n, p)
	q.mu.Unlock()
}

func (q *injector) pushLocked(n *Node, p Priority) {
	q.queues[p].push(n)
	if q.queues[p].n == 1 {
		q.mask.Or(p.bit())
	}
}

// submit is push for work from outside. It returns false once the injector is
// closed. Both happen under one lock, so what was accepted is seen by whoever
// looks for work after the closing.
func (q *injector) submit(n *Node, p Priority) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.pushLocked(n, p)
	return true
}

func (q *injector) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
}

// take returns the oldest node of priority p, or nil. If local is not nil it
// moves further ones there, up to batch, so that a backlog is shared out with
// few passages through the lock.
func (q *injector) take(p Priority, local *deque.Deque[Node], batch int) *Node {
	q.mu.Lock()
	defer q.mu.Unlock()
	queue := &q.queues[p]
	n := queue.pop()
	if n == nil {
		return nil
	}
	moved := int64(1)
	if local != nil {
		for range min(batch, queue.n) {
			next := queue.ring[queue.head]
			if !local.Push(next) {
				break
			}
			queue.pop()
			moved++
		}
	}
	if queue.n == 0 {
		q.mask.And(^p.bit())
	}
	q.taken.Add(moved)
	return n
}

// span returns the positions of the oldest node of priority p and after its
// newest one.
func (q *injector) span(p Priority) (begin, end int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	queue := &q.queues[p]
	return queue.popped, queue.popped + int64(queue.n)
}

// raise moves nodes that lie before end from the queue of p to that of the next
// priority, and returns how many: at most so many as given. Meanwhile one of the
// two has its bit set in mask.
func (q *injector) raise(p Priority, end int64, most int) (moved int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	queue := &q.queues[p]
	for moved < most && queue.n > 0 && queue.popped < end {
		q.pushLocked(risen(queue.pop(), p), p-1)
		moved++
	}
	if moved > 0 && queue.n == 0 {
		q.mask.And(^p.bit())
	}
	return moved
}

// length returns how many nodes wait with priority p.
func (q *injector) length(p Priority) int {
	if !q.has(p) {
		return 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.queues[p].n
}
