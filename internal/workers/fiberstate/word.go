// Package fiberstate has the state of a fiber in one atomic word: whether its work runs or
// waits, whether a resume came too early, and whether critical work waits for it.
//
//	var w fiberstate.Word
//	if !w.TakePermit() && w.TransitionToSuspended() {
//		... // The work waits until somebody's TransitionFromSuspended returns true.
//	}
//
// It knows nothing of fibers and workers.
package fiberstate

import (
	_ "sync/atomic" // Without it, the compiler does not inline the methods of the atomics in xatomic, but calls them.

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Word is the state of one fiber.
//
// # Protocol
//
//	running --resume--> notified --suspension--> running
//	running --suspension--> suspended --resume--> running (and queued)
//
// A resume may come before the suspension is complete, even before it has begun. So the
// state is left by compare-and-swap only. A resume that comes too early leaves a permit,
// which makes the next suspension return at once.
//
// The mark beside the state says that critical work waits for the work on the fiber.
type Word struct{ word xatomic.Uint32 }

const (
	running uint32 = iota
	notified
	suspended

	lifted uint32 = 1 << 2
)

// TransitionFromSuspended begins a resume. It returns true if the fiber has to
// be queued, and leaves a permit if it is not suspended yet.
func (w *Word) TransitionFromSuspended() bool {
	for {
		s := w.word.Load()
		mark := s & lifted
		switch s &^ lifted {
		case notified:
			return false
		case running:
			if w.word.CompareAndSwap(running|mark, notified|mark) {
				return false
			}
		case suspended:
			if w.word.CompareAndSwap(suspended|mark, running|mark) {
				return true
			}
		}
	}
}

// TakePermit uses up the permit of a resume that came too early.
func (w *Word) TakePermit() bool {
	if w.word.Load()&notified == 0 {
		return false
	}
	w.word.And(^notified)
	return true
}

// TransitionToSuspended completes a suspension. It returns false if a resume
// was faster; its permit is then used up.
func (w *Word) TransitionToSuspended() bool {
	if w.word.CompareAndSwap(running, suspended) {
		return true
	}
	return w.transitionToSuspendedSlowly()
}

// transitionToSuspendedSlowly is the same for a fiber that was resumed or lifted meanwhile.
func (w *Word) transitionToSuspendedSlowly() bool {
	for {
		s := w.word.Load()
		if s&notified != 0 {
			w.word.And(^notified)
			return false
		}
		if invariants.Enabled {
			invariants.Check(s&suspended == 0, "fiber suspends in state %d", s)
		}
		if w.word.CompareAndSwap(s, s|suspended) {
			return true
		}
	}
}

// IsSuspended reports whether the fiber's work waits.
func (w *Word) IsSuspended() bool { return w.word.Load()&suspended != 0 }

// IsLifted reports whether critical work waits for the work on the fiber.
func (w *Word) IsLifted() bool { return w.word.Load()&lifted != 0 }

// Lift sets the mark that critical work waits, or takes it off.
func (w *Word) Lift(is bool) {
	if is {
		w.word.Or(lifted)
	} else {
		w.word.And(^lifted)
	}
}
