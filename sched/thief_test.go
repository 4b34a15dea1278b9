package sched_test

import (
	"context"
	"testing"
	"time"

	"github.com/troupe-go/troupe/sched"
)

// searchWindow lets the worker decide after a window of searches, so many of them in
// vain.
func searchWindow(s *sched.Scheduler, fruitless int) sched.StealStats {
	w := s.Worker(0)
	for i := range sched.StealWindow {
		w.Searched(i < fruitless)
	}
	w.Publish()
	return s.Stats().Workers[0].Steal
}

func checkSteal(t *testing.T, what string, got sched.StealStats, st sched.StealStrategy, why sched.StealReason) {
	t.Helper()
	if got.Strategy != st || got.Reason != why {
		t.Errorf("%s: %v for %v, want %v for %v", what, got.Strategy, got.Reason, st, why)
	}
}

func TestAdaptiveGoesByCost(t *testing.T) {
	s := sched.NewStill(sched.Config{Workers: 2})
	w := s.Worker(0)
	w.Publish()
	checkSteal(t, "at the start", s.Stats().Workers[0].Steal, sched.StealBatched, sched.StealUnmeasured)
	checkSteal(t, "cost unknown", searchWindow(s, 0), sched.StealBatched, sched.StealCheap)
	w.Stole(2 * sched.StealLoad)
	checkSteal(t, "dear work", searchWindow(s, 0), sched.StealSingle, sched.StealDear)
	stole := func(cost time.Duration) {
		for range 100 {
			w.Stole(cost)
		}
	}
	stole(sched.StealLoad * 3 / 4)
	checkSteal(t, "hardly cheaper", searchWindow(s, 0), sched.StealSingle, sched.StealDear)
	stole(sched.StealLoad / 10)
	checkSteal(t, "cheap work", searchWindow(s, 0), sched.StealBatched, sched.StealCheap)
	stole(sched.StealLoad * 3 / 4)
	got := searchWindow(s, 0)
	checkSteal(t, "hardly dearer", got, sched.StealBatched, sched.StealCheap)
	if got.Switches != 2 {
		t.Errorf("%d switches, want 2", got.Switches)
	}
}

func TestAdaptiveGoesByContention(t *testing.T) {
	s := sched.NewStill(sched.Config{Workers: 8})
	w := s.Worker(0)
	w.Stole(2 * sched.StealLoad)
	tries := func(contended int) sched.StealStats {
		for i := range sched.StealWindow {
			w.Tried(i < contended)
		}
		w.Searched(false)
		w.Publish()
		return s.Stats().Workers[0].Steal
	}
	checkSteal(t, "a quarter", tries(sched.StealWindow/4), sched.StealSingle, sched.StealDear)
	for range 10 {
		if _, step := w.Course(8); step != 1 {
			t.Errorf("a round without contention has steps of %d", step)
		}
	}
	checkSteal(t, "more than a quarter", tries(sched.StealWindow/4+1), sched.StealBatched, sched.StealContended)
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
	checkSteal(t, "hardly less", tries(sched.StealWindow/4), sched.StealBatched, sched.StealContended)
	checkSteal(t, "an eighth", tries(sched.StealWindow/8), sched.StealSingle, sched.StealDear)
}

// TestContendedThiefTakesMore steals work of which a steal would bring 2.
func TestContendedThiefTakesMore(t *testing.T) {
	s := sched.NewStill(sched.Config{Workers: 2})
	for range sched.StealWindow {
		s.Worker(0).Tried(true)
	}
	s.Worker(0).Searched(true)
	if got := stealOnce(s, sched.LocalCapacity, sched.StealLoad/2); got != min(8, sched.LocalCapacity/2) {
		t.Errorf("took %d pieces", got)
	}
}

func TestAdaptiveGoesByEmptyVictims(t *testing.T) {
	s := sched.NewStill(sched.Config{Workers: 2})
	s.SetMachine(twoSockets())
	checkSteal(t, "three quarters", searchWindow(s, sched.StealWindow*3/4), sched.StealBatched, sched.StealCheap)
	checkSteal(t, "nearly all", searchWindow(s, sched.StealWindow-1), sched.StealLocal, sched.StealFruitless)
	checkSteal(t, "half", searchWindow(s, sched.StealWindow/2), sched.StealLocal, sched.StealFruitless)
	checkSteal(t, "a quarter", searchWindow(s, sched.StealWindow/4), sched.StealBatched, sched.StealCheap)

	s = sched.NewStill(sched.Config{Workers: 2})
	s.SetMachine(oneCache())
	checkSteal(t, "nothing is near", searchWindow(s, sched.StealWindow), sched.StealBatched, sched.StealCheap)
}

// TestFixedStrategyStays measures what would change an adaptive one.
func TestFixedStrategyStays(t *testing.T) {
	for _, st := range []sched.StealStrategy{sched.StealSingle, sched.StealBatched, sched.StealLocal} {
		s := sched.NewStill(sched.Config{Workers: 2, Steal: st})
		s.SetMachine(twoSockets())
		s.Worker(0).Stole(10 * sched.StealLoad)
		for range sched.StealWindow {
			s.Worker(0).Tried(true)
		}
		got := searchWindow(s, sched.StealWindow)
		checkSteal(t, "told so", got, st, sched.StealConfigured)
		if got.Switches != 0 {
			t.Errorf("%v has switched %d times", st, got.Switches)
		}
	}
}

// TestAdaptiveSeesDearWork has workers steal jobs that take longer than a steal
// shall bring, until one says so.
func TestAdaptiveSeesDearWork(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2})
	eventually(t, ctx, "a worker to steal single pieces of dear work", func() bool {
		finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
			var jobs []*sched.Job
			for range 10 {
				j, err := s.Go(ctx, func(context.Context) error {
					for begin := time.Now(); time.Since(begin) < 2*sched.StealLoad; {
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
			if w.Steal.Strategy == sched.StealSingle && w.Steal.Reason == sched.StealDear && w.Steal.Switches > 0 {
				return true
			}
		}
		return false
	})
}

func TestStealNames(t *testing.T) {
	for st, want := range map[sched.StealStrategy]string{
		sched.StealAdaptive: "adaptive", sched.StealSingle: "single", sched.StealBatched: "batched",
		sched.StealLocal: "local", 9: "StealStrategy(9)",
	} {
		if got := st.String(); got != want {
			t.Errorf("strategy %d is called %q, want %q", st, got, want)
		}
	}
	for r, want := range map[sched.StealReason]string{
		sched.StealConfigured: "configured", sched.StealUnmeasured: "unmeasured", sched.StealCheap: "cheap work",
		sched.StealDear: "dear work", sched.StealContended: "contention", sched.StealFruitless: "empty victims",
		9: "StealReason(9)",
	} {
		if got := r.String(); got != want {
			t.Errorf("reason %d is called %q, want %q", r, got, want)
		}
	}
}
