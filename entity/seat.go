package entity

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/kernel/standin"
)

// seat is one virtual actor. It implements [standin.Seat].
type seat struct {
	of *roster
	id string

	// The rest is guarded by the roster's mu.

	now        standin.Activation // Nil if there is none. It may have ended.
	prev, next *seat              // In the roster's line.
	begun      time.Time          // When the incarnation began.
	changed    time.Time          // When it was last seen to have had a message.
	count      uint64             // As it was seen then.
	started    bool               // Its Started hook has returned.
	leaving    bool               // It drains.
	asked      bool               // It is to drain when it has started: before, a drain would lose what waits.

	failures int       // In a row.
	failed   time.Time // When it failed last.
	retry    time.Time // When it may begin again.
	cause    error     // Of the last failure.
}

// ID implements [standin.Seat].
func (s *seat) ID() string { return s.id }

// Find implements [standin.Seat].
func (s *seat) Find(context.Context) (standin.Activation, error) { return s.find() }

// present returns the activation that is there, or why there must not be one, or neither.
func (s *seat) present() (standin.Activation, error) {
	r := s.of
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.now != nil && !s.now.Ended() {
		return s.now, nil
	}
	if s.failures > r.spec.restarts && !r.spec.single && time.Now().Before(s.retry) {
		return nil, &ActivationError{Kind: r.spec.name, ID: s.id, Failures: s.failures, Retry: s.retry, Cause: s.cause}
	}
	return nil, nil
}

// find returns the activation, which may be closed. It begins one if there is none.
func (s *seat) find() (standin.Activation, error) {
	r := s.of
	if err := r.refuses(s.id); err != nil {
		return nil, err
	}
	if a, err := s.present(); a != nil || err != nil {
		return a, err
	}
	a, err := r.spec.spawn(r.at, s.id)
	if err != nil {
		return nil, err
	}
	id := actor.PIDFromNumber(a.Number())
	other, wait, err := r.install(s, a)
	if other != nil || err != nil {
		_ = r.at.Release(id) // It fails if the keeper ends, and then so does the actor.
		return other, err
	}
	if wait > 0 {
		_, err = actor.SendAfter(r.at, wait, r.keeper, errand{restart: a.Number()})
	} else {
		err = r.at.Restart(id)
	}
	if err != nil {
		return nil, err
	}
	r.arm()
	r.limit()
	return a, nil
}

// begin returns an activation that takes messages.
func (s *seat) begin(ctx context.Context) (standin.Activation, error) {
	for {
		a, err := s.find()
		if err != nil {
			return nil, err
		}
		s.of.mu.Lock()
		leaving := s.now == a && s.leaving
		s.of.mu.Unlock()
		if !leaving {
			return a, nil
		}
		if err := a.Await(ctx); err != nil {
			return nil, err
		}
	}
}

// leave has the activation drain, now or when it has started, and returns it. It is nil if there is none.
func (s *seat) leave() standin.Activation {
	r := s.of
	r.mu.Lock()
	a, drains := s.now, false
	switch {
	case a == nil || a.Ended():
		a = nil
	case !s.started:
		s.asked = true
	case !s.leaving:
		s.leaving, drains = true, true
		r.live--
	}
	r.mu.Unlock()
	if drains {
		a.Drain()
	}
	return a
}

// passivate is leave, and waits for the end.
func (s *seat) passivate(ctx context.Context) error {
	a := s.leave()
	if a == nil {
		return nil
	}
	if err := a.Await(ctx); err != nil {
		return err
	}
	return a.Err()
}

// await waits for the end of the activation, if there is one.
func (s *seat) await(ctx context.Context) error {
	s.of.mu.Lock()
	a := s.now
	s.of.mu.Unlock()
	if a == nil {
		return nil
	}
	return a.Await(ctx)
}

// Order implements [standin.Seat].
func (s *seat) Order(ctx context.Context, o standin.Order) error {
	if err := checkID(s.id); err != nil {
		return err
	}
	if o == standin.Drain {
		return s.passivate(ctx)
	}
	s.of.mu.Lock()
	a := s.now
	s.of.mu.Unlock()
	if a == nil || a.Ended() {
		return nil
	}
	return a.Obey(ctx, o)
}
