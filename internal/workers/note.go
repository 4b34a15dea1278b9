package workers

import (
	"context"

	"github.com/troupe-go/troupe/internal/gid"
	"github.com/troupe-go/troupe/internal/sim"
	"github.com/troupe-go/troupe/internal/workers/roster"
)

// A note is what a layer above keeps with a fiber, so that it can tell from
// outside what goes on there, be it at work or waiting. So handlers are watched
// that take too long: nothing need be listed when one begins, since every fiber
// is listed already.

// Note returns what SetNote was last given. It must be called from the fiber's
// goroutine.
func (f *Fiber) Note() any {
	if f.rare == nil {
		return nil
	}
	return f.rare.note
}

// SetNote keeps a note with the fiber, for as long as that lives. It must be
// called from the fiber's goroutine, and costs a lock.
func (f *Fiber) SetNote(note any) {
	rare := f.rarely()
	f.s.fibers.Lock()
	rare.note = note
	f.s.fibers.Unlock()
}

// Notes calls visit with the note of each fiber that has one and is there all
// the time, and with the number of its goroutine; see [StackOf]. Visit is called
// while fibers can neither begin nor end, so it must be short. Calls of Notes
// exclude each other. It costs about 10 ns a fiber.
func (s *Scheduler) Notes(visit func(note any, goroutine uint64)) {
	s.fibers.Visit(func(f *Fiber) {
		if f.rare != nil && f.rare.note != nil {
			visit(f.rare.note, f.number())
		}
	})
}

// Here returns the fiber that the caller runs on, or nil if that is none of the
// scheduler's. It is [Current] for callers that have no context, or one that leads
// elsewhere. It costs about 3 ns.
func (s *Scheduler) Here() *Fiber {
	e := s.index.Of(uintptr(gid.Current()))
	if e == nil && s.sim != nil && sim.ComeBack() {
		e = s.index.Of(uintptr(gid.Current()))
	}
	return fiberOf(e)
}

// living has the schedulers of the process that have begun and not ended. It is how work
// finds its own scheduler when all it has is a context that leads nowhere.
var living roster.List[*Scheduler]

// CurrentOrHere is [Current] for a caller whose context may lead nowhere, such as
// context.Background: it then looks for the fiber by the goroutine. That costs about
// 3 ns for each scheduler in the process, and more where identities are costly, see
// package gid.
func CurrentOrHere(ctx context.Context) *Fiber {
	if f := Current(ctx); f != nil {
		return f
	}
	for _, s := range living.All() {
		if f := s.Here(); f != nil {
			return f
		}
	}
	return nil
}
