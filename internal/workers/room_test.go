package workers_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/settings"
)

func TestFullSchedulerRejects(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1, MaxQueued: 3, WhenFull: settings.RejectWhenFull})
	release := occupy(t, ctx, s)
	jobs := []*workers.Job{start(t, ctx, s, nothing), start(t, ctx, s, nothing), start(t, ctx, s, nothing)}
	_, err := s.Go(ctx, nothing)
	if !errors.Is(err, workers.ErrFull) {
		t.Fatalf("the fourth of 3 got %v", err)
	}
	checkSays(t, err, "sched: ", "3 jobs are queued", "Config.MaxQueued is 3")
	if n := s.Stats().Jobs; n != 3 {
		t.Errorf("%d jobs are counted", n)
	}
	jobs[0].Cancel(nil) // Its entry keeps its place until it comes up.
	release()
	finish(t, ctx, jobs[1:]...)
	for range 10 {
		finish(t, ctx, start(t, ctx, s, nothing))
	}
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		for range 3 {
			if _, err := s.Go(ctx, nothing); err != nil {
				return err
			}
		}
		if _, err := s.Go(ctx, nothing); !errors.Is(err, workers.ErrFull) {
			t.Errorf("a job's fourth of 3 got %v", err)
		}
		return nil
	}))
}

// Without a bound, any number of jobs is queued.
func TestQueueWithoutABound(t *testing.T) {
	ctx := guarded(t)
	for _, bound := range []int{0, -1} {
		s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1, MaxQueued: bound, WhenFull: settings.RejectWhenFull})
		release := occupy(t, ctx, s)
		jobs := make([]*workers.Job, 2000)
		for i := range jobs {
			jobs[i] = start(t, ctx, s, nothing)
		}
		release()
		finish(t, ctx, jobs...)
	}
}

// TestFullSchedulerLetsWait has many goroutines submit through a bound of 2.
func TestFullSchedulerLetsWait(t *testing.T) {
	const submitters, each = 8, 200
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2, MaxQueued: 2})
	var accepted, ran atomic.Int64
	var all sync.WaitGroup
	for range submitters {
		all.Go(func() {
			for range each {
				if _, err := s.Go(ctx, func(context.Context) error { ran.Add(1); return nil }); err != nil {
					t.Error(err)
					return
				}
				accepted.Add(1)
				// Each worker may have one in its hands.
				if queued := accepted.Load() - ran.Load(); queued > 2+2 {
					t.Errorf("%d are queued", queued)
				}
			}
		})
	}
	all.Wait()
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if n := ran.Load(); n != submitters*each {
		t.Errorf("%d of %d ran", n, submitters*each)
	}
}

// TestSubmitterGivesUp ends its wait for room by its context, and by a stop.
func TestSubmitterGivesUp(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1, MaxQueued: 1})
	release := occupy(t, ctx, s)
	queued := start(t, ctx, s, nothing)
	cause := errors.New("no patience")
	short, cancel := context.WithCancelCause(ctx)
	result := make(chan error, 1)
	submit := func(ctx context.Context) { _, err := s.Go(ctx, nothing); result <- err }
	go submit(short)
	eventually(t, ctx, "the submitter to wait", func() bool { return s.WaitingForRoom() == 1 })
	cancel(cause)
	if err := receive(t, ctx, "the submitter", result); !errors.Is(err, cause) {
		t.Errorf("the submitter got %v", err)
	}
	go submit(ctx)
	eventually(t, ctx, "the submitter to wait", func() bool { return s.WaitingForRoom() == 1 })
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(ctx) }()
	if err := receive(t, ctx, "the submitter", result); !errors.Is(err, workers.ErrStopped) {
		t.Errorf("at the stop the submitter got %v", err)
	}
	release()
	finish(t, ctx, queued)
	if err := receive(t, ctx, "the stop", stopped); err != nil {
		t.Error(err)
	}
}

// TestNestedSubmitIntoAFullSchedulerNeverDeadlocks has every worker submit more
// than there is room for, and wait for it.
func TestNestedSubmitIntoAFullSchedulerNeverDeadlocks(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2, MaxSpares: -1, MaxQueued: 1})
	var nest func(level int) func(context.Context) error
	nest = func(level int) func(context.Context) error {
		return func(ctx context.Context) error {
			var jobs []*workers.Job
			for range 4 {
				if level == 0 {
					return nil
				}
				j, err := s.Go(ctx, nest(level-1))
				if err != nil {
					return err
				}
				jobs = append(jobs, j)
			}
			for _, j := range jobs {
				if err := j.Wait(ctx); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for range 10 {
		finish(t, ctx, start(t, ctx, s, nest(4)))
	}
}

// TestJobOfAnotherSchedulerWaitsForRoom suspends there.
func TestJobOfAnotherSchedulerWaitsForRoom(t *testing.T) {
	ctx := guarded(t)
	other := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1, MaxQueued: 1})
	release := occupy(t, ctx, s)
	queued := start(t, ctx, s, nothing)
	j := start(t, ctx, other, func(ctx context.Context) error {
		mine, err := s.Go(ctx, nothing)
		return errors.Join(err, mine.Wait(ctx))
	})
	eventually(t, ctx, "the job to wait", func() bool { return j.State() == workers.JobWaiting })
	finish(t, ctx, start(t, ctx, other, nothing))
	release()
	finish(t, ctx, queued, j)
}
