package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/settings"
)

// searchWindow lets the worker decide after a window of searches, so many of them in
// vain.
func searchWindow(s *workers.Scheduler, fruitless int) workers.StealStats {
	w := s.Worker(0)
	for i := range workers.StealWindow {
		w.Searched(i < fruitless)
	}
	w.Publish()
	return s.Stats().Workers[0].Steal
}

func checkSteal(t *testing.T, what string, got workers.StealStats, st settings.StealStrategy, why workers.StealReason) {
	t.Helper()
	if got.Strategy != st || got.Reason != why {
		t.Errorf("%s: %v for %v, want %v for %v", what, got.Strategy, got.Reason, st, why)
	}
}

func TestAdaptiveGoesByCost(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	w := s.Worker(0)
	w.Publish()
	checkSteal(t, "at the start", s.Stats().Workers[0].Steal, settings.StealBatched, workers.StealUnmeasured)
	checkSteal(t, "cost unknown", searchWindow(s, 0), settings.StealBatched, workers.StealCheap)
	w.Stole(2 * workers.StealLoad)
	checkSteal(t, "dear work", searchWindow(s, 0), settings.StealSingle, workers.StealDear)
	stole := func(cost time.Duration) {
		for range 100 {
			w.Stole(cost)
		}
	}
	stole(workers.StealLoad * 3 / 4)
	checkSteal(t, "hardly cheaper", searchWindow(s, 0), settings.StealSingle, workers.StealDear)
	stole(workers.StealLoad / 10)
	checkSteal(t, "cheap work", searchWindow(s, 0), settings.StealBatched, workers.StealCheap)
	stole(workers.StealLoad * 3 / 4)
	got := searchWindow(s, 0)
	checkSteal(t, "hardly dearer", got, settings.StealBatched, workers.StealCheap)
	if got.Switches != 2 {
		t.Errorf("%d switches, want 2", got.Switches)
	}
}

func TestAdaptiveGoesByContention(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 8})
	w := s.Worker(0)
	w.Stole(2 * workers.StealLoad)
	tries := func(contended int) workers.StealStats {
		for i := range workers.StealWindow {
			w.Tried(i < contended)
		}
		w.Searched(false)
		w.Publish()
		return s.Stats().Workers[0].Steal
	}
	checkSteal(t, "a quarter", tries(workers.StealWindow/4), settings.StealSingle, workers.StealDear)
	for range 10 {
		if _, step := w.Course(8); step != 1 {
			t.Errorf("a round without contention has steps of %d", step)
		}
	}
	checkSteal(t, "more than a quarter", tries(workers.StealWindow/4+1), settings.StealBatched, workers.StealContended)
	steps := map[int]bool{}
	for range 200 {
		first, step := w.Course(8)
		steps[step] = true
		seen := map[int]bool{}
		for i := range 8 {
			seen[(first+i*step)%8] = true
		}
		if len(seen) != 8 {
			t.Fatalf("a round in steps of %d goes over %d of 8 workers", step, len(seen))
		}
	}
	if len(steps) < 3 {
		t.Errorf("thieves go %v ways", steps)
	}
	checkSteal(t, "hardly less", tries(workers.StealWindow/4), settings.StealBatched, workers.StealContended)
	checkSteal(t, "an eighth", tries(workers.StealWindow/8), settings.StealSingle, workers.StealDear)
}

// TestContendedThiefTakesMore steals work of which a steal would bring 2.
func TestContendedThiefTakesMore(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	for range workers.StealWindow {
		s.Worker(0).Tried(true)
	}
	s.Worker(0).Searched(true)
	if got := stealOnce(s, workers.LocalCapacity, workers.StealLoad/2); got != min(8, workers.LocalCapacity/2) {
		t.Errorf("took %d pieces", got)
	}
}

func TestAdaptiveGoesByEmptyVictims(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2})
	s.SetMachine(twoSockets())
	checkSteal(t, "three quarters", searchWindow(s, workers.StealWindow*3/4), settings.StealBatched, workers.StealCheap)
	checkSteal(t, "nearly all", searchWindow(s, workers.StealWindow-1), settings.StealLocal, workers.StealFruitless)
	checkSteal(t, "half", searchWindow(s, workers.StealWindow/2), settings.StealLocal, workers.StealFruitless)
	checkSteal(t, "a quarter", searchWindow(s, workers.StealWindow/4), settings.StealBatched, workers.StealCheap)

	s = workers.NewStill(workers.Config{Workers: 2})
	s.SetMachine(oneCache())
	checkSteal(t, "nothing is near", searchWindow(s, workers.StealWindow), settings.StealBatched, workers.StealCheap)
}

// TestFixedStrategyStays measures what would change an adaptive one.
func TestFixedStrategyStays(t *testing.T) {
	for _, st := range []settings.StealStrategy{settings.StealSingle, settings.StealBatched, settings.StealLocal} {
		s := workers.NewStill(workers.Config{Workers: 2, Steal: st})
		s.SetMachine(twoSockets())
		s.Worker(0).Stole(10 * workers.StealLoad)
		for range workers.StealWindow {
			s.Worker(0).Tried(true)
		}
		got := searchWindow(s, workers.StealWindow)
		checkSteal(t, "told so", got, st, workers.StealConfigured)
		if got.Switches != 0 {
			t.Errorf("%v has switched %d times", st, got.Switches)
		}
	}
}

// TestAdaptiveSeesDearWork has workers steal jobs that take longer than a steal
// shall bring, until one says so.
func TestAdaptiveSeesDearWork(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	eventually(t, ctx, "a worker to steal single pieces of dear work", func() bool {
		finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
			var jobs []*workers.Job
			for range 10 {
				j, err := s.Go(ctx, func(context.Context) error {
					for begin := time.Now(); time.Since(begin) < 2*workers.StealLoad; {
					}
					return nil
				})
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
		}))
		for _, w := range s.Stats().Workers {
			if w.Steal.Strategy == settings.StealSingle && w.Steal.Reason == workers.StealDear && w.Steal.Switches > 0 {
				return true
			}
		}
		return false
	})
}

func TestStealNames(t *testing.T) {
	for st, want := range map[settings.StealStrategy]string{
		settings.StealAdaptive: "adaptive", settings.StealSingle: "single", settings.StealBatched: "batched",
		settings.StealLocal: "local", 9: "StealStrategy(9)",
	} {
		if got := st.String(); got != want {
			t.Errorf("strategy %d is called %q, want %q", st, got, want)
		}
	}
	for r, want := range map[workers.StealReason]string{
		workers.StealConfigured: "configured", workers.StealUnmeasured: "unmeasured", workers.StealCheap: "cheap work",
		workers.StealDear: "dear work", workers.StealContended: "contention", workers.StealFruitless: "empty victims",
		9: "StealReason(9)",
	} {
		if got := r.String(); got != want {
			t.Errorf("reason %d is called %q, want %q", r, got, want)
		}
	}
}
