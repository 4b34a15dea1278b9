package strand_test

import (
	"context"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/internal/leak"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

func TestMain(m *testing.M) { leak.Main(m) }

var guarded = patience.Context

var errBroken = errors.New("broken")

// newScheduler returns a scheduler that is stopped at the end of the test. With one
// worker there is never another, so that what runs on it needs no locks.
func newScheduler(tb testing.TB, workers int) *sched.Scheduler {
	tb.Helper()
	cfg := sched.Config{Workers: workers}
	if workers == 1 {
		cfg.MaxSpares = -1
	}
	s, err := sched.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	patience.StopAtEnd(tb, s)
	return s
}

// start starts fn, which may end the test's goroutine's patience but not the test.
func start(tb testing.TB, ctx context.Context, fn func(s *strand.Strand) error, opts ...strand.Option) *strand.Strand {
	tb.Helper()
	s, err := strand.Go(ctx, fn, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// join waits for a strand that must not fail.
func join(tb testing.TB, ctx context.Context, s *strand.Strand) {
	tb.Helper()
	if err := s.Join(ctx); err != nil {
		tb.Fatal(err)
	}
}

// run runs fn as a strand of a scheduler of its own.
func run(tb testing.TB, workers int, fn func(s *strand.Strand) error) {
	tb.Helper()
	ctx := guarded(tb)
	join(tb, ctx, start(tb, ctx, fn, strand.On(newScheduler(tb, workers))))
}

// is checks that err is all of wants.
func is(tb testing.TB, err error, wants ...error) {
	tb.Helper()
	for _, want := range wants {
		if !errors.Is(err, want) {
			tb.Errorf("the error is %v, want %v", err, want)
		}
	}
}
