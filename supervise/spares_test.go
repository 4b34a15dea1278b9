package supervise_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// TestSupervisorsWorkWithoutSpares has handlers block all workers, with no spare left. A
// supervisor meanwhile restarts children, starts and ends them, says how they are, and
// stops; its restarts give up at the limit of killed handlers.
func TestSupervisorsWorkWithoutSpares(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 1, MaxSpares: 2, MaxGhosts: 3})
	sup := start(t, sys, supervise.Config{Intensity: 3, Period: time.Hour})
	open := make(chan struct{})
	begun := make(chan struct{}, 16)
	block := func(*actor.Context[int], int) error {
		begun <- struct{}{}
		<-open
		return nil
	}
	hangs := supervise.Child[int]{Name: "hangs", Shutdown: time.Millisecond, New: func() actor.Actor[int] { return actor.Func(block) }}
	ref := spawn(t, sup, hangs)
	for range 5 {
		other, err := actor.Spawn(sys, actor.Func(block))
		wantNoErr(t, err)
		wantNoErr(t, other.Send(ctx, 1))
	}
	for range 3 {
		<-begun
	}
	until(t, ctx, func() bool { return sys.Scheduler().Stats().SpareLimitReached > 0 })

	quick := spawn(t, sup, supervise.Child[order]{Name: "quick", New: newWorker})
	wantNoErr(t, quick.Kill())
	until(t, ctx, func() bool {
		st, err := sup.Status(ctx)
		wantNoErr(t, err)
		return st.Restarts == 1
	})
	n, err := actor.Ask(ctx, quick.On(actor.Control), func(r actor.Reply[int]) order { return order{nil, r} })
	if n != 1 || err != nil {
		t.Errorf("the restarted child answered with %d, %v", n, err)
	}
	wantNoErr(t, ref.Send(ctx, 1)) // Nobody comes to it.
	wantNoErr(t, sup.Terminate(ctx, "quick"))
	short, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := sup.Stop(short); err != nil && !errors.Is(err, actor.ErrForced) {
		t.Errorf("the supervisor stopped with %v", err)
	}
	close(open)
	wantNoErr(t, sys.Stop(ctx))
}

// TestSupervisorGivesUpAtTheGhostLimit restarts a child whose handler hangs in each
// incarnation.
func TestSupervisorGivesUpAtTheGhostLimit(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 1, MaxSpares: 2, MaxGhosts: 5})
	sup := start(t, sys, supervise.Config{Intensity: 20, Period: time.Hour})
	open := make(chan struct{})
	ref := spawn(t, sup, supervise.Child[int]{New: func() actor.Actor[int] {
		return actor.Func(func(*actor.Context[int], int) error { <-open; return nil })
	}, Options: []actor.Option{actor.WithHandlerTimeout(time.Millisecond, actor.TimeoutStop)}})
	for ref.Send(ctx, 1) == nil { // One at a time: a killed handler takes those behind it along.
		before := sys.Stats().Ghosts
		until(t, ctx, func() bool {
			select {
			case <-ref.Done():
				return true
			default:
				return sys.Stats().Ghosts > before
			}
		})
	}
	wait(t, sup)
	wantErr(t, sup.Err(), actor.ErrGhostLimit)
	if n := sys.Stats().Ghosts; n != 6 {
		t.Errorf("%d killed handlers are left, want one more than the limit of 5", n)
	}
	close(open)
	wantNoErr(t, sys.Stop(ctx))
}
