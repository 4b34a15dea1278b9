package actor_test

import (
	"context"
	"runtime"
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
