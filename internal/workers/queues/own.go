package queues

import (
	"github.com/troupe-go/troupe/internal/deque"
	"github.com/troupe-go/troupe/internal/invariants"
)

// Own has the queues of one worker. Init makes them. Only the worker puts work in, except into the inbox; others steal.
type Own[T any] struct {
	// Local holds queued work by priority, oldest first. Local[Critical] is nil, since critical work goes where every
	// worker sees it.
	Local [Priorities]*deque.Deque[T]
	// First holds work that was interrupted, to be continued newest first.
	First *deque.Deque[T]
	// Branches holds the oldest branches that the running work has forked; thieves see no others.
	Branches *deque.Deque[T]
	// Inbox holds work that is meant for this worker.
	Inbox Inbox[T]
}

// Init makes queues of the given lengths.
func (q *Own[T]) Init(local, first, branches int) {
	for p := High; p < Priorities; p++ {
		q.Local[p] = deque.New[T](invariants.Shrink(local, 4))
	}
	q.First = deque.New[T](invariants.Shrink(first, 4))
	q.Branches = deque.New[T](invariants.Shrink(branches, 4))
}

// HasMoreUrgent reports whether the queues by priority hold work that goes before work of priority p.
func (q *Own[T]) HasMoreUrgent(p Priority) bool {
	for more := High; more < p; more++ {
		if q.Local[more].Len() != 0 {
			return true
		}
	}
	return false
}

// hasUnranked reports whether interrupted work, or branches, are queued. Their priority is not known.
func (q *Own[T]) hasUnranked() bool { return q.First.Len() > 0 || q.Branches.Len() > 0 }

// Empty reports whether nothing is queued.
func (q *Own[T]) Empty() bool {
	for p := High; p < Priorities; p++ {
		if q.Local[p].Len() != 0 {
			return false
		}
	}
	return !q.hasUnranked() && q.Inbox.Mask() == 0
}

// Taken counts what has left the queues by priority at the old end.
func (q *Own[T]) Taken() (sum int64) {
	for p := High; p < Priorities; p++ {
		sum += q.Local[p].Taken()
	}
	return sum
}

// Longest returns the length of the longest queue that a worker may take from if it takes priorities up to tier.
// Interrupted and forked work counts as more than one piece: its owner is on other work.
func (q *Own[T]) Longest(tier Priority) (longest int) {
	if tier == Low {
		longest = max(2*(q.First.Len()+q.Branches.Len()), q.Inbox.Placed())
	}
	for p := High; p <= tier; p++ {
		longest = max(longest, q.Local[p].Len())
	}
	return longest
}

// Stealable returns for which priorities others may steal something, as a mask. Others take interrupted work, branches and
// placed work only if they take anything, so these count as Low.
func (q *Own[T]) Stealable() (mask uint32) {
	for p := High; p < Priorities; p++ {
		if q.Local[p].Len() > 0 {
			mask |= p.Bit()
		}
	}
	if q.hasUnranked() || q.Inbox.Placed() > 0 {
		mask |= Low.Bit()
	}
	return mask
}

// Pieces returns how many pieces of work wait for the worker.
func (q *Own[T]) Pieces() int {
	sum := q.First.Len() + q.Branches.Len() + q.Inbox.length()
	for p := High; p < Priorities; p++ {
		sum += q.Local[p].Len()
	}
	return sum
}

// Lengths returns the lengths of the queues by priority, without branches. Interrupted work counts as Normal.
func (q *Own[T]) Lengths() (sum [Priorities]int) {
	for p := High; p < Priorities; p++ {
		sum[p] = q.Local[p].Len()
	}
	sum[Normal] += q.First.Len()
	q.Inbox.addLengths(&sum)
	return sum
}

// Interrupted returns how many pieces of work wait that have given way here.
func (q *Own[T]) Interrupted() int { return q.First.Len() + q.Inbox.interrupted() }

// InboxFirst reports whether the inbox, whose mask is mine, comes before the other queues. It does with more urgent work,
// and, on even turns, with equally urgent work. Waiting is the mask of the shared queues.
func (q *Own[T]) InboxFirst(mine, waiting uint32, even bool) bool {
	slot := urgency(mine)
	if slot == slotNext || slot == slotOf(Critical) {
		return true
	}
	if q.hasUnranked() {
		return false
	}
	p := priorityOf(slot)
	for more := High; more < p; more++ {
		if waiting&more.Bit() != 0 || q.Local[more].Len() > 0 {
			return false
		}
	}
	return even || waiting&p.Bit() == 0 && q.Local[p].Len() == 0
}

// StealOldest takes the oldest of the most urgent work that a worker takes which takes priorities up to tier. Any
// goroutine may call it.
func (q *Own[T]) StealOldest(tier Priority) (*T, Priority) {
	if tier == Low && q.Inbox.Placed() > 0 {
		if x, p := q.Inbox.TakeOf(Placed); x != nil {
			return x, p
		}
	}
	for p := High; p <= tier; p++ {
		if x, _ := q.Local[p].Steal(); x != nil {
			return x, p
		}
	}
	return nil, 0
}

// StealAll hands to f what lies in the queues by priority and in the inbox. It may hand over nil where a worker is faster.
// Any goroutine may call it.
func (q *Own[T]) StealAll(f func(*T)) {
	for p := High; p < Priorities; p++ {
		for range q.Local[p].Len() {
			x, _ := q.Local[p].Steal()
			f(x)
		}
	}
	q.Inbox.empty(f)
}

// Sweep lets go of work that was stolen and still lies in the rings.
func (q *Own[T]) Sweep() {
	for p := High; p < Priorities; p++ {
		q.Local[p].Sweep()
	}
	q.First.Sweep()
	q.Branches.Sweep()
}
