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
func (k *keeper) pointAtStart(s *slot) {
	k.pointAt(s, s.pid)
	if k.isNested() && !k.booted {
		k.above(begins{k.self, s.pid})
	}
}

// pointAt says that the start of a child is now the start of the given actor.
func (k *keeper) pointAt(s *slot, id actor.PID) {
	s.starts = id
	if s.starter != nil {
		s.starter.waitsFor(actor.StartWait, id)
	}
	if k.round != nil && k.round.at == s {
		k.pointRound(actor.StartWait, id)
	}
}

// pointAtStop says that the stop of a child is now the stop of the given actor.
func (k *keeper) pointAtStop(s *slot, id actor.PID) {
	s.stops = id
	for _, a := range s.stoppers {
		a.waitsFor(actor.StopWait, id)
	}
	if k.round != nil && k.round.at == s {
		k.pointRound(actor.StopWait, id)
	}
	if k.isNested() && k.ending && k.cfg.Strategy != Dynamic {
		k.above(ends{k.self, id})
	}
}

// pointRound points all who wait for the round at an actor.
func (k *keeper) pointRound(kind actor.WaitKind, id actor.PID) {
	for _, a := range k.booters {
		a.waitsFor(kind, id)
	}
	k.queued = slices.DeleteFunc(k.queued, func(s *slot) bool {
		waits := s.state == Down && s.starter != nil && s != k.round.at
		if waits {
			s.starter.waitsFor(kind, id)
		}
		return !waits
	})
}

// pointAtRound points one more asker at the child whose turn it is. It returns false if
// the asker does not wait any more.
func (k *keeper) pointAtRound(a *asker) bool {
	if k.round == nil || k.round.at == nil {
		return true
	}
	switch at := k.round.at; at.state {
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

func (m begins) run(k *keeper, _ *actor.Context[command]) {
	s := k.byPID[m.supervisor]
	if s == nil || s.state != Starting {
		return
	}
	k.pointAt(s, m.child)
	if k.isNested() && !k.booted {
		k.above(begins{k.self, m.child})
	}
}

// ends tells a supervisor that one below it stops an actor, and has not stopped before that
// has.
type ends struct{ supervisor, child actor.PID }

func (m ends) run(k *keeper, _ *actor.Context[command]) {
	if s := k.byPID[m.supervisor]; s != nil && s.state == Stopping {
		k.pointAtStop(s, m.child)
	}
}
