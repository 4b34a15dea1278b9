package sched_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/sched"
)

func stateOf(s *sched.Scheduler, worker int) sched.WorkerState {
	return s.Stats().Workers[worker].State
}

func TestWorkerThatSearchesIsStealing(t *testing.T) {
	s := sched.NewStill(sched.Config{Workers: 2})
	if got := stateOf(s, 0); got != sched.WorkerWorking {
		t.Errorf("a worker that has begun is %v", got)
	}
	s.Worker(0).Search()
	if got := stateOf(s, 0); got != sched.WorkerStealing {
		t.Errorf("a worker that has searched in vain is %v", got)
	}
	s.Worker(0).Found()
	if got := stateOf(s, 0); got != sched.WorkerWorking {
		t.Errorf("a worker that has found something is %v", got)
	}
}

// TestWorkerThatRunsCriticalWorkIsPreempting looks from the inside of each job.
func TestWorkerThatRunsCriticalWorkIsPreempting(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1})
	var before, during, after sched.WorkerState
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		before = stateOf(s, 0)
		_, err := s.Go(ctx, func(context.Context) error { during = stateOf(s, 0); return nil },
			sched.WithPriority(sched.Critical))
		sched.Current(ctx).Checkpoint()
		after = stateOf(s, 0)
		return err
	}))
	if before != sched.WorkerWorking || during != sched.WorkerPreempting || after != sched.WorkerWorking {
		t.Errorf("the worker was %v, %v and %v; want working, preempting, working", before, during, after)
	}
}

func TestWorkerIsDrainingThenShutDown(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1})
	eventually(t, ctx, "the worker to sleep", func() bool { return stateOf(s, 0) == sched.WorkerIdle })
	release := occupy(t, ctx, s)
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(ctx) }()
	eventually(t, ctx, "the worker to drain", func() bool { return stateOf(s, 0) == sched.WorkerDraining })
	release()
	if err := receive(t, ctx, "the stop", stopped); err != nil {
		t.Fatal(err)
	}
	if got := stateOf(s, 0); got != sched.WorkerShutDown {
		t.Errorf("a worker that has left is %v", got)
	}
}

func TestWorkerIsBlockedAndItsSpareRetires(t *testing.T) {
	lane.Short(t)
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1})
	release := occupy(t, ctx, s)
	finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }))
	if got := stateOf(s, 0); got != sched.WorkerBlocked {
		t.Errorf("a worker that was replaced is %v", got)
	}
	release()
	eventually(t, ctx, "the blocked one to be back", func() bool { return stateOf(s, 0) != sched.WorkerBlocked })
	// A spare that sleeps is not aware of a surplus; two jobs at a time wake it.
	eventually(t, ctx, "the spare to retire", func() bool {
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }))
		return stateOf(s, 1) == sched.WorkerRetired
	})
}

// TestWorkerThatIsSummonedIsWorking wakes a worker for work of its inbox, which
// it does not have to search for.
func TestWorkerThatIsSummonedIsWorking(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2})
	for range 20 {
		eventually(t, ctx, "the worker to sleep", func() bool { return stateOf(s, 1) == sched.WorkerIdle })
		var got sched.WorkerState
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { got = stateOf(s, 1); return nil }, sched.WithWorker(1)))
		if got != sched.WorkerWorking {
			t.Fatalf("a worker that was summoned is %v", got)
		}
	}
}
