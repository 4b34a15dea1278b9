//go:build !modelcheck

package actor_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// waiting returns an actor that is suspended, with a full lane, and how many senders wait for it: they have ended when all
// is done.
func waiting(tb testing.TB, ctx context.Context, sys *actor.System, n int, all *sync.WaitGroup, failed func(error)) actor.Ref[int] {
	tb.Helper()
	ref := spawn(tb, sys, func(*actor.Context[int], int) error { return nil }, actor.WithCapacity(actor.Data, 1))
	if err := sys.Suspend(ref.PID()); err != nil {
		tb.Fatal(err)
	}
	if err := ref.Send(context.Background(), 0); err != nil {
		tb.Fatal(err)
	}
	for i := range n {
		all.Go(func() {
			if err := ref.Send(ctx, i); err != nil {
				failed(err)
			}
		})
	}
	until(tb, context.Background(), func() bool { return actor.SendersWaiting(ref) == n })
	return ref
}

// Thousands of senders whose context ends at once all leave, and the lane goes on as if they had never been there.
func TestManySendersLeave(t *testing.T) {
	const n = 5_000 // The race detector dies of more than 8,128 goroutines.
	sys := newSystem(t, actor.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error, n)
	var all sync.WaitGroup
	ref := waiting(t, ctx, sys, n, &all, func(err error) { errs <- err })
	cancel()
	all.Wait()
	close(errs)
	left := 0
	for err := range errs {
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		left++
	}
	if waits := actor.SendersWaiting(ref); left != n || waits != 0 {
		t.Errorf("%d of %d have left, and %d wait", left, n, waits)
	}
	wantNoErr(t, sys.Resume(ref.PID()))
	for i := range 10 {
		wantNoErr(t, ref.Send(context.Background(), i))
	}
	wantNoErr(t, ref.Drain(guarded(t)))
}

// A stop of an actor refuses those that wait, be they many.
func TestManySendersAreRefused(t *testing.T) {
	const n = 5_000 // The race detector dies of more than 8,128 goroutines.
	sys := newSystem(t, actor.Config{})
	errs := make(chan error, n)
	var all sync.WaitGroup
	ref := waiting(t, context.Background(), sys, n, &all, func(err error) { errs <- err })
	wantNoErr(t, ref.Stop(guarded(t)))
	all.Wait()
	close(errs)
	refused := 0
	for err := range errs {
		if !errors.Is(err, actor.ErrStopped) {
			t.Fatal(err)
		}
		refused++
	}
	if refused != n {
		t.Errorf("%d of %d were refused", refused, n)
	}
}

// BenchmarkSendersLeave is the price of leaving for one of n senders whose context ends while they wait for room. It must not
// grow with n.
func BenchmarkSendersLeave(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			sys := newSystem(b, actor.Config{})
			var took time.Duration
			for range b.N {
				ctx, cancel := context.WithCancel(context.Background())
				var all sync.WaitGroup
				ref := waiting(b, ctx, sys, n, &all, func(error) {})
				begun := time.Now()
				cancel()
				all.Wait()
				took += time.Since(begun)
				_ = sys.Resume(ref.PID())
				_ = ref.Stop(context.Background())
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N)/float64(n), "ns/sender")
		})
	}
}
