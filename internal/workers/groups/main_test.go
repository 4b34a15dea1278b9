package groups_test

import (
	"context"
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
	nothing      = workerstest.Nothing
	onFiber      = workerstest.OnFiber
	checkSays    = workerstest.Says
)

func receive[T any](tb testing.TB, ctx context.Context, what string, ch <-chan T) T {
	tb.Helper()
	return workerstest.Receive(tb, ctx, what, ch)
}

// occupy holds a worker, busily blocked, until the returned function is called.
func occupy(tb testing.TB, ctx context.Context, s *workers.Scheduler) (release func()) {
	tb.Helper()
	return workerstest.Occupy(tb, ctx, s, workers.Critical)
}
