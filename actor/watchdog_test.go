package actor_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// A handler is found within two looks after its time is over, an eighth of the
// shortest time each: also if another actor has a far longer one, if others were
// handled for as long before it, and if nobody has looked for long.
func TestWatchdogFindsHandlersInTime(t *testing.T) {
	const limit, look = 80 * time.Millisecond, 10 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		var began atomic.Int64
		found := make(chan time.Duration, 10)
		sys, err := actor.NewSystem(actor.Config{OnTimeout: func(actor.HandlerReport) { found <- time.Since(time.Unix(0, began.Load())) }})
		wantNoErr(t, err)
		handler := func(_ *actor.Context[question], q question) error {
			began.Store(time.Now().UnixNano())
			time.Sleep(time.Duration(q.n) * limit / 2) //nolint:forbidigo // In a bubble it takes no time.
			return q.reply.Send(ctx, 0)
		}
		warned := func(after time.Duration) actor.Ref[question] {
			return spawn(t, sys, handler, actor.WithHandlerTimeout(after, actor.TimeoutWarn))
		}
		warned(time.Hour)
		ref := warned(limit)
		for range 3 {
			for _, n := range []int{1, 1, 4} {
				_, err := actor.Ask(ctx, ref, asking(n))
				wantNoErr(t, err)
			}
			if len(found) != 1 {
				t.Fatalf("%d of 3 handlers were found", len(found))
			}
			if after := <-found; after < limit || after > limit+2*look {
				t.Errorf("a handler with a limit of %v was found after %v", limit, after)
			}
			time.Sleep(time.Minute) //nolint:forbidigo // In a bubble it takes no time.
		}
		wantNoErr(t, sys.Stop(ctx))
	})
}
