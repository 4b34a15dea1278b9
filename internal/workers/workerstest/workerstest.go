// Package workerstest has what tests of the workers, and of rooms that build on them, share:
//
//	s := workerstest.New(t, workers.Config{Workers: 2})
//	ctx := patience.Context(t)
//	release := workerstest.Occupy(t, ctx, s, workers.Critical)
//	j := workerstest.Start(t, ctx, s, workerstest.Nothing)
//	release()
//	workerstest.Finish(t, ctx, j)
//
// Each function fails the test if what it waits for does not happen before its context ends.
package workerstest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/workers"
)

// New returns a scheduler that is stopped at the end of the test.
func New(tb testing.TB, cfg workers.Config) *workers.Scheduler {
	tb.Helper()
	s, err := workers.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	patience.StopAtEnd(tb, s)
	return s
}

// Start submits fn as a job.
func Start(tb testing.TB, ctx context.Context, s *workers.Scheduler, fn func(context.Context) error, opts ...workers.JobOption) *workers.Job {
	tb.Helper()
	j, err := s.Go(ctx, fn, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return j
}

// Finish waits for jobs that are expected to succeed.
func Finish(tb testing.TB, ctx context.Context, jobs ...*workers.Job) {
	tb.Helper()
	for i, j := range jobs {
		if err := j.Wait(ctx); err != nil {
			tb.Fatalf("job %d of %d: %v", i+1, len(jobs), err)
		}
	}
}

// Receive waits for a value of ch, or for its closing.
func Receive[T any](tb testing.TB, ctx context.Context, what string, ch <-chan T) (v T) {
	tb.Helper()
	select {
	case v = <-ch:
	case <-ctx.Done():
		tb.Fatalf("waited in vain: %s", what)
	}
	return v
}

// Eventually waits until holds does.
func Eventually(tb testing.TB, ctx context.Context, what string, holds func() bool) {
	tb.Helper()
	for !holds() {
		if ctx.Err() != nil {
			tb.Fatalf("waited in vain: %s", what)
		}
		runtime.Gosched()
	}
}

// InState reports how many of the scheduler's workers are in one of the states.
func InState(s *workers.Scheduler, states ...workers.WorkerState) (n int) {
	for _, w := range s.Stats().Workers {
		if slices.Contains(states, w.State) {
			n++
		}
	}
	return n
}

// Work is a [workers.Runner] made of a function. NewWork makes one.
type Work struct {
	workers.Node
	Do func(f *workers.Fiber, p workers.Priority) // What Run calls.
}

// NewWork returns work that calls run.
func NewWork(run func(f *workers.Fiber, p workers.Priority)) *Work {
	w := &Work{Do: run}
	w.Init(w)
	return w
}

// Run calls the function.
func (w *Work) Run(f *workers.Fiber, p workers.Priority) { w.Do(f, p) }

// Submit queues run from outside.
func Submit(tb testing.TB, s *workers.Scheduler, p workers.Priority, run func(f *workers.Fiber, p workers.Priority)) {
	tb.Helper()
	if err := s.Submit(&NewWork(run).Node, p); err != nil {
		tb.Fatal(err)
	}
}

// Occupy holds a worker, busily blocked, with work of priority p until the returned function is
// called. An urgent worker takes critical work alone.
func Occupy(tb testing.TB, ctx context.Context, s *workers.Scheduler, p workers.Priority) (release func()) {
	tb.Helper()
	begun, gate := make(chan struct{}), make(chan struct{})
	Submit(tb, s, p, func(*workers.Fiber, workers.Priority) {
		close(begun)
		<-gate
	})
	Receive(tb, ctx, "a worker to occupy", begun)
	return func() { close(gate) }
}

// Nothing is a job that does nothing.
func Nothing(context.Context) error { return nil }

// OnFiber reports, as an error, a context that does not lead to its fiber.
func OnFiber(ctx context.Context) error {
	if workers.Current(ctx) == nil {
		return errors.New("not on a fiber")
	}
	return nil
}

// Says checks that an error has each of the texts.
func Says(tb testing.TB, err error, texts ...string) {
	tb.Helper()
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			tb.Errorf("error %q does not say %q", err, text)
		}
	}
}
