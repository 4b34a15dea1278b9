package workers_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

// loops are tight loops that tell how far they are.
var loops = map[string]func(ctx context.Context, rounds int, progress *int){
	"budget": func(ctx context.Context, rounds int, progress *int) {
		budget := workers.NewBudget(ctx)
		for range rounds {
			*progress++
			budget.Spend(1)
		}
	},
	"checkpoint": func(ctx context.Context, rounds int, progress *int) {
		for range rounds {
			*progress++
			workers.Checkpoint(ctx)
		}
	},
}

// TestTightLoopStarvesNobody queues equals behind a tight loop on the only
// worker, and has them look how far the loop is when they run.
func TestTightLoopStarvesNobody(t *testing.T) {
	for name, loop := range loops {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				cfg      workers.Config
				priority workers.Priority
				want     []int
			}{
				{workers.Config{}, workers.Normal, []int{4000, 4000}},
				{workers.Config{Reductions: 100}, workers.High, []int{100, 100}},
				{workers.Config{Reductions: -1}, workers.Normal, []int{10_000, 10_000}},
				{workers.Config{}, workers.Low, []int{10_000, 10_000}},
			} {
				ctx := guarded(t)
				c.cfg.Workers, c.cfg.MaxSpares = 1, -1
				s := newScheduler(t, c.cfg)
				progress := 0
				var seen []int
				var others []*workers.Job
				finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
					for range c.want {
						j, err := s.Go(ctx, func(context.Context) error { seen = append(seen, progress); return nil }, workers.WithPriority(c.priority))
						if err != nil {
							return err
						}
						others = append(others, j)
					}
					loop(ctx, 10_000, &progress)
					return nil
				}))
				finish(t, ctx, others...)
				if !slices.Equal(seen, c.want) {
					t.Errorf("%v equals ran after %v rounds, want %v", c.priority, seen, c.want)
				}
			}
		})
	}
}

// TestBudgetLetsCriticalWorkPass has a loop that never yields wait for a critical
// job on the only worker.
func TestBudgetLetsCriticalWorkPass(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1, Reductions: -1})
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		budget := workers.NewBudget(ctx)
		for range 10 {
			var ran atomic.Bool
			if _, err := s.Go(ctx, func(context.Context) error { ran.Store(true); return nil }, workers.WithPriority(workers.Critical)); err != nil {
				return err
			}
			for !ran.Load() && ctx.Err() == nil {
				budget.Spend(1)
			}
		}
		return ctx.Err()
	}))
}

// TestYieldToEquals yields to equals and to more urgent work, not to less urgent.
func TestYieldToEquals(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	var order []string
	var others []*workers.Job
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		workers.Yield(ctx) // To nobody.
		for _, p := range []workers.Priority{workers.Low, workers.Normal, workers.High} {
			j, err := s.Go(ctx, func(context.Context) error { order = append(order, p.String()); return nil }, workers.WithPriority(p))
			if err != nil {
				return err
			}
			others = append(others, j)
		}
		workers.Yield(ctx)
		order = append(order, "self")
		workers.Yield(ctx)
		order = append(order, "self")
		return nil
	}))
	finish(t, ctx, others...)
	if want := []string{"high", "normal", "self", "self", "low"}; !slices.Equal(order, want) {
		t.Errorf("order is %v, want %v", order, want)
	}
}

// TestYieldsOutsideOfWorkDoNothing calls everything where there is no work below it.
func TestYieldsOutsideOfWorkDoNothing(t *testing.T) {
	ctx := guarded(t)
	use := func(ctx context.Context, budget workers.Budget) {
		for range 10_000 {
			budget.Spend(1)
		}
		workers.Checkpoint(ctx)
		workers.Yield(ctx)
	}
	use(ctx, workers.NewBudget(ctx))
	use(ctx, workers.Budget{})
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		budget, done := workers.NewBudget(ctx), make(chan struct{})
		if _, err := s.Go(ctx, func(context.Context) error { return nil }, workers.WithPriority(workers.Critical)); err != nil {
			return err
		}
		go func() { // Gets the job's context and its budget, and has neither.
			defer close(done)
			use(ctx, budget)
		}()
		<-done
		if n := s.Stats().Queued[workers.Critical]; n != 1 {
			t.Errorf("%d critical jobs are queued; a goroutine let it pass", n)
		}
		return nil
	}))
}

// BenchmarkSpend is a round of a tight loop.
func BenchmarkSpend(b *testing.B) {
	b.ReportAllocs()
	ctx := context.Background()
	s := newScheduler(b, workers.Config{})
	j := start(b, ctx, s, func(ctx context.Context) error {
		budget := workers.NewBudget(ctx)
		for b.Loop() {
			budget.Spend(1)
		}
		return nil
	})
	finish(b, ctx, j)
}

// TestCriticalWorkYields does so with and without other critical work.
func TestCriticalWorkYields(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1, Reductions: 10})
	var order []string
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		workers.Yield(ctx)
		other := start(t, ctx, s, func(context.Context) error { order = append(order, "other"); return nil },
			workers.WithPriority(workers.Critical))
		workers.Yield(ctx)
		order = append(order, "first")
		for b := workers.NewBudget(ctx); len(order) < 100; order = append(order, "spent") {
			b.Spend(1)
		}
		return other.Wait(ctx)
	}, workers.WithPriority(workers.Critical)))
	if len(order) < 2 || order[0] != "other" || order[1] != "first" {
		t.Errorf("the order is %v", order[:min(2, len(order))])
	}
}
