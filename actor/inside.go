package actor

import (
	"context"

	"github.com/troupe-go/troupe/sched"
)

// Inside reports whether the caller runs in a handler of the actor with the given
// PID, or of one below it: if it waited there for that actor's end, the two would
// wait for each other. It is for code that makes somebody else stop an actor, as a
// supervisor; [Ref.Stop] finds out for itself. The context may be any: with one
// that does not lead to a handler, Inside costs some ns for each handler that is
// under way.
func (s *System) Inside(ctx context.Context, id PID) bool {
	if s.missing() {
		return false
	}
	p := s.table.lookup(id)
	if p == nil {
		return false
	}
	f := sched.Current(orBackground(ctx))
	if f == nil && p.mayHoldUs() {
		f = s.scheduler.Here()
	}
	return current(f).hasAncestor(p)
}
