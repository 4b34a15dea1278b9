package entity

import (
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/kernel/standin"
)

// keeper is the parent of a kind's activations. It begins them again when they fail, and passivates them when they are idle.
//
// It looks at all of them from time to time, and so a message costs nothing for it: what counts is whether an
// activation has got a message since the last look. An activation is told to go at the first look that comes Idle after the last one at which it was not
// idle. Considered and dropped: a timer for each activation, as actor.ReceiveTimeout is, which costs each message 30 ns.
type keeper struct{ *roster }

// errand is a message to the keeper.
type errand struct {
	begun   actor.Reply[struct{}]
	sweep   bool
	restart uint64 // The PID of an activation whose back-off is over.
}

// Started implements [actor.Starter].
func (k *keeper) Started(ctx *actor.Context[errand]) error {
	k.at = ctx //troupe:ignore keptcontext: senders of this incarnation spawn activations as children of the keeper
	return nil
}

// Receive implements [actor.Actor].
func (k *keeper) Receive(ctx *actor.Context[errand], m errand) error {
	switch {
	case m.sweep:
		k.sweep()
	case m.restart != 0:
		k.restart(m.restart)
	default:
		return m.begun.Send(ctx, struct{}{})
	}
	return nil
}

// ChildStarted implements [actor.ChildStartedHandler].
func (k *keeper) ChildStarted(_ *actor.Context[errand], child actor.PID) error {
	k.mu.Lock()
	s := k.byNumber[child.Number()]
	var drains standin.Activation
	if s != nil {
		s.started, s.changed = true, time.Now()
		if s.asked && !s.leaving {
			s.leaving, drains = true, s.now
			k.live--
		}
	}
	k.mu.Unlock()
	if drains != nil {
		drains.Drain()
	}
	k.limit()
	return nil
}

// ChildExited implements [actor.Parent].
func (k *keeper) ChildExited(_ *actor.Context[errand], e actor.Exit) error {
	k.mu.Lock()
	s := k.byNumber[e.PID.Number()]
	if s == nil {
		k.mu.Unlock()
		return nil // A held one that was not needed, or whose seat has the next one already.
	}
	if !e.Held {
		id, leaving := s.id, s.leaving
		k.vacate(s)
		k.mu.Unlock()
		if e.Reason != nil && leaving { // Else it was held before, and told then.
			k.tell(id, e.Reason)
		}
		return nil
	}
	s.started = false
	a, now := s.now, time.Now()
	if e.Reason != nil {
		if now.Sub(s.failed) > inARow {
			s.failures = 0
		}
		s.failures++
		s.failed, s.retry, s.cause = now, now.Add(k.spec.wait(s.failures)), e.Reason
	}
	over := s.failures > k.spec.restarts && e.Reason != nil
	wait := s.retry.Sub(now)
	k.mu.Unlock()
	if e.Reason == nil {
		wait = 0
	} else {
		k.tell(s.id, e.Reason)
	}
	if k.spec.single && !k.host.stopping.Load() {
		over = false
	} else if a.CloseIfEmpty() {
		over = true
	}
	switch {
	case over:
		decided(k.at.Release(e.PID))
	case wait > 0:
		_, err := actor.SendAfter(k.at, wait, k.keeper, errand{restart: e.PID.Number()})
		return err
	default:
		k.restart(e.PID.Number())
	}
	return nil
}

// restart begins an activation that is held.
func (k *keeper) restart(number uint64) {
	k.mu.Lock()
	s := k.byNumber[number]
	if s != nil {
		s.begun = time.Now()
	}
	k.mu.Unlock()
	if s != nil {
		decided(k.at.Restart(actor.PIDFromNumber(number)))
	}
}

// decided is called with what a decision about a child has returned: somebody else may have stopped the child before.
func decided(error) {}

// tell tells the program of a failure.
func (k *keeper) tell(id string, reason error) {
	if k.spec.onFailure == nil {
		return
	}
	defer func() { _ = recover() }() // The function is the program's, and the keeper goes on.
	k.spec.onFailure(id, reason)
}

// errNotStarted is why an activation is killed.
var errNotStarted = errors.New("entity: the activation has not started in time")

// sweep looks at all activations.
func (k *keeper) sweep() {
	k.mu.Lock()
	k.armed = false
	k.mu.Unlock()
	for _, s := range k.all() {
		k.look(s)
	}
	k.limit()
	k.forget()
	k.arm()
}

// look passivates an activation that is idle, and kills one that does not start.
func (k *keeper) look(s *seat) {
	k.mu.Lock()
	a, now := s.now, time.Now()
	if a == nil || s.leaving || a.Ended() {
		k.mu.Unlock()
		return
	}
	if !s.started {
		late := k.spec.startLimit > 0 && now.Sub(s.begun) > k.spec.startLimit && now.After(s.retry)
		if late {
			s.begun = now
		}
		k.mu.Unlock()
		if late {
			k.tell(s.id, fmt.Errorf("%w: it has taken longer than %v", errNotStarted, k.spec.startLimit))
			decided(k.at.KillChild(actor.PIDFromNumber(a.Number())))
		}
		return
	}
	count, busy := a.Seen()
	if busy || count != s.count {
		s.count, s.changed = count, now
		k.line.remove(s)
		k.line.push(s)
	}
	idle := k.spec.idle > 0 && now.Sub(s.changed) >= k.spec.idle
	if idle {
		s.leaving = true
		k.live--
	}
	k.mu.Unlock()
	if idle {
		a.Drain()
	}
}

// forget lets go of failures that are long past.
func (k *keeper) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, s := range k.seats {
		if s.failures > 0 && time.Since(s.failed) > inARow {
			s.failures = 0
			if s.now == nil {
				delete(k.seats, id)
			}
		}
	}
}
