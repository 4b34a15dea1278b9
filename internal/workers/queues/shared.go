// Package queues has the queues of work: one worker's own, its inbox, and the ones that all workers share.
//
// Its elements are pointers to some type T. The package knows nothing about T.
package queues

import (
	// Without these imports, the compiler does not inline the methods of the types in xatomic, but calls them.
	_ "sync"
	_ "sync/atomic"

	"github.com/troupe-go/troupe/internal/deque"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Priority orders work, as in package sched.
type Priority uint8

// The priorities, from the most to the least urgent.
const (
	Critical Priority = iota
	High
	Normal
	Low

	// Priorities is how many there are.
	Priorities = 4
)

// Bit is the priority's bit in a mask of queues.
func (p Priority) Bit() uint32 { return 1 << p }

// UpTo is the mask of all priorities that are as urgent as p or more.
func (p Priority) UpTo() uint32 { return 2<<p - 1 }

// Shared holds work that no worker has yet: work from outside, work that did not fit into a worker's queue, and everything
// critical. The zero Shared is empty.
//
// It is a set of queues under one mutex. That is enough since few things pass here: an actor that is flooded from outside
// is queued once for a whole batch of messages.
type Shared[T any] struct {
	// mask has bit p set while queue p holds something. Written under mu; read by everyone without it. So a critical
	// job anywhere is visible everywhere for the price of one load. It pairs with the sleepers' count in package parking:
	// a submitter sets mask, then looks for sleepers; a worker counts itself as a sleeper, then looks at mask.
	mask xatomic.Uint32

	mu     xatomic.Mutex
	queues [Priorities]fifo[T]
	closed bool // Nothing more is accepted from outside.
}

// Mask has bit p set while work of priority p is there.
func (q *Shared[T]) Mask() uint32 { return q.mask.Load() }

// Has reports whether work of priority p is there.
func (q *Shared[T]) Has(p Priority) bool { return q.mask.Load()&p.Bit() != 0 }

// Push adds x.
func (q *Shared[T]) Push(x *T, p Priority) {
	q.mu.Lock()
	q.pushLocked(x, p)
	q.mu.Unlock()
}

func (q *Shared[T]) pushLocked(x *T, p Priority) {
	q.queues[p].push(x)
	if q.queues[p].n == 1 {
		q.mask.Or(p.Bit())
	}
}

// Submit is Push for work from outside. It returns false once the queues are closed. Both happen under one lock, so
// accepted work is seen by every worker that looks for work after the closing.
func (q *Shared[T]) Submit(x *T, p Priority) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.pushLocked(x, p)
	return true
}

// Close refuses work from outside from now on.
func (q *Shared[T]) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
}

// Closed reports whether Close was called.
func (q *Shared[T]) Closed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

// Take returns the oldest of priority p, or nil. If local is not nil it moves further ones there, up to batch, so that a
// backlog is shared out with few passages through the lock.
func (q *Shared[T]) Take(p Priority, local *deque.Deque[T], batch int) *T {
	q.mu.Lock()
	defer q.mu.Unlock()
	queue := &q.queues[p]
	x := queue.pop()
	if x == nil {
		return nil
	}
	if local != nil {
		for range min(batch, queue.n) {
			next := queue.ring[queue.head]
			if !local.Push(next) {
				break
			}
			queue.pop()
		}
	}
	if queue.n == 0 {
		q.mask.And(^p.Bit())
	}
	return x
}

// span returns the positions of the oldest of priority p and after its newest.
func (q *Shared[T]) span(p Priority) (begin, end int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.queues[p].span()
}

// Raise moves work that lies before end from the queue of p to the queue of the next priority, as the element that rise
// returns for it. It moves at most so many elements, and returns how many. Meanwhile one of the two queues has its bit set
// in the mask.
func (q *Shared[T]) Raise(p Priority, end int64, most int, rise func(*T, Priority) *T) (moved int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	queue := &q.queues[p]
	for moved < most && queue.n > 0 && queue.popped < end {
		q.pushLocked(rise(queue.pop(), p), p-1)
		moved++
	}
	if moved > 0 && queue.n == 0 {
		q.mask.And(^p.Bit())
	}
	return moved
}

// Len returns how much work waits with priority p.
func (q *Shared[T]) Len(p Priority) int {
	if !q.Has(p) {
		return 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.queues[p].n
}
