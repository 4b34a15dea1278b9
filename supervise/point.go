package supervise

import (
	"slices"

	"github.com/troupe-go/troupe/actor"
)

// A handler that waits for a supervisor mostly waits for the start or the end of a
// child. If that child waits for the handler's actor in its turn, both would wait for
// ever. The actors find such rings, but not through a supervisor, which itself waits
// for nobody. So a supervisor says for each asker whose start or end the answer waits
// for now.
//
// The start of a nested supervisor is the start of its children, one after the other, and
// so is its stop. It tells the supervisor above which of them it is. A Dynamic supervisor
// stops all its children at once, and does not tell.

// waitsFor says for which actor the asker waits now. It returns false if the asker does
// not wait any more, which may be because of that.
func (a *asker) waitsFor(kind actor.WaitKind, id actor.PID) bool { return a.reply.WaitFor(kind, id) }

// pointAtStart points the callers that wait for the start of a child at the child, which is
// about to start.
func (sup *supervisorActor) pointAtStart(s *slot) {
	sup.pointAt(s, s.pid)
	if sup.isNested() && !sup.booted {
		sup.above(begins{sup.self, s.pid})
	}
}

// pointAt says that the start of a child is now the start of the given actor.
func (sup *supervisorActor) pointAt(s *slot, id actor.PID) {
	s.starts = id
	if s.starter != nil {
		s.starter.waitsFor(actor.StartWait, id)
	}
	if sup.sequence != nil && sup.sequence.at == s {
		sup.pointSequence(actor.StartWait, id)
	}
}

// pointAtStop says that the stop of a child is now the stop of the given actor.
func (sup *supervisorActor) pointAtStop(s *slot, id actor.PID) {
	s.stops = id
	for _, a := range s.stoppers {
		a.waitsFor(actor.StopWait, id)
	}
	if sup.sequence != nil && sup.sequence.at == s {
		sup.pointSequence(actor.StopWait, id)
	}
	if sup.isNested() && sup.ending && sup.cfg.Strategy != Dynamic {
		sup.above(ends{sup.self, id})
	}
}

// pointSequence points all who wait for the sequence at an actor.
func (sup *supervisorActor) pointSequence(kind actor.WaitKind, id actor.PID) {
	for _, a := range sup.booters {
		a.waitsFor(kind, id)
	}
	sup.queued = slices.DeleteFunc(sup.queued, func(s *slot) bool {
		waits := s.state == Down && s.starter != nil && s != sup.sequence.at
		if waits {
			s.starter.waitsFor(kind, id)
		}
		return !waits
	})
}

// pointAtSequence points one more asker at the child whose turn it is. It returns false if
// the asker does not wait any more.
func (sup *supervisorActor) pointAtSequence(a *asker) bool {
	if sup.sequence == nil || sup.sequence.at == nil {
		return true
	}
	switch at := sup.sequence.at; at.state {
	case Starting:
		return a.waitsFor(actor.StartWait, at.starts)
	case Stopping:
		return a.waitsFor(actor.StopWait, at.stops)
	default:
		return true
	}
}

// begins tells a supervisor that one below it is about to start an actor, and has not
// started before that has.
type begins struct{ supervisor, child actor.PID }

func (m begins) run(sup *supervisorActor, _ *actor.Context[command]) {
	s := sup.byPID[m.supervisor]
	if s == nil || s.state != Starting {
		return
	}
	sup.pointAt(s, m.child)
	if sup.isNested() && !sup.booted {
		sup.above(begins{sup.self, m.child})
	}
}

// ends tells a supervisor that one below it stops an actor, and has not stopped before that
// has.
type ends struct{ supervisor, child actor.PID }

func (m ends) run(sup *supervisorActor, _ *actor.Context[command]) {
	if s := sup.byPID[m.supervisor]; s != nil && s.state == Stopping {
		sup.pointAtStop(s, m.child)
	}
}
