package actor

import "github.com/troupe-go/troupe/internal/kernel/waits"

// findRing returns the edges that lead from the first one back to where it
// begins, or nil. The caller holds graph.
func findRing(first edge) []edge { return waits.FindRing(first) }

// The answers of an actor and of its waits to a search are methods that only package
// waits calls.

// Branches reports whether several handlers of p may wait at the same time.
func (p *proc) Branches() bool { return p.reentrancy != NoReentrancy }

// Rule says how p's handlers that wait hold up a message in its lanes. An actor that is not
// reentrant, or reentrant in a call chain, has to see all of its handlers that wait return. A fully
// reentrant one goes on if it has room for one more, and else when any of them does. The
// same holds for one with readers, as long as no write waits for them.
func (p *proc) Rule(waiting int) waits.Rule {
	switch p.reentrancy {
	case FullReentrancy:
	case sharedReads:
		p.mu.Lock()
		t := p.turnsLocked()
		free := t != nil && len(t.away) > 0 && !t.writer
		p.mu.Unlock()
		if !free {
			return waits.AnyStuck
		}
	default:
		return waits.AnyStuck
	}
	if p.isCrowded(waiting) {
		return waits.AllStuck
	}
	return waits.NoneStuck
}

// Wait returns the wait and its round.
func (e edge) Wait() (s *asking, round uint64) { return e.wait, e.round }

// From returns the actor that waits.
func (e edge) From() *proc { return e.from }

// To returns the actor that has to act.
func (e edge) To() *proc { return e.to }

// IsCurrent reports whether the wait is still as it was.
func (e edge) IsCurrent() bool {
	now, ok := e.wait.edge(e.from, e.round)
	return ok && now == e
}

// ForMessage reports whether a message has to be handled for the wait to end.
func (e edge) ForMessage() bool { return e.kind != StopWait && e.kind != StartWait }

// HandledIn reports whether the message of the ask e is being handled by the
// handler that waits in n. It is known by the ask that it was handling when it began to wait.
func (e edge) HandledIn(n edge) bool {
	return e.kind == AskWait && e.wait != nil && n.up == address{e.wait, e.round}
}

// LetIn reports whether the message was let in to a call chain.
func (e edge) LetIn() bool { return e.chained }

// IsOneOfSeveral reports whether the handler waits for a gathering.
func (e edge) IsOneOfSeveral() bool { return e.group != nil }

// SameHandler reports whether both belong to one gathering.
func (e edge) SameHandler(other edge) bool { return e.group != nil && e.group == other.group }

// Spare returns how many asks of a gathering that does not wait for all may be stuck.
func (e edge) Spare() (n int, ok bool) {
	if e.group == nil || e.group.all {
		return 0, false
	}
	return e.group.undecided() - int(e.need), true
}

// matters reports whether an ask of a gathering may be stuck, for a search that begins at first. Most are not: the
// actor that was asked does not wait, which one look shows.
func (s *asking) matters(first *edge, target *proc) bool {
	return s == first.wait || s.isOpen(onlyRound) && (s.moves.Load() != 0 || target == first.from || target.mayWait(nil))
}
