package actor_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// A handler that is resumed without a reason, such as by a late wake-up, goes on with its
// wait, and the wait is still known. Once it was mistaken for the wait of another handler of
// the actor, which began to wait later.
func TestWaitSurvivesASpuriousWakeUp(t *testing.T) {
	ctx := guarded(t)
	sys := oneWorker(t)
	answerer := newAnswerer(t, sys)
	fibers := make(chan *workers.Fiber, 2)
	ask := func(to actor.Ref[question]) func(*actor.Context[question], question) error {
		return func(c *actor.Context[question], q question) error {
			fibers <- workers.Current(c)
			n, err := actor.Ask(c, to, asking(q.n))
			if err != nil {
				return err
			}
			return q.reply.Send(c, n)
		}
	}
	x := spawn(t, sys, ask(answerer.ref), actor.WithName("x"))
	y := spawn(t, sys, ask(answerer.ref), actor.WithName("y"))
	p := spawn(t, sys, func(c *actor.Context[question], q question) error {
		switch q.n {
		case 1:
			return ask(x)(c, q)
		case 2:
			return ask(y)(c, q)
		}
		return q.reply.Send(c, q.n)
	}, actor.WithName("p"), actor.WithReentrancy(actor.FullReentrancy))

	answers := make(chan int, 2)
	outside := func(n int) *workers.Fiber {
		go func() {
			v, err := actor.Ask(ctx, p, asking(n))
			wantNoErr(t, err)
			answers <- v
		}()
		f := receive(t, ctx, fibers)
		receive(t, ctx, fibers) // The fiber of x or y.
		return f
	}
	first := outside(1)
	one := answerer.next(t, ctx)
	outside(2)
	two := answerer.next(t, ctx)
	suspendedIn(t, ctx, p, 2)

	first.Resume(nil, sched.Normal)
	_, err := actor.Ask(ctx, p, asking(3)) // Which is handled after that.
	wantNoErr(t, err)
	suspendedIn(t, ctx, p, 2)
	var of []string
	for _, w := range sys.Waits() {
		if w.Name == "p" {
			of = append(of, w.OnName)
		}
	}
	if slices.Sort(of); !slices.Equal(of, []string{"x", "y"}) {
		t.Errorf("p waits for %v, want x and y", of)
	}
	for _, q := range []question{one, two} {
		wantNoErr(t, q.reply.Send(ctx, q.n))
		receive(t, ctx, answers)
	}
}

// TestTurnGrantedBeforeItsHandlerSuspends has many handlers of an actor come back at once. Now
// and then a handler sees that it has been granted the turn before it is resumed. It may have
// returned by then.
func TestTurnGrantedBeforeItsHandlerSuspends(t *testing.T) {
	lane.Short(t)
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 3})
	var asked [3]instructedRef
	for i := range asked {
		asked[i] = spawn(t, sys, run)
	}
	busy := spawn(t, sys, run, actor.WithReentrancy(actor.FullReentrancy))
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			for range 1_000 {
				wantNoErr(t, let(ctx, busy, func(c *actor.Context[instruction]) error { return let(c, asked[i%len(asked)], nil) }))
			}
		})
	}
	all.Wait()
}
