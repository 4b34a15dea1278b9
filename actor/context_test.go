package actor_test

import (
	"context"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

// inHandler runs f in a handler of a new actor and returns when it is done.
func inHandler(tb testing.TB, sys *actor.System, f func(*actor.Context[int])) actor.Ref[int] {
	tb.Helper()
	done := make(chan struct{})
	ref := spawn(tb, sys, func(c *actor.Context[int], _ int) error {
		defer close(done)
		f(c)
		return nil
	}, actor.WithName("handler"))
	ctx := guarded(tb)
	send(tb, ctx, ref, 1)
	receive(tb, ctx, done)
	return ref
}

func TestContextKnowsItsActor(t *testing.T) { simulated.Too(t, testContextKnowsItsActor) }

func testContextKnowsItsActor(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	var self actor.Ref[int]
	ref := inHandler(t, sys, func(c *actor.Context[int]) {
		self = c.Self()
		if c.PID() != self.PID() || c.Name() != "handler" || c.System() != sys {
			t.Errorf("the context says %v, %q, %p", c.PID(), c.Name(), c.System())
		}
		if deadline, ok := c.Deadline(); ok {
			t.Errorf("the context has the deadline %v", deadline)
		}
		if v := c.Value("no such key"); v != nil {
			t.Errorf("the context has the value %v", v)
		}
		if c.Err() != nil || context.Cause(c) != nil || c.Checkpoint() != nil {
			t.Errorf("the context has ended: %v", c.Err())
		}
	})
	if self != ref {
		t.Errorf("Self is %v, want %v", self, ref)
	}
}

func TestContextEndsWithItsActor(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var c, derived context.Context
	afterFunc := make(chan struct{})
	ref := inHandler(t, sys, func(own *actor.Context[int]) {
		c = own
		child, cancel := context.WithCancel(own)
		derived = child
		context.AfterFunc(child, func() { close(afterFunc); cancel() })
	})
	if c.Err() != nil || derived.Err() != nil {
		t.Fatal("the context has ended before its actor")
	}
	wantNoErr(t, ref.Stop(ctx))
	receive(t, ctx, c.Done())
	receive(t, ctx, afterFunc)
	wantErr(t, c.Err(), context.Canceled)
	wantErr(t, context.Cause(c), actor.ErrStopped)
	wantErr(t, context.Cause(derived), actor.ErrStopped)
}

// A stop that would not wait ends whatever a handler waits for with its
// context, also with a derived one.
func TestForcedStopEndsWaits(t *testing.T) {
	type waits func(sys *actor.System, c *actor.Context[int], full actor.Ref[int], silent actor.Ref[question]) error
	ways := map[string]waits{
		"done": func(_ *actor.System, c *actor.Context[int], _ actor.Ref[int], _ actor.Ref[question]) error {
			<-c.Done()
			return context.Cause(c)
		},
		"checkpoint": func(_ *actor.System, c *actor.Context[int], _ actor.Ref[int], _ actor.Ref[question]) error {
			for {
				if err := c.Checkpoint(); err != nil {
					return err
				}
			}
		},
		"send": func(_ *actor.System, c *actor.Context[int], full actor.Ref[int], _ actor.Ref[question]) error {
			return full.Send(c, 1)
		},
		"ask": func(_ *actor.System, c *actor.Context[int], _ actor.Ref[int], silent actor.Ref[question]) error {
			_, err := actor.Ask(c, silent, asking(1))
			return err
		},
		"ask with a derived context": func(_ *actor.System, c *actor.Context[int], _ actor.Ref[int], silent actor.Ref[question]) error {
			child, cancel := context.WithCancel(c)
			defer cancel()
			_, err := actor.Ask(child, silent, asking(1))
			return err
		},
		"ask on a goroutine": func(_ *actor.System, c *actor.Context[int], _ actor.Ref[int], silent actor.Ref[question]) error {
			failed := make(chan error)
			go func() {
				_, err := actor.Ask(c, silent, asking(1))
				failed <- err
			}()
			return <-failed
		},
		"stop": func(_ *actor.System, c *actor.Context[int], full actor.Ref[int], _ actor.Ref[question]) error {
			return full.Stop(c)
		},
	}
	for name, wait := range ways {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			g := newGate()
			full := spawnActor(t, sys, actor.Actor[int](g), actor.WithCapacity(actor.Data, 1))
			g.hold(t, ctx, full)
			defer close(g.open)
			send(t, ctx, full, 1)
			silent := spawn(t, sys, func(*actor.Context[question], question) error { return nil })
			entered, result := make(chan struct{}), make(chan error, 1)
			ref := spawn(t, sys, func(c *actor.Context[int], _ int) error {
				close(entered)
				result <- wait(sys, c, full, silent)
				return nil
			})
			send(t, ctx, ref, 1)
			receive(t, ctx, entered)
			wantErr(t, ref.Stop(ended()), context.Canceled)
			wantErr(t, receive(t, ctx, result), actor.ErrForced)
			wantNoErr(t, ref.Stop(ctx))
		})
	}
}

// An actor that waits with another's context gets to know its end, wherever
// that other one runs meanwhile.
func TestContextOfAnotherActor(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 1})
	silent := spawn(t, sys, func(*actor.Context[question], question) error { return nil })
	result, entered := make(chan error, 1), make(chan struct{})
	borrower := spawn(t, sys, func(_ *actor.Context[context.Context], c context.Context) error {
		_, err := actor.Ask(c, silent, asking(1))
		result <- err
		return nil
	})
	lender := spawn(t, sys, func(c *actor.Context[int], m int) error {
		if m == 1 {
			if err := c.Self().Send(c, 2); err != nil {
				return err
			}
			return borrower.Send(c, c)
		}
		close(entered)
		<-c.Done()
		return nil
	}, actor.WithThroughput(1))
	send(t, ctx, lender, 1)
	receive(t, ctx, entered)
	until(t, ctx, func() bool { return actor.Idle(silent) })
	wantErr(t, lender.Stop(ended()), context.Canceled)
	wantErr(t, receive(t, ctx, result), actor.ErrForced)
}

// A context may be used by goroutines that outlive the handler; on them it is
// an ordinary one. The race detector watches.
func TestContextOnGoroutinesThatStay(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 2})
	successor := spawn(t, sys, answer)
	var all sync.WaitGroup
	var answered sync.Map
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		if m == 0 {
			return nil
		}
		all.Go(func() {
			for range 20 {
				v, err := actor.Ask(c, successor, asking(m))
				if err != nil {
					return // The actor has stopped.
				}
				answered.Store(m, v)
				_ = c.Checkpoint()
				_ = c.Self().TrySend(c, 0)
				_, _ = c.Err(), c.Value(0)
			}
			<-c.Done()
		})
		_, err := actor.Ask(c, successor, asking(m))
		return err
	})
	for i := 1; i <= 50; i++ {
		send(t, ctx, ref, i)
	}
	until(t, ctx, func() bool { _, ok := answered.Load(50); return ok })
	wantNoErr(t, ref.Drain(ctx))
	all.Wait()
	answered.Range(func(m, v any) bool {
		if v != m.(int)+1 {
			t.Errorf("the answer to %v is %v", m, v)
		}
		return true
	})
}

func TestStopByContext(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		if m == 1 {
			c.Stop()
			c.Stop()
		}
		return g.Receive(c, m)
	})
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2, 3)
	close(g.open)
	until(t, ctx, func() bool { return sys.Stats().Actors == 0 })
	if n := len(g.seen); n != 1 {
		t.Errorf("%d messages were handled, want 1", n)
	}
	if n := sys.Stats().DeadLetters; n != 2 {
		t.Errorf("%d messages are dead letters, want 2", n)
	}
}
