package router_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/router"
)

func ask(ctx context.Context, r router.Router[task], t task) (int, error) {
	return router.Ask(ctx, r, func(reply actor.Reply[int]) task { t.reply = reply; return t })
}

func first(ctx context.Context, r router.Router[task], t func(reply actor.Reply[int]) task) (int, error) {
	return router.AskFirst(ctx, r, t)
}

// A failure of the routee that was asked is the asker's error, and not repeated
// elsewhere.
func TestAskIsNotRepeated(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 2)
	r := newRouter(t, sys, router.Config[task]{Routees: c.refs})
	_, err := ask(guarded(t), r, task{do: func(context.Context) error { panic("as wanted") }})
	wantErr(t, err, actor.ErrNoReply)
	if _, err := router.Ask[task, int](guarded(t), r, nil); err == nil {
		t.Error("a nil function is no error")
	}
	if _, err := router.AskFirst[task, int](guarded(t), r, nil); err == nil {
		t.Error("a nil function is no error")
	}
	_, err = ask(ended(), r, task{do: func(ctx context.Context) error { return nil }})
	if err != nil {
		wantErr(t, err, context.Canceled)
	}
}

// A routee that asks its own router gets another, or is told that there is none.
func TestAskFromRoutee(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 2)
	ctx := guarded(t)
	r := newRouter(t, sys, router.Config[task]{Routees: c.refs})
	inner := func(x context.Context) error {
		i, err := ask(x, r, task{})
		if err == nil && i != 1 {
			t.Errorf("the inner ask came to %d", i)
		}
		return err
	}
	for range 2 {
		wantNoErr(t, c.refs[0].Send(ctx, task{do: inner}))
		if i, err := actor.Ask(ctx, c.refs[0], func(r actor.Reply[int]) task { return task{reply: r} }); i != 0 || err != nil {
			t.Fatal(i, err)
		}
	}
	wantNoErr(t, r.Remove(ctx, c.refs[1]))
	errs := make(chan error, 1)
	wantNoErr(t, c.refs[0].Send(ctx, task{do: func(x context.Context) error { errs <- inner(x); return nil }}))
	wantErr(t, <-errs, actor.ErrAskCycle)
}

// The fastest answers, failures leave it to others, and answers that come late
// do no harm.
func TestAskFirst(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 3)
	ctx := guarded(t)
	for _, s := range []router.Strategy{router.RoundRobin, router.Broadcast} {
		r := newRouter(t, sys, router.Config[task]{Strategy: s, Routees: c.refs})
		slow := []func(){hold(t, c.refs[0]), hold(t, c.refs[2])}
		i, err := first(ctx, r, func(reply actor.Reply[int]) task { return task{reply: reply} })
		wantNoErr(t, err)
		wantEqual(t, "the first", i, 1)
		if s == router.Broadcast {
			wantEqual(t, "an ask", who(t, ctx, r, task{}), 1)
		}
		for _, f := range slow {
			f()
		}
		for j, ref := range c.refs { // None has failed of its late answer.
			i, err := actor.Ask(ctx, ref, func(reply actor.Reply[int]) task { return task{reply: reply} })
			wantNoErr(t, err)
			wantEqual(t, "routee", i, j)
		}
	}
	if n := sys.Stats().LateReplies; n < 4 {
		t.Errorf("%d answers came late", n)
	}
}

// The function that makes the messages may use what its caller has, without a
// lock.
func TestAskFirstMakesMessagesInTurn(t *testing.T) { simulated.Too(t, testAskFirstMakesMessagesInTurn) }

func testAskFirstMakesMessagesInTurn(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 8)
	r := newRouter(t, sys, router.Config[task]{Routees: c.refs})
	var inside atomic.Int32
	made := 0
	_, err := first(guarded(t), r, func(reply actor.Reply[int]) task {
		if inside.Add(1) > 1 {
			t.Error("two messages are made at the same time")
		}
		for range 100 {
			runtime.Gosched()
		}
		made++
		inside.Add(-1)
		return task{reply: reply}
	})
	wantNoErr(t, err)
	if made == 0 || made > 8 {
		t.Errorf("%d messages were made for 8 routees", made)
	}
}

var errWanted = errors.New("as wanted")

// Only if all routees fail does the ask, with the errors of all.
func TestAskFirstOfFailures(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 3)
	ctx := guarded(t)
	r := newRouter(t, sys, router.Config[task]{Routees: c.refs})
	var mu sync.Mutex
	n := 0
	failing := func(successes int) func(reply actor.Reply[int]) task {
		n = 0
		return func(reply actor.Reply[int]) task {
			mu.Lock()
			defer mu.Unlock()
			if n++; n <= successes {
				return task{reply: reply}
			}
			return task{do: func(x context.Context) error { return reply.Fail(x, errWanted) }}
		}
	}
	if _, err := first(ctx, r, failing(1)); err != nil {
		t.Errorf("one answer of three is not enough: %v", err)
	}
	_, err := first(ctx, r, failing(0))
	wantErr(t, err, errWanted)
	if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 3 {
		t.Errorf("the error is %v", err)
	}
	for _, ref := range c.refs {
		defer hold(t, ref)()
	}
	until := make(chan struct{})
	x, cancel := context.WithCancelCause(ctx)
	go func() {
		defer close(until)
		_, err = first(x, r, func(reply actor.Reply[int]) task { return task{reply: reply} })
	}()
	cancel(errWanted)
	<-until
	wantErr(t, err, errWanted)
}
