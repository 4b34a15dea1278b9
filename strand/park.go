package strand

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// The states of parking. Park and Unpark change it by swaps:
//
//	idle --Park--> parked --Unpark--> idle
//	idle --Unpark--> permitted --Park--> idle
const (
	idle uint32 = iota
	permitted
	parked
)

// Yield lets the strands and other work that are queued with the strand's
// priority, or a more urgent one, run before it goes on: equals take turns, first
// in, first out. With nothing queued it costs about 10 ns.
func (s *Strand) Yield() {
	if s != nil {
		workers.YieldBody(s)
	}
}

// Checkpoint is for loops that neither wait nor use channels. It lets critical
// work go first, counts one reduction, and yields when Config.Reductions of them,
// 4,000 by default, are spent. It returns why the strand's context has ended, if
// it has. A tight loop uses [Strand.Budget], which costs less.
func (s *Strand) Checkpoint() error {
	f := s.running()
	if f == nil {
		return ErrNotRunning
	}
	f.Checkpoint()
	if s.Err() != nil {
		return cause(s)
	}
	return nil
}

// Budget returns what a tight loop spends its reductions from, about 1 ns each;
// see [sched.Budget].
func (s *Strand) Budget() sched.Budget { return sched.NewBudget(s) }

// Park waits until Unpark is called, and returns nil; at once if it was called
// since the last Park. If the strand's context ends first, Park returns the
// cause.
func (s *Strand) Park() error {
	f := s.running()
	if f == nil {
		return ErrNotRunning
	}
	if !s.parking.CompareAndSwap(idle, parked) {
		s.parking.Store(idle)
		return nil
	}
	f.Explain(func() string { return "to be unparked" })
	for s.parking.Load() == parked {
		if s.Err() != nil && s.parking.CompareAndSwap(parked, idle) {
			return cause(s)
		}
		f.Suspend()
	}
	return nil
}

// Unpark ends the strand's Park, or, if it is in none, the next one; twice counts
// once. It may be called from anywhere, also before the strand has begun. With
// the context of a strand or job it is queued on the caller's worker, with any
// other for all workers.
func (s *Strand) Unpark(ctx context.Context) {
	if s == nil {
		return
	}
	for {
		switch was := s.parking.Load(); was {
		case permitted:
			return
		case parked:
			if s.parking.CompareAndSwap(parked, idle) {
				workers.FiberOf(s).Resume(workers.Current(ctx), workers.Low)
				return
			}
		default:
			if s.parking.CompareAndSwap(was, permitted) {
				return
			}
		}
	}
}

// Sleep waits for d. If the strand's context ends first, it returns the cause. In
// a simulation the time is virtual. It allocates nothing.
func (s *Strand) Sleep(d time.Duration) error {
	f := s.running()
	switch {
	case f == nil:
		return ErrNotRunning
	case s.Err() != nil:
		return cause(s)
	case d <= 0:
		return nil
	}
	f.Explain(func() string { return "for " + d.String() })
	until := time.Now().Add(d)
	f.SetAlarm(until)
	defer f.StopAlarm()
	for time.Now().Before(until) {
		f.Suspend() // The end of the strand resumes it, too; see Do.
		if s.Err() != nil {
			return cause(s)
		}
	}
	return nil
}
