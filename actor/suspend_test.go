package actor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

func suspend(tb testing.TB, ctx context.Context, sys *actor.System, id actor.PID) {
	tb.Helper()
	wantNoErr(tb, sys.Suspend(id))
	until(tb, ctx, func() bool { return info(tb, sys, id).State == actor.Suspended })
}

// While an actor is suspended, it handles nothing of any lane; then all of it,
// the urgent first, and each lane in order.
func TestSuspend(t *testing.T) { simulated.Too(t, testSuspend) }

func testSuspend(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	seen := make(chan int, 100)
	ref := spawn(t, sys, func(_ *actor.Context[int], m int) error { seen <- m; return nil })
	for range 2 { // Also when it has been resumed.
		suspend(t, ctx, sys, ref.PID())
		send(t, ctx, ref, 3, 4)
		send(t, ctx, ref.On(actor.Management), 2)
		send(t, ctx, ref.On(actor.Control), 1)
		suspend(t, ctx, sys, ref.PID()) // There is no count.
		if i := info(t, sys, ref.PID()); i.State != actor.Suspended || i.Mailbox != [3]int{2, 1, 1} {
			t.Errorf("the actor is %v, with %v in its lanes", i.State, i.Mailbox)
		}
		if n := len(seen); n > 0 {
			t.Errorf("%d messages were handled by a suspended actor", n)
		}
		wantNoErr(t, sys.Resume(ref.PID()))
		wantNoErr(t, sys.Resume(ref.PID()))
		for want := 1; want <= 4; want++ {
			if got := receive(t, ctx, seen); got != want {
				t.Errorf("got message %d, want %d", got, want)
			}
		}
	}
}

// The message that is being handled is the last, also of a batch.
func TestSuspendEndsABatch(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 0, 1, 2) // All but the first come in one batch.
	wantNoErr(t, sys.Suspend(ref.PID()))
	if s := info(t, sys, ref.PID()).State; s != actor.Running {
		t.Errorf("in its handler the actor is %v", s)
	}
	g.open <- struct{}{}
	until(t, ctx, func() bool { return info(t, sys, ref.PID()).State == actor.Suspended })
	if i := info(t, sys, ref.PID()); i.Mailbox[actor.Data] != 3 || len(g.entered) != 0 {
		t.Errorf("the actor has gone on: %+v", i.Mailbox)
	}
	wantNoErr(t, sys.Resume(ref.PID()))
	receive(t, ctx, g.entered)
	wantNoErr(t, sys.Suspend(ref.PID()))
	close(g.open)
	until(t, ctx, func() bool { return info(t, sys, ref.PID()).State == actor.Suspended })
	if i := info(t, sys, ref.PID()); i.Mailbox[actor.Data] != 2 || len(g.seen) != 0 {
		t.Errorf("the actor has gone on in its batch: %+v", i.Mailbox)
	}
}

// A suspended actor can be stopped and killed.
func TestEndOfASuspendedActor(t *testing.T) { simulated.Too(t, testEndOfASuspendedActor) }

func testEndOfASuspendedActor(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	handled := make(chan int, 10)
	for name, end := range map[string]func(actor.PID) error{"stop": sys.RequestStop, "kill": sys.Kill} {
		letters := sys.Stats().DeadLetters
		ref := spawn(t, sys, func(_ *actor.Context[int], m int) error { handled <- m; return nil })
		suspend(t, ctx, sys, ref.PID())
		send(t, ctx, ref, 1, 2)
		wantNoErr(t, end(ref.PID()))
		receive(t, ctx, ref.Done())
		if n := sys.Stats().DeadLetters - letters; n != 2 || len(handled) > 0 {
			t.Errorf("%s: %d messages are dead letters, want 2", name, n)
		}
		wantErr(t, sys.Suspend(ref.PID()), actor.ErrStalePID)
		wantErr(t, sys.Resume(ref.PID()), actor.ErrStalePID)
	}
}

// It drains at once if it has nothing, else once it has been resumed.
func TestDrainOfASuspendedActor(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	for _, messages := range []int{0, 3} {
		handled := make(chan int, 5000) // More than all lanes have room for.
		ref := spawn(t, sys, func(_ *actor.Context[int], m int) error { handled <- m; return nil })
		suspend(t, ctx, sys, ref.PID())
		for m := range messages {
			send(t, ctx, ref.On(actor.Control), m)
		}
		drained := make(chan error, 1)
		go func() { drained <- ref.Drain(ctx) }()
		if messages > 0 {
			until(t, ctx, func() bool { return errors.Is(ref.TrySend(ctx, 9), actor.ErrStopped) })
			until(t, ctx, func() bool { return info(t, sys, ref.PID()).State == actor.Suspended })
			if len(handled) > 0 {
				t.Error("a suspended actor drains")
			}
			wantNoErr(t, sys.Resume(ref.PID()))
		}
		wantNoErr(t, receive(t, ctx, drained))
		if n := len(handled); n < messages {
			t.Errorf("%d messages were handled by the drain, want %d", n, messages)
		}
	}
}

// A restart does not resume, and a suspended parent decides about its children.
func TestRestartOfASuspendedActor(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	started, handled := make(chan int, 10), make(chan int, 10)
	n := 0
	parent, child := keptChild(t, sys, func() actor.Actor[int] {
		n++
		return &hooks[int]{
			started: func(*actor.Context[int]) error { started <- n; return nil },
			receive: func(_ *actor.Context[int], m int) error { handled <- m; return nil },
		}
	}, true)
	receive(t, ctx, started)
	suspend(t, ctx, sys, parent.PID())
	suspend(t, ctx, sys, child.PID())
	send(t, ctx, child, 1)
	wantNoErr(t, child.Kill())
	if got := receive(t, ctx, started); got != 2 {
		t.Fatalf("incarnation %d begins", got)
	}
	until(t, ctx, func() bool { return info(t, sys, child.PID()).State == actor.Suspended || len(handled) > 0 })
	if len(handled) > 0 {
		t.Error("the restart has resumed the actor")
	}
	wantNoErr(t, sys.Resume(child.PID()))
	if got := receive(t, ctx, handled); got != 1 {
		t.Errorf("got message %d", got)
	}
}

// Whatever the order of suspends, resumes and sends, nothing is lost, or handled
// out of order, once the actor has been resumed.
func TestSuspendLosesNothing(t *testing.T) { simulated.Too(t, testSuspendLosesNothing) }

func testSuspendLosesNothing(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	const messages = 200
	done := make(chan struct{})
	next := 0
	to := spawn(t, sys, func(_ *actor.Context[int], m int) error {
		if m != next {
			t.Errorf("got message %d, want %d", m, next)
		}
		if next++; next == messages {
			close(done)
		}
		return nil
	}, actor.WithCapacity(actor.Data, 4))
	toggle := spawn(t, sys, func(c *actor.Context[int], left int) error {
		err := errors.Join(sys.Suspend(to.PID()), sys.Resume(to.PID()))
		if left == 0 || errors.Is(err, actor.ErrStalePID) { // The test is over.
			return nil
		}
		wantNoErr(t, err)
		return c.Self().Send(c, left-1)
	})
	source := spawn(t, sys, func(c *actor.Context[int], _ int) error {
		for m := range messages {
			if err := to.Send(c, m); err != nil {
				return err
			}
		}
		return nil
	})
	send(t, ctx, toggle, messages)
	send(t, ctx, source, 0)
	receive(t, ctx, done)
}

// A handler that waits returns though its actor is suspended, and nothing else
// begins.
func TestSuspendedHandlersReturn(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	asked := make(chan question, 1)
	slow := spawn(t, sys, func(_ *actor.Context[question], q question) error { asked <- q; return nil })
	answers := make(chan int, 10)
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		if m > 0 {
			answers <- m
			return nil
		}
		n, err := actor.Ask(c, slow, asking(41))
		answers <- n
		return err
	}, actor.WithReentrancy(actor.FullReentrancy))
	send(t, ctx, ref, 0)
	q := receive(t, ctx, asked)
	suspend(t, ctx, sys, ref.PID())
	send(t, ctx, ref, 7)
	wantNoErr(t, q.reply.Send(ctx, 42))
	if got := receive(t, ctx, answers); got != 42 {
		t.Errorf("got %d", got)
	}
	until(t, ctx, func() bool { // The handler returns behind its answer.
		i := info(t, sys, ref.PID())
		return i.Suspended == 0 && i.State == actor.Suspended
	})
	if i := info(t, sys, ref.PID()); i.Mailbox[actor.Data] != 1 {
		t.Errorf("%v messages wait", i.Mailbox)
	}
	wantNoErr(t, sys.Resume(ref.PID()))
	if got := receive(t, ctx, answers); got != 7 {
		t.Errorf("got %d", got)
	}
}
