package workers_test

import (
	"context"
	"testing"
	"unsafe"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/prefetch"
	"github.com/troupe-go/troupe/internal/workers"
)

// TestFibersOfTheSharedQueueAreWarmed has many fibers wait, and all be resumed before
// the worker comes to the first of them.
func TestFibersOfTheSharedQueueAreWarmed(t *testing.T) {
	if !prefetch.Enabled {
		t.Skip("nothing is fetched ahead here")
	}
	const n = 100
	ctx, s := guarded(t), newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	var all []*workers.Fiber // The worker's.
	gone := make(chan struct{}, n)
	resumed := false // The worker's.
	for range n {
		start(t, ctx, s, func(ctx context.Context) error {
			f := workers.Current(ctx)
			for all = append(all, f); !resumed; {
				f.Suspend()
			}
			gone <- struct{}{}
			return nil
		})
	}
	patience.Until(t, ctx, func() bool { return s.Stats().Workers[0].Suspended >= n })
	start(t, ctx, s, func(context.Context) error {
		resumed = true
		for _, f := range all {
			f.Resume(nil, workers.Normal)
		}
		return nil
	})
	for range n {
		receive(t, ctx, "the end of a fiber's work", gone)
	}
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	// Jobs that come alone, in a fair turn, are not.
	if got := s.Warmed(); got < n/2 {
		t.Errorf("%d of %d fibers were warmed", got, n)
	}
}

func TestTopOfAStackIsNoted(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	j := start(t, ctx, s, func(ctx context.Context) error {
		f := workers.Current(ctx)
		var own byte
		f.Submit(&newWork(func(*workers.Fiber, workers.Priority) {}).Node, workers.Normal)
		before := uintptr(unsafe.Pointer(&own))
		f.Yield(workers.Normal)
		// Unless the stack was moved meanwhile.
		if at := uintptr(unsafe.Pointer(&own)); at == before && (f.Top() >= at || f.Top() < at-1<<10) {
			t.Errorf("the stack was left at %#x by a call of one whose variable is at %#x", f.Top(), at)
		}
		return nil
	})
	if err := j.Wait(ctx); err != nil {
		t.Error(err)
	}
}

func TestAFiberIsSmall(t *testing.T) {
	if workers.FiberSize > 160 {
		t.Errorf("a fiber takes %d bytes, which is more than 160", workers.FiberSize)
	}
}
