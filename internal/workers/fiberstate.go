package workers

import "github.com/troupe-go/troupe/internal/invariants"

// The states of a fiber; see [Fiber].
const (
	fiberRunning uint32 = iota
	fiberNotified
	fiberSuspended

	fiberLifted uint32 = 1 << 2 // Critical work waits for the fiber's work.
)

// transitionFromSuspended begins a resume. It returns true if the fiber has to
// be queued, and leaves a permit if it is not suspended yet.
func (f *Fiber) transitionFromSuspended() bool {
	for {
		s := f.state.Load()
		lifted := s & fiberLifted
		switch s &^ fiberLifted {
		case fiberNotified:
			return false
		case fiberRunning:
			if f.state.CompareAndSwap(fiberRunning|lifted, fiberNotified|lifted) {
				return false
			}
		case fiberSuspended:
			if f.state.CompareAndSwap(fiberSuspended|lifted, fiberRunning|lifted) {
				return true
			}
		}
	}
}

// takePermit uses up the permit of a resume that came too early.
func (f *Fiber) takePermit() bool {
	if f.state.Load()&fiberNotified == 0 {
		return false
	}
	f.state.And(^fiberNotified)
	return true
}

// transitionToSuspended completes a suspension. It returns false if a resume
// was faster; its permit is then used up.
func (f *Fiber) transitionToSuspended() bool {
	if f.state.CompareAndSwap(fiberRunning, fiberSuspended) {
		return true
	}
	return f.transitionToSuspendedSlowly()
}

// transitionToSuspendedSlowly is the same for a fiber that was resumed or lifted meanwhile.
func (f *Fiber) transitionToSuspendedSlowly() bool {
	for {
		s := f.state.Load()
		if s&fiberNotified != 0 {
			f.state.And(^fiberNotified)
			return false
		}
		if invariants.Enabled {
			invariants.Check(s&fiberSuspended == 0, "fiber suspends in state %d", s)
		}
		if f.state.CompareAndSwap(s, s|fiberSuspended) {
			return true
		}
	}
}

// isSuspended reports whether the fiber's work waits.
func (f *Fiber) isSuspended() bool { return f.state.Load()&fiberSuspended != 0 }
