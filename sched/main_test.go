package sched_test

import (
	"context"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/leak"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/sched"
)

func TestMain(m *testing.M) { leak.Main(m) }

var guarded = patience.Context

// newScheduler returns a scheduler that is stopped at the end of the test.
func newScheduler(tb testing.TB, cfg sched.Config) *sched.Scheduler {
	tb.Helper()
	s, err := sched.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	patience.StopAtEnd(tb, s)
	return s
}

// start submits fn as a job.
func start(tb testing.TB, ctx context.Context, s *sched.Scheduler, fn func(context.Context) error, opts ...sched.JobOption) *sched.Job {
	tb.Helper()
	j, err := s.Go(ctx, fn, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return j
}

func checkSays(t *testing.T, err error, says ...string) {
	t.Helper()
	for _, text := range says {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error %q does not say %q", err, text)
		}
	}
}
