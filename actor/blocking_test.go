package actor_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// A handler that ends its goroutine leaves the work of others to the next one, also
// where there is to be one at a time.
func TestGoexitOfTheOnlyBlockingGoroutine(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{MaxBlocking: 1})
	on := actor.WithBackend(actor.OnBlocking)
	entered, open := make(chan struct{}), make(chan struct{})
	ending := spawn(t, sys, func(*actor.Context[int], int) error {
		close(entered)
		<-open
		runtime.Goexit()
		return nil
	}, on)
	other := spawn(t, sys, answer, on)
	send(t, ctx, ending, 1)
	receive(t, ctx, entered)
	answered := make(chan error, 1)
	go func() { _, err := actor.Ask(ctx, other, asking(1)); answered <- err }()
	until(t, ctx, func() bool { return other.Backlog() == 1 })
	close(open)
	wantNoErr(t, receive(t, ctx, answered))
	receive(t, ctx, ending.Done())
}

// A goroutine that has had nothing to do for long leaves, and another one comes when
// there is something to do.
func TestIdleBlockingGoroutinesLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		sys, err := actor.NewSystem(actor.Config{MaxBlocking: 1})
		wantNoErr(t, err)
		ref := spawn(t, sys, answer, actor.WithBackend(actor.OnBlocking))
		for n := range 3 {
			got, err := actor.Ask(ctx, ref, asking(n))
			if got != n+1 || err != nil {
				t.Fatalf("answered was %d, %v", got, err)
			}
			if n := actor.BlockingGoroutines(sys); n != 1 {
				t.Errorf("there are %d goroutines", n)
			}
			time.Sleep(time.Minute) //nolint:forbidigo // In a bubble it takes no time.
			if n := actor.BlockingGoroutines(sys); n != 0 {
				t.Errorf("after a minute there are still %d goroutines", n)
			}
		}
		wantNoErr(t, sys.Stop(ctx))
	})
}

// A handler that waits for another actor leaves its goroutine's place to that, and has one
// again when it goes on: so a chain of any length needs one place, and no more handlers run
// at a time than may.
func TestBlockingHandlersThatWait(t *testing.T) {
	for _, most := range []int{1, 2} {
		t.Run(fmt.Sprint(most, " at a time"), func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{MaxBlocking: most})
			var running, above atomic.Int32
			enter := func() {
				if int(running.Add(1)) > most {
					above.Add(1)
				}
				runtime.Gosched()
			}
			const length, chains = 5, 8
			var all sync.WaitGroup
			for range chains {
				var next actor.Ref[question]
				for range length {
					to := next
					next = spawn(t, sys, func(c *actor.Context[question], q question) error {
						enter()
						defer running.Add(-1)
						if to == (actor.Ref[question]{}) {
							return q.reply.Send(c, q.n)
						}
						running.Add(-1)
						n, err := actor.Ask(c, to, asking(q.n+1))
						enter()
						if err != nil {
							return err
						}
						return q.reply.Send(c, n)
					}, actor.WithBackend(actor.OnBlocking))
				}
				all.Go(func() {
					for n := range 20 {
						got, err := actor.Ask(ctx, next, asking(n))
						if err != nil || got != n+length-1 {
							t.Errorf("the chain answers %d, %v", got, err)
							return
						}
					}
				})
			}
			all.Wait()
			if n := above.Load(); n > 0 {
				t.Errorf("%d times more handlers ran at a time", n)
			}
		})
	}
}

// The place of a handler that was killed while it waited is somebody else's.
func TestKillOfABlockingHandlerThatWaits(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{MaxBlocking: 1})
	on := actor.WithBackend(actor.OnBlocking)
	silent, asked := make(chan struct{}), make(chan struct{}, 1)
	mute := spawn(t, sys, func(*actor.Context[question], question) error {
		asked <- struct{}{}
		<-silent
		return nil
	})
	waiting := spawn(t, sys, func(c *actor.Context[question], q question) error {
		_, err := actor.Ask(c, mute, asking(q.n))
		return err
	}, on)
	send(t, ctx, waiting, question{})
	receive(t, ctx, asked)
	if n, err := actor.Ask(ctx, spawn(t, sys, answer, on), asking(1)); n != 2 || err != nil {
		t.Errorf("beside a handler that waits, another one answers %d, %v", n, err)
	}
	wantNoErr(t, waiting.Kill())
	receive(t, ctx, waiting.Done())
	if n, err := actor.Ask(ctx, spawn(t, sys, answer, on), asking(1)); n != 2 || err != nil {
		t.Errorf("behind the kill, another one answers %d, %v", n, err)
	}
	close(silent)
}
