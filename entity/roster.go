package entity

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/kernel/standin"
)

// roster has the seats of one kind on one host: those with an activation, and those that have failed lately. Other seats
// are held by their stand-ins alone.
//
// # Protocol
//
// A sender that finds no activation spawns a held actor, and then installs it under mu. Of several that do so at once, one
// installs its own; the others release theirs, which have had no incarnation, and use that one. So nobody waits for
// somebody else's spawn, and there is one activation of an id at a time. No lock is held while package actor is
// called, but for latches: a simulation may interleave there.
//
// The keeper, an actor, is the parent of all activations, so it hears of their starts and ends. It is not on the way of
// messages.
type roster struct {
	host    *Host
	spec    *spec
	strange bool // The host does not have the kind.
	known   standin.Kind
	keeper  actor.Ref[errand]
	at      *actor.Context[errand] // The keeper's own. Not written after the start.

	mu       sync.Mutex
	seats    map[string]*seat
	byNumber map[uint64]*seat // By the PIDs of the activations.
	line     line             // The seats with an activation. The front had no message for longest, as far as is known.
	live     int              // How many of them are not about to end.
	armed    bool             // The keeper looks at them soon.
}

// Seat implements [standin.Seats].
func (r *roster) Seat(id string) standin.Seat { return r.seatOf(id) }

// seatOf returns the seat of an id that has an activation, or else a new one.
func (r *roster) seatOf(id string) *seat {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.seats[id]; s != nil {
		return s
	}
	return &seat{of: r, id: id}
}

// all returns the seats with an activation.
func (r *roster) all() (all []*seat) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for s := r.line.front; s != nil; s = s.next {
		all = append(all, s)
	}
	return all
}

// refuses returns why an id has no activation here, or nil.
func (r *roster) refuses(id string) error {
	h := r.host
	if err := checkID(id); err != nil {
		return err
	}
	if r.strange {
		return fmt.Errorf("%w: %q; give it to Start by Kinds", ErrNoKind, r.spec.name)
	}
	if h.stopping.Load() {
		return ErrHostStopped
	}
	if err := h.valid(); err != nil {
		return fmt.Errorf("entity: the node may not own %s %.40q: %w", r.spec.name, id, err)
	}
	switch at := h.owner.owns(r.spec.name, id); {
	case !at.known:
		return fmt.Errorf("entity: the node that owns %s %.40q is not known yet", r.spec.name, id)
	case at.node != "":
		return fmt.Errorf("entity: node %s owns %s %.40q", at.node, r.spec.name, id)
	}
	return nil
}

// install makes a, which is held, the activation of the seat. If the seat has another one, install returns that.
func (r *roster) install(s *seat, a standin.Activation) (other standin.Activation, wait time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.host.stopping.Load() {
		return nil, 0, ErrHostStopped
	}
	if s.now != nil {
		if !s.now.Ended() {
			return s.now, 0, nil
		}
		r.vacate(s)
	}
	now := time.Now()
	s.now, s.begun, s.changed, s.count = a, now, now, 0
	r.seats[s.id], r.byNumber[a.Number()] = s, s
	r.line.push(s)
	r.live++
	if s.failures > 0 {
		wait = max(0, s.retry.Sub(now))
	}
	return nil, wait, nil
}

// vacate takes the activation, which has ended, out. The caller holds mu.
func (r *roster) vacate(s *seat) {
	delete(r.byNumber, s.now.Number())
	r.line.remove(s)
	if !s.leaving {
		r.live--
	}
	s.now, s.started, s.leaving, s.asked = nil, false, false, false
	if s.failures == 0 {
		delete(r.seats, s.id)
	}
}

// arm has the keeper look at the activations soon, unless it does already.
func (r *roster) arm() {
	d := r.spec.every()
	r.mu.Lock()
	arms := !r.armed && d > 0 && (r.line.front != nil || len(r.seats) > 0)
	r.armed = r.armed || arms
	r.mu.Unlock()
	if arms {
		_, _ = actor.SendAfter(r.at, d, r.keeper, errand{sweep: true}) // It fails if the keeper ends.
	}
}

// limit passivates the oldest while there are too many activations. The first look at one may only tell its count.
func (r *roster) limit() {
	for old := r.oldest(); old != nil; old = r.oldest() {
		old.Drain()
	}
}

// oldest takes the seat that has had no message for longest, if there are too many activations, and says that it leaves.
func (r *roster) oldest() standin.Activation {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.spec.maxActive == 0 || r.live <= r.spec.maxActive {
		return nil
	}
	var first *seat
	for range min(2*r.live, maxLooks) {
		s := r.line.front
		r.line.remove(s)
		r.line.push(s)
		if !s.started || s.leaving {
			continue
		}
		count, busy := s.now.Seen()
		if !busy && count == s.count {
			first = s
			break
		}
		s.count = count
	}
	if first == nil {
		return nil // All are at work, or too young.
	}
	first.leaving = true
	r.live--
	return first.now
}

// maxLooks bounds how many activations are looked at for one that is idle. Picked out of thin air.
const maxLooks = 64

// close waits until the activations have ended, which were told to, and ends the keeper.
func (r *roster) close(ctx context.Context) error {
	var failed error
	for _, s := range r.all() {
		if err := s.await(ctx); err != nil && failed == nil {
			failed = fmt.Errorf("entity: stop %s %.40q: %w", r.spec.name, s.id, err)
		}
	}
	if context.Cause(ctx) != nil {
		for _, s := range r.all() {
			r.mu.Lock()
			a := s.now
			r.mu.Unlock()
			if a != nil {
				_ = r.at.KillChild(actor.PIDFromNumber(a.Number())) // It may have ended.
			}
		}
	}
	if err := r.keeper.Stop(ctx); err != nil && !errors.Is(err, actor.ErrStalePID) {
		failed = errors.Join(failed, err)
	}
	if r.known != nil {
		r.known.Ended(ErrHostStopped)
	}
	return failed
}

// line is a list of seats. It is in the seats, since an idle one is to be small.
type line struct{ front, back *seat }

func (l *line) push(s *seat) {
	s.prev, s.next = l.back, nil
	if l.back != nil {
		l.back.next = s
	} else {
		l.front = s
	}
	l.back = s
}

func (l *line) remove(s *seat) {
	if s.prev != nil {
		s.prev.next = s.next
	} else {
		l.front = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	} else {
		l.back = s.prev
	}
	s.prev, s.next = nil, nil
}
