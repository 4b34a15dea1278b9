package actor_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/simtest"
)

// The last handler goes on with the end of its incarnation. It may also be the last handler
// that its actor could run before others have their turn.
func TestEndAfterTheLastHandler(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 100}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		mute := spawn(s, sys, func(*actor.Context[question], question) error { return nil })
		ref := spawn(s, sys, func(c *actor.Context[int], m int) error {
			if m == 1 {
				return errHook
			}
			_, _ = actor.Ask(c, mute, asking(1))
			return nil
		}, actor.WithReentrancy(actor.FullReentrancy), actor.WithThroughput(1))
		send(s, s.Context(), ref, 0, 0, 1)
		s.Advance(time.Second)
		wantErr(s, ref.Err(), errHook)
	})
}

// A handler that waits when its incarnation is killed leaves the lane alone when it
// goes on: the next incarnation is at it. The race detector watches.
func TestStrayHandlersLeaveTheLaneAlone(t *testing.T) {
	for name, fails := range map[string]error{"returns": nil, "fails": errHook} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			observe(t, sys, actor.Probe{SampleEvery: 2, Handled: func(actor.Sample) {}})
			o := newAnswerer(t, sys)
			_, child := restarting(t, sys, func() actor.Actor[int] {
				return actor.Func(func(c *actor.Context[int], m int) error {
					if m == 1 {
						_, err := o.ask(c, m)
						wantErr(t, err, actor.ErrKilled)
						return fails
					}
					return nil
				})
			}, restart, actor.WithReentrancy(actor.FullReentrancy), actor.WithRetry(1))
			for range 100 {
				send(t, ctx, child, 1)
				o.next(t, ctx)
				suspendedIn(t, ctx, child, 1)
				wantNoErr(t, child.Kill())
				send(t, ctx, child, slices.Repeat([]int{2}, 100)...)
				until(t, ctx, func() bool { return sys.Stats().Ghosts == 0 })
			}
		})
	}
}

// TestTurnsAreFirstComeFirstServed wakes handlers while another one runs.
func TestTurnsAreFirstComeFirstServed(t *testing.T) {
	const n = 5
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o, g := newAnswerer(t, sys), newGate()
	var order []int
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		if m == 0 {
			return g.Receive(c, m)
		}
		if m <= n {
			if _, err := o.ask(c, m); err != nil {
				return err
			}
		}
		order = append(order, m)
		return nil
	}, actor.WithReentrancy(actor.FullReentrancy))
	var asked [n]question
	for i := range n {
		send(t, ctx, ref, i+1)
		asked[i] = o.next(t, ctx)
	}
	suspendedIn(t, ctx, ref, n)
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 100)
	for i, at := range []int{2, 0, 4, 1, 3} {
		wantNoErr(t, asked[at].reply.Send(ctx, 0))
		until(t, ctx, func() bool { return actor.Returning(ref) == i+1 })
	}
	close(g.open)
	wantNoErr(t, ref.Drain(ctx))
	if want := []int{3, 1, 5, 2, 4, 100}; !slices.Equal(order, want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
}

// A reentrant actor is killed while a handler of it waits, and more messages come. Neither the
// old activation nor its ghosts write to the new incarnation's memory: the race detector would
// report it.
func TestGhostsAndLateActivations(t *testing.T) {
	lane.Short(t)
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 3})
	echo := spawn(t, sys, answer)
	_, child := restarting(t, sys, func() actor.Actor[int] {
		return actor.Func(func(c *actor.Context[int], m int) error {
			if m%2 == 0 {
				_, _ = actor.Ask(c, echo, asking(m)) // It fails where the actor is killed.
			}
			return nil
		})
	}, restart, actor.WithReentrancy(actor.FullReentrancy))
	for i := range 6000 {
		send(t, ctx, child, 0, 1, 2)
		for range i % 4 {
			runtime.Gosched()
		}
		wantNoErr(t, child.Kill())
	}
	wantNoErr(t, sys.Stop(ctx))
}
