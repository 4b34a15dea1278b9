package actor

import "fmt"

// An actor is suspended by a system message: so that happens in order with its
// starts and stops, between two of its messages, and by its running activation,
// which alone writes the bit of the state word. From then on announcements of
// lanes don't queue the actor, as with one that is held by its parent, and an
// activation that comes for system messages leaves the lanes alone. Resuming it
// is another system message, whose activation finds what was announced.

// Suspend makes the actor with the given PID handle no messages, of whatever
// lane, from the end of the present one on, until [System.Resume] is called: to
// look at it, or to keep it from doing harm, while somebody finds out why. Its
// mailbox goes on taking messages until it is full, with all that follows for
// senders. Suspend does not wait; see [Info].State for when it has happened.
//
// All else goes on. A suspended actor can be stopped, killed and restarted,
// which does not resume it; it decides about its children and can be woken, see
// [Wakeful], so that a suspended supervisor still supervises; it answers checkups, and takes part in the end of
// its system. One that drains ends when it has been resumed, or at once if it has
// no messages. Handlers that wait, in a reentrant actor for example, return, and messages
// of their call chains are let in. The body of a [Process] runs on, and
// gets nothing new.
//
// It returns [ErrStalePID] if the actor has stopped. Suspending an actor that
// is suspended does nothing: there is no count.
func (s *System) Suspend(id PID) error { return s.postTo(id, "suspend", sysMessage{kind: sysSuspend}) }

// Resume ends what [System.Suspend] has begun. The actor goes on with the
// messages that have come meanwhile, in order. It returns [ErrStalePID] if the
// actor has stopped, and does nothing to one that is not suspended.
func (s *System) Resume(id PID) error { return s.postTo(id, "resume", sysMessage{kind: sysResume}) }

func (s *System) postTo(id PID, what string, m sysMessage) error {
	if s.missing() {
		return ErrNoSystem
	}
	p := s.lookup(id)
	if p == nil {
		return fmt.Errorf("%s %s: %w", what, id, ErrStalePID)
	}
	if p.isStandIn() {
		return p.elsewhere(what)
	}
	p.post(nil, m)
	return nil
}

func (a *activation) suspend() {
	a.paused = true
	a.mu.Or(paused)
}

func (a *activation) resume() {
	a.paused = false
	a.mu.And(^paused)
}

// drained reports whether the actor drains and has no messages left.
func (a *activation) drained() bool {
	if a.phase.Load() != draining {
		return false
	}
	a.todo &^= pendingLanes
	a.findMessages()
	return a.todo == 0
}
