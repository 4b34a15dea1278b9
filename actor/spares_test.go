package actor_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/sched"
)

// blockers is actors whose handlers block until the test opens the gate.
type blockers struct {
	refs  []actor.Ref[int]
	begun chan actor.PID
	open  chan struct{}
	gate  sync.Once
}

// block spawns so many and sends each a message.
func block(t *testing.T, ctx context.Context, sys *actor.System, n int) *blockers {
	t.Helper()
	b := &blockers{begun: make(chan actor.PID, n), open: make(chan struct{})}
	t.Cleanup(b.release) // Before the system's stop.
	for range n {
		ref := spawn(t, sys, func(c *actor.Context[int], _ int) error {
			b.begun <- c.Self().PID()
			<-b.open
			return nil
		})
		send(t, ctx, ref, 1)
		b.refs = append(b.refs, ref)
	}
	return b
}

func (b *blockers) release() { b.gate.Do(func() { close(b.open) }) }

// awaitBlocked returns when so many handlers block their workers, with the actors' PIDs.
func (b *blockers) awaitBlocked(t *testing.T, ctx context.Context, n int) (ids []actor.PID) {
	t.Helper()
	for range n {
		ids = append(ids, receive(t, ctx, b.begun))
	}
	return ids
}

// TestControlGoesOnWithoutSpares has handlers block all workers, and no spare left, with
// the default limit and others. Control messages are handled meanwhile, and kills take
// effect; these bring the rest of the system back.
func TestControlGoesOnWithoutSpares(t *testing.T) {
	for _, c := range []struct{ spares, blocked, actors int }{{4, 6, 8}, {0, 258, 300}} {
		if c.spares == 0 {
			lane.Short(t)
		}
		ctx := guarded(t)
		sys := newSystem(t, actor.Config{Workers: 2, MaxSpares: c.spares})
		answerer := spawn(t, sys, answer)
		b := block(t, ctx, sys, c.actors)
		ids := b.awaitBlocked(t, ctx, c.blocked)
		until(t, ctx, func() bool { return sys.Scheduler().Stats().SpareLimitReached > 0 })
		for i := range 200 {
			if n, err := actor.Ask(ctx, answerer.On(actor.Control), asking(i)); n != i+1 || err != nil {
				t.Fatalf("the Control message %d was answered with %d, %v", i, n, err)
			}
		}
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		_, err := actor.Ask(short, answerer, asking(1))
		cancel()
		wantErr(t, err, context.DeadlineExceeded)
		if !strings.Contains(err.Error(), "no worker is free") {
			t.Errorf("the ask that no worker came to has the error %q", err)
		}
		for _, id := range ids[:c.blocked/2] {
			wantNoErr(t, sys.Kill(id))
		}
		if n, err := actor.Ask(ctx, answerer, asking(1)); n != 2 || err != nil {
			t.Errorf("after the kills, the ask was answered with %d, %v", n, err)
		}
		until(t, ctx, func() bool { return sys.Stats().Ghosts == c.blocked/2 })
		b.awaitBlocked(t, ctx, c.actors-c.blocked) // The handlers that had waited for a worker.
		b.release()
		wantNoErr(t, sys.Stop(ctx))
	}
}

// TestSystemStopsWithoutSpares has a stop and the kills end all actors while handlers
// block all workers.
func TestSystemStopsWithoutSpares(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 1, MaxSpares: 2})
	b := block(t, ctx, sys, 8)
	b.awaitBlocked(t, ctx, 3)
	idle := spawn(t, sys, answer)
	wantNoErr(t, idle.Stop(ctx)) // An actor that does nothing can stop.
	short, cancel := context.WithCancel(ctx)
	cancel()
	wantErr(t, sys.Stop(short), context.Canceled)
	for _, ref := range b.refs {
		wantNoErr(t, ref.Kill())
	}
	for _, ref := range b.refs {
		receive(t, ctx, ref.Done())
	}
	b.release()
	wantNoErr(t, sys.Stop(ctx))
}

// TestShortageIsTold looks at what a program and its log are told when the spares have run
// out.
func TestShortageIsTold(t *testing.T) {
	ctx := guarded(t)
	told := make(chan actor.SpareLimit, 8)
	var log bytes.Buffer
	sys := newSystem(t, actor.Config{
		Workers: 1, MaxSpares: 11, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		OnSpareLimit: func(l actor.SpareLimit) { told <- l },
	})
	b := block(t, ctx, sys, 13)
	b.awaitBlocked(t, ctx, 12)
	l := receive(t, ctx, told)
	if l.MaxSpares != 11 || len(l.Longest) > 10 || len(l.Longest) == 0 || l.Blocked < len(l.Longest) {
		t.Errorf("the report is %+v", l)
	}
	for i, h := range l.Longest {
		if i > 0 && h.For > l.Longest[i-1].For {
			t.Errorf("holder %d has taken %v, longer than the one before it, %v", i, h.For, l.Longest[i-1].For)
		}
		if !strings.Contains(sched.StackOf(h.Goroutine), "actor_test.block") {
			t.Errorf("the stack of holder %d, %s, does not lead to its handler", i, h.Work)
		}
	}
	b.release()
	wantNoErr(t, sys.Stop(ctx))
	for _, want := range []string{"no worker is free", "Config.MaxSpares is 11"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log says nothing of %q:\n%s", want, log.String())
		}
	}
	if len(told) != 0 {
		t.Errorf("the shortage was reported %d times, want 1", 1+len(told))
	}
}

// TestEachBlockedHandlerIsNamed has more handlers block than are reported in a second.
func TestEachBlockedHandlerIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const blocked = 258
		named := make(chan actor.HandlerReport, 1000)
		sys := newSystem(t, actor.Config{Workers: 2, OnBlocked: func(r actor.HandlerReport) { named <- r }})
		b := block(t, t.Context(), sys, blocked)
		ids := b.awaitBlocked(t, t.Context(), blocked)
		pass(10 * time.Second)
		reports := map[actor.PID]int{}
		for range len(named) {
			r := <-named
			reports[r.PID]++
			if r.Suppressed != 0 {
				t.Errorf("%v: %d reports were left out; all handlers still run", r, r.Suppressed)
			}
		}
		for _, id := range ids {
			if reports[id] != 1 {
				t.Errorf("the handler of %v was reported %d times, want 1", id, reports[id])
			}
		}
		b.release()
		wantNoErr(t, sys.Stop(t.Context()))
	})
}

// TestGhostsHaveALimit restarts an actor whose handler hangs in each incarnation.
func TestGhostsHaveALimit(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 1, MaxSpares: 2, MaxGhosts: 6})
	open := make(chan struct{})
	exits := make(chan error, 16)
	ready := make(chan actor.Ref[int], 1)
	spawnActor(t, sys, actor.Actor[int](&keeping[int]{hooks[int]{
		started: func(c *actor.Context[int]) error {
			ref, err := actor.SpawnNew(c, func() actor.Actor[int] {
				return actor.Func(func(*actor.Context[int], int) error {
					<-open
					return nil
				})
			}, actor.WithHandlerTimeout(time.Millisecond, actor.TimeoutStop))
			ready <- ref
			return err
		},
		exited: func(c *actor.Context[int], e actor.Exit) error {
			exits <- e.Reason
			if e.Held && !errors.Is(e.Reason, actor.ErrGhostLimit) {
				return c.Restart(e.PID)
			}
			return nil
		},
	}}))
	ref := receive(t, ctx, ready)
	var timeout *actor.TimeoutError
	for i := range 7 {
		send(t, ctx, ref, 1)
		if err := receive(t, ctx, exits); !errors.As(err, &timeout) {
			t.Fatalf("incarnation %d has ended with %v, want its timeout", i, err)
		}
	}
	err := receive(t, ctx, exits)
	wantErr(t, err, actor.ErrGhostLimit)
	if !strings.Contains(err.Error(), "7 handlers") || !strings.Contains(err.Error(), "MaxGhosts is 6") {
		t.Errorf("the reason is %q; it was to name the figures", err)
	}
	answerer := spawn(t, sys, answer) // The system goes on.
	if n, err := actor.Ask(ctx, answerer, asking(1)); n != 2 || err != nil {
		t.Errorf("an ask was answered with %d, %v", n, err)
	}
	close(open)
	wantNoErr(t, sys.Stop(ctx))
}
