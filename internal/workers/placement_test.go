package workers_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/settings"
)

func still(cfg workers.Config) *workers.Scheduler {
	s := workers.NewStill(cfg)
	for i := range s.Workers() {
		s.Worker(i).SetResting(true)
	}
	return s
}

// TestLeastLoadedWorkerGetsTheWork compares what each submission does with the
// loads before it.
func TestLeastLoadedWorkerGetsTheWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := still(workers.Config{Workers: 4, Placement: settings.LeastLoaded})
		pace := make([]time.Duration, s.Workers())
		paced := rapid.Bool().Draw(t, "paced")
		for i := range pace {
			pace[i] = 1
			if paced {
				pace[i] = time.Duration(rapid.IntRange(1, 5).Draw(t, "pace")) * time.Microsecond
				s.Worker(i).SetPace(pace[i])
			}
			for range rapid.IntRange(0, 3).Draw(t, "queued") {
				s.Worker(i).Push(&newWork(nil).Node, workers.Normal)
			}
		}
		for range 20 {
			load := func(i int) time.Duration { return time.Duration(s.Worker(i).Pieces()) * pace[i] }
			before := make([]int, s.Workers())
			least := load(0)
			for i := range before {
				before[i] = s.Worker(i).Pieces()
				least = min(least, load(i))
			}
			if err := s.Submit(&newWork(nil).Node, workers.Normal); err != nil {
				t.Fatal(err)
			}
			for i, n := range before {
				if s.Worker(i).Pieces() > n && time.Duration(n)*pace[i] != least {
					t.Fatalf("worker %d got it, with %d pieces of %v; pieces before were %v", i, n, pace[i], before)
				}
			}
		}
	})
}

func TestLeastLoadedPassesBlockedAndReservedWorkers(t *testing.T) {
	s := still(workers.Config{Workers: 4, Placement: settings.LeastLoaded, Reserved: reserve(1, 1)})
	block(s.Worker(3))
	for range 10 {
		if err := s.Submit(&newWork(nil).Node, workers.Normal); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Worker(2).Pieces(); got != 10 {
		t.Errorf("the only worker that takes it has %d pieces, want 10", got)
	}
	if err := s.Submit(&newWork(nil).Node, workers.High); err != nil {
		t.Fatal(err)
	}
	if got := s.Worker(1).Pieces(); got != 1 {
		t.Errorf("the worker for high work has %d pieces, want 1", got)
	}
	if id, ok := s.LeastLoadedWorker(workers.Low); !ok || id != 2 {
		t.Errorf("LeastLoadedWorker: %d, %t; want 2", id, ok)
	}
	block(s.Worker(2))
	if id, ok := s.LeastLoadedWorker(workers.Normal); ok {
		t.Errorf("LeastLoadedWorker: %d, though it is blocked", id)
	}
	if id, ok := s.LeastLoadedWorker(17); ok {
		t.Errorf("LeastLoadedWorker for an unknown priority: %d", id)
	}
	if err := s.Submit(&newWork(nil).Node, workers.Normal); err != nil {
		t.Fatal(err)
	}
	if got := s.Stats().Queued[workers.Normal]; got != 11 || s.Worker(2).Pieces() != 10 {
		t.Errorf("%d are queued, want 11, the last in the shared queue", got)
	}
}

// TestLeastLoadedRunsEverything does so with many submitters, and jobs that wait
// and block.
func TestLeastLoadedRunsEverything(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 3, Placement: settings.LeastLoaded})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 500 {
				gate := make(chan struct{})
				j, err := s.Go(ctx, func(ctx context.Context) error {
					if i%100 == 0 {
						<-gate
					}
					child, err := s.Go(ctx, func(context.Context) error { return nil })
					if err != nil {
						return err
					}
					return child.Wait(ctx)
				}, workers.WithPriority(workers.Priority(i%4)))
				if err != nil {
					t.Error(err)
					return
				}
				close(gate)
				if err := j.Wait(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Submit(&newWork(nil).Node, workers.Normal); !errors.Is(err, workers.ErrStopped) {
		t.Errorf("after Stop: %v", err)
	}
}

// TestIdleWorkersStealPlacedWork holds the worker that was handed the work.
func TestIdleWorkersStealPlacedWork(t *testing.T) {
	s := still(workers.Config{Workers: 2, Placement: settings.LeastLoaded})
	n := names{}
	block(s.Worker(1))
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		n.outside(t, s, workers.Normal, name)
	}
	s.Worker(1).SignOfLife()
	x, p := s.Worker(1).SearchOnce(0)
	if n[x] != "a" || p != workers.Normal {
		t.Errorf("stole %q of priority %v, want the oldest", n[x], p)
	}
	if got := s.Worker(1).Pieces(); got != 2 {
		t.Errorf("%d came with it, want 2: half of 6 together", got)
	}
}

// TestPlacedWorkOfAHeldWorkerGetsASpare holds every worker, with work that was
// handed to one of them.
func TestPlacedWorkOfAHeldWorkerGetsASpare(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2, Placement: settings.LeastLoaded})
	gate := make(chan struct{})
	var jobs []*workers.Job
	var begun sync.WaitGroup
	for range 6 {
		begun.Add(1)
		jobs = append(jobs, start(t, ctx, s, func(context.Context) error { begun.Done(); <-gate; return nil }))
	}
	all := make(chan struct{})
	go func() { begun.Wait(); close(all) }()
	receive(t, ctx, "all to begin", all)
	close(gate)
	finish(t, ctx, jobs...)
}

func TestUnknownPlacementIsRefused(t *testing.T) {
	if _, err := workers.New(workers.Config{Placement: 7}); err == nil || !strings.Contains(err.Error(), "7") {
		t.Errorf("an unknown placement: %v", err)
	}
	for p, want := range map[settings.Placement]string{settings.Shared: "shared", settings.LeastLoaded: "least loaded", 9: "Placement(9)"} {
		if got := p.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// block has the worker be at work, and replaced by a spare.
func block(w *workers.Worker) {
	w.SetResting(false)
	w.SetReplaced()
}
