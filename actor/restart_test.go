package actor_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

// restarting spawns a child that can be restarted, under a parent that decides
// with the given function.
func restarting[M any](tb testing.TB, sys *actor.System, newActor func() actor.Actor[M], decide func(*actor.Context[int], actor.Exit) error, opts ...actor.Option) (parent actor.Ref[int], child actor.Ref[M]) {
	tb.Helper()
	children := make(chan actor.Ref[M], 1)
	parent = spawnActor(tb, sys, actor.Actor[int](&keeping[int]{hooks[int]{
		started: func(c *actor.Context[int]) error {
			ref, err := actor.SpawnNew(c, newActor, append(opts, actor.WithName("child"))...)
			children <- ref
			return err
		},
		exited: decide,
	}}))
	return parent, receive(tb, guarded(tb), children)
}

func restart(c *actor.Context[int], e actor.Exit) error {
	if !e.Held {
		return nil
	}
	return c.Restart(e.PID)
}

// A restart keeps ref, PID and messages, in their order, and replaces the state.
// The message in which the actor failed is not handled again.
func TestRestartKeepsThePlace(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			g := newGate()
			var d eventLog
			incarnation := 0
			_, child := restarting(t, sys, func() actor.Actor[int] {
				incarnation++
				me := incarnation
				a := noted(&d)
				a.receive = func(c *actor.Context[int], m int) error {
					d.note("%d:%d", me, m)
					if m < 0 {
						return f.fail()
					}
					return g.Receive(c, m)
				}
				a.stopped = func(*actor.Context[int], error) { d.note("stopped") }
				return a
			}, restart)
			id := child.PID()
			g.hold(t, ctx, child)
			send(t, ctx, child, 1, -2, 3, -4, 5)
			close(g.open)
			wantNoErr(t, child.Send(ctx, 6))
			for range 4 { // 1, 3, 5 and 6.
				receive(t, ctx, g.seen)
			}
			if child.PID() != id {
				t.Errorf("the PID %v became %v", id, child.PID())
			}
			wantNoErr(t, child.Drain(ctx))
			d.want(t, "started", "1:0", "1:1", "1:-2", "stopped", "started", "2:3", "2:-4", "stopped", "started", "3:5", "3:6", "stopped")
		})
	}
}

func TestHeldActorKeepsItsMessages(t *testing.T) { simulated.Too(t, testHeldActorKeepsItsMessages) }

func testHeldActorKeepsItsMessages(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	exits := make(chan actor.Exit, 1)
	handled := make(chan int, 10)
	parent, child := restarting(t, sys, func() actor.Actor[int] {
		return actor.Func(func(_ *actor.Context[int], m int) error {
			if m == 0 {
				return errHook
			}
			handled <- m
			return nil
		})
	}, func(_ *actor.Context[int], e actor.Exit) error { exits <- e; return nil })
	send(t, ctx, child, 0, 1)
	e := receive(t, ctx, exits)
	if want := (actor.Exit{PID: child.PID(), Name: "child", Reason: errHook, Held: true}); e != want {
		t.Fatalf("the parent was told %+v, want %+v", e, want)
	}
	send(t, ctx, child, 2)
	send(t, ctx, child.On(actor.Control), 3)
	until(t, ctx, func() bool { return actor.Quiet(child) })
	wantNoErr(t, child.Stop(ctx))
	if n := len(handled); n != 0 {
		t.Errorf("%d messages were handled by an actor that is held", n)
	}
	if e := receive(t, ctx, exits); e != (actor.Exit{PID: child.PID(), Name: "child"}) {
		t.Errorf("the parent was told %+v", e)
	}
	if n := sys.Stats().DeadLetters; n != 3 {
		t.Errorf("%d dead letters, want 3", n)
	}
	wantNoErr(t, parent.Stop(ctx))
}

func TestReleasedActorStops(t *testing.T) { simulated.Too(t, testReleasedActorStops) }

func testReleasedActorStops(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	exits := make(chan actor.Exit, 2)
	_, child := restarting(t, sys, func() actor.Actor[int] {
		return actor.Func(func(*actor.Context[int], int) error { return errHook })
	}, func(c *actor.Context[int], e actor.Exit) error {
		exits <- e
		if !e.Held {
			return nil
		}
		return c.Release(e.PID)
	})
	send(t, ctx, child, 1)
	receive(t, ctx, exits)
	if e := receive(t, ctx, exits); e.Held || e.Reason != errHook { //nolint:errorlint // The very value is passed on.
		t.Errorf("the parent was told %+v", e)
	}
	wantErr(t, child.Send(ctx, 2), actor.ErrStopped)
}

// One that was asked to stop is not offered for a restart when it fails
// meanwhile.
func TestNoRestartAfterAStop(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	exits := make(chan actor.Exit, 2)
	_, child := restarting(t, sys, func() actor.Actor[int] {
		return actor.Func(func(c *actor.Context[int], m int) error {
			_ = g.Receive(c, m)
			return errHook
		})
	}, func(_ *actor.Context[int], e actor.Exit) error { exits <- e; return nil })
	g.hold(t, ctx, child)
	wantErr(t, child.Stop(ended()), ended().Err())
	close(g.open)
	wantNoErr(t, child.Stop(ctx))
	if e := receive(t, ctx, exits); e.Held {
		t.Errorf("the parent was told %+v", e)
	}
}

// The function that makes the actor may fail at a restart like any other code.
func TestFailureToMakeTheNextIncarnation(t *testing.T) {
	ways := map[string]func() actor.Actor[int]{
		"nil":    func() actor.Actor[int] { return nil },
		"panic":  func() actor.Actor[int] { panic(errHook) },
		"goexit": func() actor.Actor[int] { _ = failures["goexit"].fail(); return nil },
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			made := 0
			handled := make(chan int, 1)
			var failed atomic.Int32
			_, child := restarting(t, sys, func() actor.Actor[int] {
				if made++; made == 2 {
					return way()
				}
				return actor.Func(func(_ *actor.Context[int], m int) error {
					if m == 0 {
						return errHook
					}
					handled <- m
					return nil
				})
			}, func(c *actor.Context[int], e actor.Exit) error {
				failed.Add(1)
				return restart(c, e)
			})
			send(t, ctx, child, 0, 1)
			if m := receive(t, ctx, handled); m != 1 || failed.Load() != 2 {
				t.Errorf("message %d was handled after %d failures, want 1 after 2", m, failed.Load())
			}
		})
	}
}

// Each incarnation has its own context and its own children, and an old context
// does not stop a new incarnation.
func TestIncarnationsHaveTheirOwnContexts(t *testing.T) {
	simulated.Too(t, testIncarnationsHaveTheirOwnContexts)
}

func testIncarnationsHaveTheirOwnContexts(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	contexts := make(chan *actor.Context[int], 4)
	grandchildren := make(chan actor.Ref[int], 4)
	_, child := restarting(t, sys, func() actor.Actor[int] {
		return &hooks[int]{
			started: func(c *actor.Context[int]) error {
				ref, err := actor.Spawn(c, actor.Func(func(*actor.Context[int], int) error { return nil }))
				grandchildren <- ref
				return err
			},
			receive: func(c *actor.Context[int], m int) error {
				contexts <- c
				if m < 0 {
					return errHook
				}
				return nil
			},
		}
	}, restart)
	send(t, ctx, child, -1, 1)
	before, after := receive(t, ctx, contexts), receive(t, ctx, contexts)
	wantErr(t, before.Err(), ended().Err())
	wantNoErr(t, after.Err())
	wantErr(t, receive(t, ctx, grandchildren).Send(ctx, 1), actor.ErrStopped)
	send(t, ctx, receive(t, ctx, grandchildren), 1)
	before.Stop()
	send(t, ctx, child, 2)
	if c := receive(t, ctx, contexts); c != after {
		t.Error("an old context has stopped a new incarnation")
	}
}

func TestDecisionsAboutForeignChildren(t *testing.T) {
	simulated.Too(t, testDecisionsAboutForeignChildren)
}

func testDecisionsAboutForeignChildren(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	gone := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
	wantNoErr(t, gone.Stop(ctx))
	other := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
	inHandler(t, sys, func(c *actor.Context[int]) {
		for name, decide := range map[string]func(actor.PID) error{"Restart": c.Restart, "Release": c.Release, "StopChild": c.StopChild} {
			if err := decide(other.PID()); !errors.Is(err, actor.ErrNotChild) {
				t.Errorf("%s of another's child: %v", name, err)
			}
			if err := decide(gone.PID()); !errors.Is(err, actor.ErrStalePID) {
				t.Errorf("%s of one that has stopped: %v", name, err)
			}
			if err := decide(actor.PID{}); !errors.Is(err, actor.ErrStalePID) {
				t.Errorf("%s of nobody: %v", name, err)
			}
		}
		child := spawn(t, c, func(*actor.Context[int], int) error { return nil })
		wantNoErr(t, c.Restart(child.PID())) // It is not held, so nothing happens.
		wantNoErr(t, child.Send(c, 1))
		wantNoErr(t, c.StopChild(child.PID()))
		wantNoErr(t, child.Stop(c))
	})
}
