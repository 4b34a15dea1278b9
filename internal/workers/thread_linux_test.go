package workers_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/troupe-go/troupe/internal/workers"
)

// TestWorkersAreThreads: many jobs share a few threads of the system, on which they
// run at the same time. Two jobs that compute until each has found the other on
// another thread would do so for ever if there were one.
func TestWorkersAreThreads(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("with one processor, threads take turns")
	}
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2, MaxSpares: -1})
	var on [2]atomic.Int64
	meet := func(i int) *workers.Job {
		return start(t, ctx, s, func(ctx context.Context) error {
			for ctx.Err() == nil {
				mine, other := int64(unix.Gettid()), on[1-i].Load()
				on[i].Store(mine)
				if other != 0 && other != mine {
					return nil
				}
			}
			return ctx.Err()
		})
	}
	finish(t, ctx, meet(0), meet(1))
	var mu sync.Mutex
	threads := map[int]bool{}
	const many = 1000
	var jobs []*workers.Job
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
