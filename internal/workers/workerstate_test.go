package workers_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/workers"
)

func stateOf(s *workers.Scheduler, worker int) workers.WorkerState {
	return s.Stats().Workers[worker].State
}

func TestWorkerThatSearchesIsStealing(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	if got := stateOf(s, 0); got != workers.WorkerWorking {
		t.Errorf("a worker that has begun is %v", got)
	}
	s.Worker(0).Search()
	if got := stateOf(s, 0); got != workers.WorkerStealing {
		t.Errorf("a worker that has searched in vain is %v", got)
	}
	s.Worker(0).Found()
	if got := stateOf(s, 0); got != workers.WorkerWorking {
		t.Errorf("a worker that has found something is %v", got)
	}
}

// TestWorkerThatRunsCriticalWorkIsPreempting looks from the inside of each job.
func TestWorkerThatRunsCriticalWorkIsPreempting(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	var before, during, after workers.WorkerState
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		before = stateOf(s, 0)
		_, err := s.Go(ctx, func(context.Context) error { during = stateOf(s, 0); return nil },
			workers.WithPriority(workers.Critical))
		workers.Current(ctx).Checkpoint()
		after = stateOf(s, 0)
		return err
	}))
	if before != workers.WorkerWorking || during != workers.WorkerPreempting || after != workers.WorkerWorking {
		t.Errorf("the worker was %v, %v and %v; want working, preempting, working", before, during, after)
	}
}

func TestWorkerIsDrainingThenShutDown(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	eventually(t, ctx, "the worker to sleep", func() bool { return stateOf(s, 0) == workers.WorkerIdle })
	release := occupy(t, ctx, s)
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(ctx) }()
	eventually(t, ctx, "the worker to drain", func() bool { return stateOf(s, 0) == workers.WorkerDraining })
	release()
	if err := receive(t, ctx, "the stop", stopped); err != nil {
		t.Fatal(err)
	}
	if got := stateOf(s, 0); got != workers.WorkerShutDown {
		t.Errorf("a worker that has left is %v", got)
	}
}

func TestWorkerIsBlockedAndItsSpareRetires(t *testing.T) {
	lane.Short(t)
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	on, gate := make(chan int, 1), make(chan struct{})
	submit(t, s, workers.Critical, func(f *workers.Fiber, _ workers.Priority) {
		on <- f.Worker() // A worker that is slow to begin is replaced before, and then it is the spare.
		<-gate
	})
	held := receive(t, ctx, "a worker to occupy", on)
	eventually(t, ctx, "the held worker to be replaced", func() bool {
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }))
		return stateOf(s, held) == workers.WorkerBlocked
	})
	close(gate)
	eventually(t, ctx, "the blocked one to be back", func() bool { return stateOf(s, held) != workers.WorkerBlocked })
	retireSpares(t, ctx, s, 1)
}

// TestWorkerThatIsSummonedIsWorking wakes a worker for work of its inbox, which
// it does not have to search for.
func TestWorkerThatIsSummonedIsWorking(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	for range 20 {
		eventually(t, ctx, "the worker to sleep", func() bool { return stateOf(s, 1) == workers.WorkerIdle })
		var got workers.WorkerState
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { got = stateOf(s, 1); return nil }, workers.WithWorker(1)))
		if got != workers.WorkerWorking {
			t.Fatalf("a worker that was summoned is %v", got)
		}
	}
}
