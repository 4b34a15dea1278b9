package workers_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

// TestCancelledJobNeverRuns cancels queued jobs; their entries are void.
func TestCancelledJobNeverRuns(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	release := occupy(t, ctx, s)
	cause := errors.New("changed my mind")
	for _, c := range []error{nil, cause} {
		j := start(t, ctx, s, func(context.Context) error { t.Error("a cancelled job ran"); return nil })
		if st := j.State(); st != workers.JobPending {
			t.Errorf("a queued job is %v", st)
		}
		waited := make(chan error, 1)
		go func() { waited <- j.Wait(ctx) }()
		eventually(t, ctx, "the waiter", func() bool { return j.Waiters() == 1 })
		done := j.Done()
		if !j.Cancel(c) {
			t.Error("a queued job can't be cancelled")
		}
		err := receive(t, ctx, "the waiter", waited)
		if !errors.Is(err, context.Canceled) || c != nil && !errors.Is(err, c) {
			t.Errorf("Wait returned %v for the cause %v", err, c)
		}
		checkSays(t, err, "sched: ", "before it began")
		receive(t, ctx, "Done", done)
		if j.Cancel(errors.New("again")) || j.State() != workers.JobCancelled {
			t.Errorf("a cancelled job is cancelled again; it is %v", j.State())
		}
		if again := j.Wait(ctx); !errors.Is(again, context.Canceled) || again.Error() != err.Error() {
			t.Errorf("the result has changed from %v to %v", err, again)
		}
	}
	release()
	finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }))
	eventually(t, ctx, "the void entries", func() bool { return s.Stats().Jobs == 0 })
}

// TestCancelEndsTheContext cancels jobs that block, that wait and that look.
func TestCancelEndsTheContext(t *testing.T) {
	cause := errors.New("enough")
	for name, wait := range map[string]func(ctx context.Context, s *workers.Scheduler) error{
		"in a channel": func(ctx context.Context, _ *workers.Scheduler) error { <-ctx.Done(); return context.Cause(ctx) },
		"suspended": func(ctx context.Context, s *workers.Scheduler) error {
			gate := make(chan struct{})
			defer close(gate)
			j, err := s.Go(context.Background(), func(context.Context) error { <-gate; return nil })
			return errors.Join(err, j.Wait(ctx))
		},
		"looking": func(ctx context.Context, _ *workers.Scheduler) error {
			for ctx.Err() == nil {
				workers.Current(ctx).Checkpoint()
			}
			return context.Cause(ctx)
		},
		"in a derived context": func(ctx context.Context, _ *workers.Scheduler) error {
			derived, cancel := context.WithCancel(ctx)
			defer cancel()
			<-derived.Done()
			return context.Cause(derived)
		},
		"with a plain error": func(ctx context.Context, _ *workers.Scheduler) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			s := newScheduler(t, workers.Config{Workers: 2})
			begun := make(chan struct{})
			j := start(t, ctx, s, func(ctx context.Context) error { close(begun); return wait(ctx, s) })
			receive(t, ctx, "the job", begun)
			if !j.Cancel(cause) {
				t.Error("a running job can't be cancelled")
			}
			if err := j.Wait(ctx); !errors.Is(err, cause) && !errors.Is(err, context.Canceled) {
				t.Errorf("the job ended with %v", err)
			}
			if st := j.State(); st != workers.JobCancelled {
				t.Errorf("it is %v", st)
			}
		})
	}
}

// TestCancelledJobMaySucceed cancels one that does not care.
func TestCancelledJobMaySucceed(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	for _, want := range []error{nil, errors.New("a failure of its own")} {
		begun, gate := make(chan struct{}), make(chan struct{})
		j := start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return want })
		receive(t, ctx, "the job", begun)
		j.Cancel(nil)
		close(gate)
		if err := j.Wait(ctx); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
		if st := j.State(); want == nil && st != workers.JobCompleted || want != nil && st != workers.JobFailed {
			t.Errorf("with %v it is %v", want, st)
		}
	}
}

// TestCancelReachesTheJobsBelow cancels the first of a chain of jobs that wait
// for each other with their own contexts.
func TestCancelReachesTheJobsBelow(t *testing.T) {
	const depth = 20
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2, MaxSpares: -1})
	cause := errors.New("all of it")
	waiting := make(chan *workers.Fiber, 1)
	var chain func(level int) func(context.Context) error
	chain = func(level int) func(context.Context) error {
		return func(ctx context.Context) error {
			if level == 0 {
				waiting <- workers.Current(ctx)
				for ctx.Err() == nil {
					var w workers.Waiter
					w.Arm(ctx, s)
					w.Wait(ctx)
					w.Disarm()
				}
				return context.Cause(ctx)
			}
			next, err := s.Go(ctx, chain(level-1))
			if err != nil {
				return err
			}
			// The upper ones end because the lowest does.
			return next.Wait(context.WithoutCancel(ctx))
		}
	}
	j := start(t, ctx, s, chain(depth))
	receive(t, ctx, "the lowest", waiting)
	eventually(t, ctx, "all to wait", func() bool { return inState(s, workers.WorkerIdle) == 2 })
	j.Cancel(cause)
	if err := j.Wait(ctx); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// TestCallersContextResumesAJobBelow ends the context above two jobs, the lower
// of which is suspended.
func TestCallersContextResumesAJobBelow(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	cause := errors.New("gone")
	outer, cancel := context.WithCancelCause(ctx)
	never := make(chan struct{})
	defer close(never)
	waits := make(chan struct{})
	j := start(t, outer, s, func(ctx context.Context) error {
		inner, err := s.Go(ctx, func(ctx context.Context) error {
			close(waits)
			var w workers.Waiter
			w.Arm(ctx, s)
			defer w.Disarm()
			for w.Wait(ctx) {
				continue
			}
			return context.Cause(ctx)
		})
		if err != nil {
			return err
		}
		return inner.Wait(context.WithoutCancel(ctx))
	})
	receive(t, ctx, "the inner job", waits)
	eventually(t, ctx, "the worker to sleep", func() bool { return inState(s, workers.WorkerIdle) == 1 })
	cancel(cause)
	if err := j.Wait(ctx); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// TestCancelMeetsTheStart cancels jobs at every moment: each either runs, or is
// reported as cancelled, and never both.
func TestCancelMeetsTheStart(t *testing.T) {
	const n = 3000
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	ran := make([]bool, n)
	jobs := make([]*workers.Job, n)
	var all sync.WaitGroup
	for i := range n {
		jobs[i] = start(t, ctx, s, func(context.Context) error { ran[i] = true; return nil })
		all.Go(func() { jobs[i].Cancel(nil) })
	}
	all.Wait()
	cancelled := 0
	for i, j := range jobs {
		err := j.Wait(ctx)
		if ran[i] != (err == nil) {
			t.Fatalf("job %d ran: %t, and ended with %v", i, ran[i], err)
		}
		if err != nil {
			cancelled++
		}
	}
	t.Logf("%d of %d were cancelled", cancelled, n)
	eventually(t, ctx, "the count", func() bool { return s.Stats().Jobs == 0 })
}
