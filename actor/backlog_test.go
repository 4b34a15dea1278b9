package actor_test

import (
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// afterBacklog returns a channel that is closed after the backlog of an actor.
func afterBacklog(tb testing.TB, sys *actor.System, id actor.PID) <-chan struct{} {
	tb.Helper()
	done := make(chan struct{})
	wantNoErr(tb, sys.AfterBacklog(id, func() { close(done) }))
	return done
}

func isOver(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// AfterBacklog tells when what was accepted before has been handled, however much came
// after it.
func TestAfterBacklog(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor[int](t, sys, g)
	receive(t, ctx, afterBacklog(t, sys, ref.PID())) // It has nothing to do.

	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2)
	first := afterBacklog(t, sys, ref.PID())
	send(t, ctx, ref, 0, 3)
	second := afterBacklog(t, sys, ref.PID())
	if isOver(first) {
		t.Error("it was called before the messages were handled")
	}
	g.open <- struct{}{}
	receive(t, ctx, g.entered) // The next 0 is being handled, behind 1 and 2.
	receive(t, ctx, first)
	if len(g.seen) != 2 || isOver(second) {
		t.Errorf("%d messages were handled, and the second call is over: %v", len(g.seen), isOver(second))
	}
	g.open <- struct{}{}
	receive(t, ctx, second)
	if len(g.seen) != 3 {
		t.Errorf("%d messages were handled", len(g.seen))
	}
}

// It is called at the end of an actor, whatever that had still to do.
func TestAfterBacklogAtTheEnd(t *testing.T) {
	for name, end := range map[string]func(ref actor.Ref[int]) error{
		"stop": func(ref actor.Ref[int]) error { return ref.Stop(ended()) },
		"kill": actor.Ref[int].Kill,
	} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{OnDeadLetter: func(actor.DeadLetter) {}})
			g := newGate()
			ref := spawnActor[int](t, sys, g)
			g.hold(t, ctx, ref)
			send(t, ctx, ref, 1, 2, 3)
			done := afterBacklog(t, sys, ref.PID())
			_ = end(ref) // The stop does not wait.
			close(g.open)
			receive(t, ctx, done)
			receive(t, ctx, ref.Done())
			wantErr(t, sys.AfterBacklog(ref.PID(), func() { t.Error("it was called") }), actor.ErrStalePID)
		})
	}
}

// A restart keeps the messages, and so what is called after them.
func TestAfterBacklogOverARestart(t *testing.T) {
	for _, keeps := range []bool{true, false} {
		ctx := guarded(t)
		sys := newSystem(t, actor.Config{OnDeadLetter: func(actor.DeadLetter) {}})
		g := newGate()
		_, child := restarting(t, sys, func() actor.Actor[int] { return g }, func(c *actor.Context[int], e actor.Exit) error {
			switch {
			case !e.Held:
				return nil
			case keeps:
				return c.Restart(e.PID)
			}
			return c.RestartEmpty(e.PID)
		})
		g.hold(t, ctx, child)
		send(t, ctx, child, 1, 2, 0, 3)
		done := afterBacklog(t, sys, child.PID())
		wantNoErr(t, child.Kill()) // The handler goes on as a ghost, and has claimed the messages behind its own.
		if !keeps {
			receive(t, ctx, done)
			close(g.open)
			continue
		}
		close(g.open)
		receive(t, ctx, done)
	}
}

// While an actor is suspended its backlog stays.
func TestAfterBacklogOfASuspendedActor(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var handled atomic.Int32
	ref := spawn(t, sys, func(*actor.Context[int], int) error { handled.Add(1); return nil })
	wantNoErr(t, sys.Suspend(ref.PID()))
	send(t, ctx, ref, 1)
	done := afterBacklog(t, sys, ref.PID())
	if n := handled.Load(); isOver(done) || n != 0 {
		t.Errorf("it was called, or %d messages were handled", n)
	}
	wantNoErr(t, sys.Resume(ref.PID()))
	receive(t, ctx, done)
	if n := handled.Load(); n != 1 {
		t.Errorf("%d messages were handled", n)
	}
}

// A function that panics, or calls Goexit, harms nobody; wrong arguments are errors.
func TestAfterBacklogIsContained(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
	for _, f := range failures {
		called := make(chan struct{})
		wantNoErr(t, sys.AfterBacklog(ref.PID(), func() { close(called); _ = f.fail() }))
		receive(t, ctx, called)
	}
	receive(t, ctx, afterBacklog(t, sys, ref.PID()))
	if err := sys.AfterBacklog(ref.PID(), nil); err == nil {
		t.Error("a nil function is accepted")
	}
	wantErr(t, sys.AfterBacklog(actor.PID{}, func() {}), actor.ErrStalePID)
	wantErr(t, (*actor.System)(nil).AfterBacklog(ref.PID(), func() {}), actor.ErrNoSystem)
}
