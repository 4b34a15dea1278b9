package actor

import "context"

// Inside reports whether the caller runs in a handler of the actor with the given
// PID, or of one below it: if it waited there for that actor's end, the two would
// wait for each other. It is for code that makes somebody else stop an actor, as a
// supervisor; [Ref.Stop] finds out for itself. The context may be any.
func (s *System) Inside(ctx context.Context, id PID) bool {
	if s.missing() {
		return false
	}
	p := s.lookup(id)
	if p == nil {
		return false
	}
	f, _ := s.caller(orBackground(ctx))
	return current(f).hasAncestor(p)
}
