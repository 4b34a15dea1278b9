package workers

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// living has the schedulers of the process that have begun and not ended. It is how work
// finds its own scheduler when all it has is a context that leads nowhere.
var living struct {
	mu  sync.Mutex
	all atomic.Pointer[[]*Scheduler] // Replaced, never changed.
}

func (s *Scheduler) enterLiving() {
	changeLiving(func(all []*Scheduler) []*Scheduler { return append(all, s) })
}

func (s *Scheduler) leaveLiving() {
	changeLiving(func(all []*Scheduler) []*Scheduler {
		return slices.DeleteFunc(all, func(other *Scheduler) bool { return other == s })
	})
}

// changeLiving calls change with a copy of the list, and keeps what it returns.
func changeLiving(change func([]*Scheduler) []*Scheduler) {
	living.mu.Lock()
	defer living.mu.Unlock()
	var all []*Scheduler
	if before := living.all.Load(); before != nil {
		all = slices.Clone(*before)
	}
	all = change(all)
	living.all.Store(&all)
}

// CurrentOrHere is [Current] for a caller whose context may lead nowhere, such as
// context.Background: it then looks for the fiber below by the goroutine. That costs about
// 3 ns for each scheduler in the process, and more where identities are costly, see
// package gid.
func CurrentOrHere(ctx context.Context) *Fiber {
	if f := Current(ctx); f != nil {
		return f
	}
	all := living.all.Load()
	if all == nil {
		return nil
	}
	for _, s := range *all {
		if f := s.Here(); f != nil {
			return f
		}
	}
	return nil
}
