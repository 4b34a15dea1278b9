package sched_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/troupe-go/troupe/sched"
)

// TestWorkersAreThreads: many jobs share a few threads of the system, on which they
// run at the same time. Two jobs that compute until both have begun can't be on one.
func TestWorkersAreThreads(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("with one processor, threads take turns")
	}
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2, MaxSpares: -1})
	var mu sync.Mutex
	threads := map[int]bool{}
	var met atomic.Int32
	meet := func(ctx context.Context) error {
		met.Add(1)
		for met.Load() < 2 && ctx.Err() == nil {
		}
		id := unix.Gettid() // Before the lock, which may have it go on elsewhere.
		mu.Lock()
		defer mu.Unlock()
		threads[id] = true
		return ctx.Err()
	}
	a, b := start(t, ctx, s, meet), start(t, ctx, s, meet)
	finish(t, ctx, a)
	finish(t, ctx, b)
	if len(threads) != 2 {
		t.Errorf("two jobs that ran at the same time were on %d threads", len(threads))
	}
	const many = 1000
	var jobs []*sched.Job
	for range many {
		jobs = append(jobs, start(t, ctx, s, func(context.Context) error {
			id := unix.Gettid() // Before the lock, which may have it go on elsewhere.
			mu.Lock()
			defer mu.Unlock()
			threads[id] = true
			return nil
		}))
	}
	for _, j := range jobs {
		finish(t, ctx, j)
	}
	if n := len(threads); n > many/10 {
		t.Errorf("%d jobs were on %d threads", many, n)
	}
}
