package workers_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/workers"
)

// soon is a timeout that a test waits for.
const soon = 20 * time.Millisecond

// TestJobTimesOut has jobs run out of time in every way there is, by the
// timeout of all jobs and by one of their own.
func TestJobTimesOut(t *testing.T) {
	for name, run := range map[string]func(ctx context.Context, s *workers.Scheduler, gate chan struct{}) error{
		"in a channel":        func(_ context.Context, _ *workers.Scheduler, gate chan struct{}) error { <-gate; return nil },
		"in its Done":         func(ctx context.Context, _ *workers.Scheduler, _ chan struct{}) error { <-ctx.Done(); return ctx.Err() },
		"by its own Deadline": func(ctx context.Context, _ *workers.Scheduler, _ chan struct{}) error { return untilErr(ctx) },
		"suspended": func(ctx context.Context, s *workers.Scheduler, gate chan struct{}) error {
			other, err := s.Go(context.Background(), func(context.Context) error { <-gate; return nil }, workers.WithTimeout(0))
			return errors.Join(err, other.Wait(ctx))
		},
		"spinning": func(_ context.Context, _ *workers.Scheduler, gate chan struct{}) error {
			for open := true; open; open = !closed(gate) {
				continue
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, own := range []bool{false, true} {
				ctx := guarded(t)
				cfg, opts := workers.Config{Workers: 2, JobTimeout: soon}, []workers.JobOption(nil)
				if own {
					cfg.JobTimeout, opts = time.Hour, []workers.JobOption{workers.WithTimeout(soon)}
				}
				s := newScheduler(t, cfg)
				gate := make(chan struct{})
				began := time.Now()
				j := start(t, ctx, s, func(ctx context.Context) error { return run(ctx, s, gate) }, opts...)
				done := j.Done()
				err := j.Wait(ctx)
				if !errors.Is(err, workers.ErrJobTimeout) || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("own %t: Wait returned %v", own, err)
				}
				if took := time.Since(began); took < soon {
					t.Errorf("own %t: timed out after %v", own, took)
				}
				if st := j.State(); st != workers.JobTimedOut {
					t.Errorf("own %t: it is %v", own, st)
				}
				receive(t, ctx, "Done", done)
				close(gate)
				eventually(t, ctx, "the function to return", func() bool { st := s.Stats(); return st.Overdue == 0 && st.Jobs == 0 })
				if st := j.State(); st != workers.JobTimedOut || !errors.Is(j.Wait(ctx), workers.ErrJobTimeout) {
					t.Errorf("own %t: after its return it is %v", own, st)
				}
			}
		})
	}
}

func closed(gate <-chan struct{}) bool {
	select {
	case <-gate:
		return true
	default:
		return false
	}
}

func untilErr(ctx context.Context) error {
	for ctx.Err() == nil {
		workers.Current(ctx).Checkpoint()
	}
	return ctx.Err()
}

// TestOverdueJobCounts has one go on after its time, during a stop.
func TestOverdueJobCounts(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	gate := make(chan struct{})
	j := start(t, ctx, s, func(ctx context.Context) error {
		<-gate
		if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Err is %v", err)
		}
		if cause := context.Cause(ctx); !errors.Is(cause, workers.ErrJobTimeout) {
			t.Errorf("the cause is %v", cause)
		}
		return ctx.Err()
	}, workers.WithTimeout(soon), workers.WithKind("slow"))
	if err := j.Wait(ctx); !errors.Is(err, workers.ErrJobTimeout) {
		t.Errorf("Wait returned %v", err)
	}
	if st := s.Stats(); st.Overdue != 1 || st.Jobs != 1 {
		t.Errorf("%d overdue, %d jobs; want 1, 1", st.Overdue, st.Jobs)
	}
	if w := j.Info().Worker; w != 0 {
		t.Errorf("an overdue job is on worker %d", w)
	}
	if j.Cancel(nil) {
		t.Error("a job that has timed out can be cancelled")
	}
	if err := s.Stop(expired()); err == nil {
		t.Error("the stop does not wait for an overdue function")
	}
	close(gate)
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	st := s.Stats()
	if st.Overdue != 0 || st.Jobs != 0 || len(st.Kinds) != 1 || st.Kinds[0].Failed != 1 {
		t.Errorf("after the stop: %+v", st)
	}
}

// TestTimeoutCountsFromTheStart has a job wait in the queue for longer than it
// may run.
func TestTimeoutCountsFromTheStart(t *testing.T) {
	ctx := guarded(t)
	var clock workers.Clock
	s, err := workers.NewWithClock(workers.Config{Workers: 1, MaxSpares: -1}, &clock)
	if err != nil {
		t.Fatal(err)
	}
	release := occupy(t, ctx, s)
	begun, gate := make(chan struct{}), make(chan struct{})
	j := start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil })
	clock.Advance(time.Minute)
	s.Patrol()
	release()
	receive(t, ctx, "the job", begun)
	clock.Advance(29 * time.Second)
	s.Patrol()
	if st := j.State(); st != workers.JobRunning {
		t.Errorf("after 29 s of 30 it is %v", st)
	}
	clock.Advance(2 * time.Second)
	eventually(t, ctx, "the timeout", func() bool { s.Patrol(); return j.State() == workers.JobTimedOut })
	close(gate)
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestSleepingSchedulerTimesOut has all workers asleep, and the monitor with
// them, while a job waits.
func TestSleepingSchedulerTimesOut(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, JobTimeout: 200 * time.Millisecond})
	j := start(t, ctx, s, func(ctx context.Context) error {
		for ctx.Err() == nil {
			workers.Current(ctx).Suspend()
		}
		return ctx.Err()
	})
	eventually(t, ctx, "the monitor to sleep", s.MonitorAsleep)
	if err := j.Wait(ctx); !errors.Is(err, workers.ErrJobTimeout) {
		t.Errorf("Wait returned %v", err)
	}
}

// TestTimeoutOfMoreThanAPatrolSees has more jobs wait than one patrol looks at.
func TestTimeoutOfMoreThanAPatrolSees(t *testing.T) {
	lane.Short(t)
	const n = 5000
	ctx := guarded(t)
	var clock workers.Clock
	s, err := workers.NewWithClock(workers.Config{Workers: 1}, &clock)
	if err != nil {
		t.Fatal(err)
	}
	jobs, fibers := make([]*workers.Job, n), make([]*workers.Fiber, n)
	for i := range jobs {
		jobs[i] = start(t, ctx, s, func(ctx context.Context) error {
			fibers[i] = workers.Current(ctx)
			fibers[i].Suspend()
			return nil
		})
	}
	for _, j := range jobs {
		eventually(t, ctx, "the suspension", func() bool { return j.State() == workers.JobWaiting })
	}
	clock.Advance(time.Minute)
	s.Patrol()
	s.Patrol()
	for _, j := range jobs {
		eventually(t, ctx, "the timeout", func() bool { return j.State() == workers.JobTimedOut })
	}
	for _, f := range fibers {
		f.Resume(nil, workers.Normal)
	}
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestNoTimeout lets a job go on for ever, as far as the clock is concerned.
func TestNoTimeout(t *testing.T) {
	ctx := guarded(t)
	for _, c := range []struct {
		timeout time.Duration
		opts    []workers.JobOption
	}{{-1, nil}, {0, []workers.JobOption{workers.WithTimeout(0)}}} {
		var clock workers.Clock
		s, err := workers.NewWithClock(workers.Config{Workers: 1, JobTimeout: c.timeout}, &clock)
		if err != nil {
			t.Fatal(err)
		}
		begun, gate := make(chan struct{}), make(chan struct{})
		j := start(t, ctx, s, func(ctx context.Context) error { close(begun); <-gate; return ctx.Err() }, c.opts...)
		receive(t, ctx, "the job", begun)
		clock.Advance(1000 * time.Hour)
		s.Patrol()
		close(gate)
		finish(t, ctx, j)
		if err := s.Stop(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEndedFibersAreForgotten ends fibers in both ways.
func TestEndedFibersAreForgotten(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	const n = 200
	gate := make(chan struct{})
	closed := start(t, ctx, s, func(context.Context) error { <-gate; return nil }, workers.WithPriority(workers.Low))
	var jobs []*workers.Job
	for range n {
		jobs = append(jobs, start(t, ctx, s, closed.Wait))
	}
	eventually(t, ctx, "all to wait", func() bool { return s.Fibers() > n/2 })
	close(gate)
	finish(t, ctx, jobs...)
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if left := s.Fibers(); left != 0 {
		t.Errorf("%d fibers are known after the stop", left)
	}
}
