package strand

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/workers"
)

// entry is somebody who waits in a channel. Guarded by the channel's mutex, but
// in a Select which waits, where the selection says who may write.
type entry[T any] struct {
	waiter         workers.Waiter
	value          T // To be sent, or received.
	err            error
	done           bool
	of             *selection // Nil outside of a Select.
	queued         bool
	next, previous *entry[T]
}

// queue has the waiters on one side of a channel, the first one first.
type queue[T any] struct{ first, last *entry[T] }

func (q *queue[T]) add(e *entry[T]) {
	e.queued, e.previous = true, q.last
	if q.last == nil {
		q.first = e
	} else {
		q.last.next = e
	}
	q.last = e
}

// remove takes e out, if it is there.
func (q *queue[T]) remove(e *entry[T]) {
	if !e.queued {
		return
	}
	if e.previous == nil {
		q.first = e.next
	} else {
		e.previous.next = e.next
	}
	if e.next == nil {
		q.last = e.previous
	} else {
		e.next.previous = e.previous
	}
	e.queued, e.next, e.previous = false, nil, nil
}

// take removes the first entry that can be served, on behalf of own, and returns
// it, or nil. Entries of own are passed over, and those that were served in
// another channel go.
func (q *queue[T]) take(own *selection) *entry[T] {
	for e := q.first; e != nil; {
		next := e.next
		if e.of != nil && e.of == own {
			e = next
			continue
		}
		switch claimBoth(own, e.of) {
		case claimedBoth:
			q.remove(e)
			return e
		case ownGone:
			return nil
		}
		q.remove(e)
		e = next
	}
	return nil
}

// selection is one Select, which waits in several channels, and is served in one. Nil
// stands for a waiter in one channel alone.
type selection struct {
	mu   sync.Mutex
	id   uint64 // The order in which two are locked.
	gone bool   // It has been served, or given up.
}

var selections atomic.Uint64

func newSelection() *selection { return &selection{id: selections.Add(1)} }

// claim takes the right to serve s. It returns false if somebody else has it.
func (s *selection) claim() bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.gone
	s.gone = true
	return !was
}

// claims is what claimBoth came upon.
type claims uint8

const (
	claimedBoth claims = iota
	ownGone            // The caller's was served already.
	otherGone          // The other's was.
)

// claimBoth takes both rights, or none.
func claimBoth(own, other *selection) claims {
	first, second := own, other
	if first == nil || second != nil && second.id < first.id {
		first, second = second, first
	}
	for _, s := range []*selection{first, second} {
		if s != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
		}
	}
	switch {
	case own != nil && own.gone:
		return ownGone
	case other != nil && other.gone:
		return otherGone
	}
	if own != nil {
		own.gone = true
	}
	if other != nil {
		other.gone = true
	}
	return claimedBoth
}

// pass is called before each operation that might not wait, so that a loop of
// them gives way like one that waits: it counts a reduction. It returns why ctx
// has ended, if it has.
func pass(ctx context.Context) error {
	if f := workers.Current(ctx); f != nil {
		f.Checkpoint()
	}
	if ctx.Err() != nil {
		return cause(ctx)
	}
	return nil
}

// explain says for a simulation what the strand waits for.
func explain(ctx context.Context, send bool) {
	f := workers.Current(ctx)
	if f == nil || !f.Scheduler().Simulated() {
		return
	}
	f.Explain(func() string {
		if send {
			return "to send to a channel"
		}
		return "to receive from a channel"
	})
}
