package actor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// StopWithin is [Ref.Stop] with a limit for patience: when d has passed, the
// actor and all that are below it are killed, as by [Ref.Kill], and StopWithin
// returns when they have ended, children before their parents. That does not wait
// for handlers that don't return. The error then wraps [ErrForced].
// It names the actors whose handlers had not returned by then, if there are any.
//
// Ctx is for the caller: when it ends, StopWithin behaves as Stop does. A d of 0
// kills at once; a negative one is an error.
func (r Ref[M]) StopWithin(ctx context.Context, d time.Duration) error {
	if r.cell == nil {
		return ErrNoRef
	}
	if d < 0 {
		return fmt.Errorf("actor: stop of %s within %v; the time must not be negative", r, d)
	}
	ctx = orBackground(ctx)
	p := &r.cell.proc
	over, err := within(ctx, d, func(ctx context.Context) error { return p.shutdown(ctx, sysStop) })
	if !over {
		return err
	}
	killed := p.killDown(nil)
	if err := p.await(ctx); err != nil {
		return err
	}
	return forcedError(p.String(), d, killed)
}

// StopWithin is [System.Stop] with a limit for patience, as [Ref.StopWithin] has
// it for an actor: when d has passed, all actors that are left are killed. It
// returns when they have ended, and the scheduler has stopped; but a handler that
// does not return keeps that from stopping, so for it StopWithin waits no longer
// than 100 ms. The handler goes on as a ghost; see [Stats].
func (s *System) StopWithin(ctx context.Context, d time.Duration) error {
	if s.missing() {
		return ErrNoSystem
	}
	if d < 0 {
		return fmt.Errorf("actor: stop of the system within %v; the time must not be negative", d)
	}
	ctx = orBackground(ctx)
	over, err := within(ctx, d, s.Stop)
	if !over {
		return err
	}
	var killed []string
	s.root.mu.Lock()
	top := s.root.childrenLocked()
	s.root.mu.Unlock()
	for _, p := range top {
		killed = p.killDown(killed)
	}
	select {
	case <-s.empty:
	case <-ctx.Done():
		return s.force(ctx)
	}
	ghosts := s.ghosts.Load() // Before the wait: the last may return just as that gives up.
	if _, err := within(ctx, ghostPatience, s.Stop); err != nil && ghosts == 0 {
		return err
	}
	return forcedError("the system", d, killed)
}

// ghostPatience is how long a stop waits for handlers that were killed: those
// that look at their context need less. Picked out of thin air.
const ghostPatience = 100 * time.Millisecond

// errPatience is the cause of a context that ended because a stop took too long.
var errPatience = errors.New("actor: the time for the stop is over")

// within calls stop with a context that ends when d has passed. It reports
// whether that was why the stop was given up.
func within(ctx context.Context, d time.Duration, stop func(context.Context) error) (over bool, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, d, errPatience)
	defer cancel()
	err = stop(limited)
	return errors.Is(err, errPatience), err
}

// killDown is killAll, and adds the names of the actors whose code was running to busy.
func (p *proc) killDown(busy []string) []string {
	if p.mu.Load()&inCode != 0 {
		busy = append(busy, p.String())
	}
	_ = p.kill() // It is an actor of the system, or waited for.
	p.mu.Lock()
	children := p.childrenLocked()
	p.mu.Unlock()
	for _, c := range children {
		busy = c.killDown(busy)
	}
	return busy
}

// maxForced is how many names an error has.
const maxForced = 10

func forcedError(what string, d time.Duration, busy []string) error {
	if len(busy) == 0 {
		return fmt.Errorf("stop of %s, which took longer than %v: %w", what, d, ErrForced)
	}
	n := len(busy)
	if n > maxForced {
		busy = append(busy[:maxForced:maxForced], "...")
	}
	return fmt.Errorf("stop of %s, for which %d handlers took longer than %v (%s): %w", what, n, d, strings.Join(busy, ", "), ErrForced)
}
