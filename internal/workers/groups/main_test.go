package groups_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/leak"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/workers"
)

func TestMain(m *testing.M) { leak.Main(m) }

var (
	guarded = patience.Context
	expired = patience.Ended
)

// newScheduler returns a scheduler that is stopped at the end of the test.
func newScheduler(tb testing.TB, cfg workers.Config) *workers.Scheduler {
	tb.Helper()
	s, err := workers.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	patience.StopAtEnd(tb, s)
	return s
}

// start submits fn as a job.
func start(tb testing.TB, ctx context.Context, s *workers.Scheduler, fn func(context.Context) error, opts ...workers.JobOption) *workers.Job {
	tb.Helper()
	j, err := s.Go(ctx, fn, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return j
}

// finish waits for jobs that are expected to succeed.
func finish(tb testing.TB, ctx context.Context, jobs ...*workers.Job) {
	tb.Helper()
	for i, j := range jobs {
		if err := j.Wait(ctx); err != nil {
			tb.Fatalf("job %d of %d: %v", i+1, len(jobs), err)
		}
	}
}

// receive waits for a value of ch, or for its closing.
func receive[T any](tb testing.TB, ctx context.Context, what string, ch <-chan T) (v T) {
	tb.Helper()
	select {
	case v = <-ch:
	case <-ctx.Done():
		tb.Fatalf("waited in vain: %s", what)
	}
	return v
}

// eventually waits until holds does.
func eventually(tb testing.TB, ctx context.Context, what string, holds func() bool) {
	tb.Helper()
	for !holds() {
		if ctx.Err() != nil {
			tb.Fatalf("waited in vain: %s", what)
		}
		runtime.Gosched()
	}
}

// inState reports how many of the scheduler's workers are in one of the states.
func inState(s *workers.Scheduler, states ...workers.WorkerState) (n int) {
	for _, w := range s.Stats().Workers {
		if slices.Contains(states, w.State) {
			n++
		}
	}
	return n
}

// work is a Runner made of a function.
type work struct {
	workers.Node
	run func(f *workers.Fiber, p workers.Priority)
}

func newWork(run func(f *workers.Fiber, p workers.Priority)) *work {
	w := &work{run: run}
	w.Init(w)
	return w
}

func (w *work) Run(f *workers.Fiber, p workers.Priority) { w.run(f, p) }

// submit queues run from outside.
func submit(tb testing.TB, s *workers.Scheduler, p workers.Priority, run func(f *workers.Fiber, p workers.Priority)) {
	tb.Helper()
	if err := s.Submit(&newWork(run).Node, p); err != nil {
		tb.Fatal(err)
	}
}

// occupy holds a worker, busily blocked, until the returned function is called.
func occupy(tb testing.TB, ctx context.Context, s *workers.Scheduler) (release func()) {
	tb.Helper()
	return occupyBy(tb, ctx, s, workers.Critical)
}

func occupyBy(tb testing.TB, ctx context.Context, s *workers.Scheduler, p workers.Priority) (release func()) {
	tb.Helper()
	begun, gate := make(chan struct{}), make(chan struct{})
	submit(tb, s, p, func(*workers.Fiber, workers.Priority) {
		close(begun)
		<-gate
	})
	receive(tb, ctx, "a worker to occupy", begun)
	return func() { close(gate) }
}

// nothing is a job that does nothing.
func nothing(context.Context) error { return nil }

// onFiber reports, as an error, a context that does not lead to its fiber.
func onFiber(ctx context.Context) error {
	if workers.Current(ctx) == nil {
		return errors.New("not on a fiber")
	}
	return nil
}

func checkSays(t *testing.T, err error, says ...string) {
	t.Helper()
	for _, text := range says {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error %q does not say %q", err, text)
		}
	}
}
