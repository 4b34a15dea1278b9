package workers_test

import (
	"context"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/leak"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/workerstest"
)

func TestMain(m *testing.M) { leak.Main(m) }

var (
	guarded = patience.Context
	expired = patience.Ended

	newScheduler = workerstest.New
	start        = workerstest.Start
	finish       = workerstest.Finish
	eventually   = workerstest.Eventually
	inState      = workerstest.InState
	submit       = workerstest.Submit
	newWork      = workerstest.NewWork
	nothing      = workerstest.Nothing
	onFiber      = workerstest.OnFiber
	checkSays    = workerstest.Says
)

type work = workerstest.Work

func receive[T any](tb testing.TB, ctx context.Context, what string, ch <-chan T) T {
	tb.Helper()
	return workerstest.Receive(tb, ctx, what, ch)
}

// occupy holds a worker, busily blocked, until the returned function is called.
func occupy(tb testing.TB, ctx context.Context, s *workers.Scheduler) (release func()) {
	tb.Helper()
	return workerstest.Occupy(tb, ctx, s, workers.Critical)
}

// occupyCommon is occupy for a worker that is not an urgent one, which takes critical work alone.
func occupyCommon(tb testing.TB, ctx context.Context, s *workers.Scheduler) (release func()) {
	tb.Helper()
	return workerstest.Occupy(tb, ctx, s, workers.High)
}

// retireSpares waits until every worker but n has retired. A spare retires when it looks
// for work, and one that sleeps is woken for work that no other takes. So as many jobs as
// there are workers that have not retired wait for each other.
func retireSpares(tb testing.TB, ctx context.Context, s *workers.Scheduler, n int) {
	tb.Helper()
	eventually(tb, ctx, "the spares to retire", func() bool {
		present := len(s.Stats().Workers) - inState(s, workers.WorkerRetired)
		if present <= n {
			return true
		}
		var met sync.WaitGroup
		met.Add(present)
		var jobs []*workers.Job
		for range present {
			jobs = append(jobs, start(tb, ctx, s, func(context.Context) error { met.Done(); met.Wait(); return nil }))
		}
		finish(tb, ctx, jobs...)
		return false
	})
}
