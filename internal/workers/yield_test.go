package workers_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

// TestYieldIsRoundRobin has equals on one worker yield to each other.
func TestYieldIsRoundRobin(t *testing.T) {
	const rounds = 200
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	var order []int
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		var jobs []*workers.Job
		for i := range 3 {
			j, err := s.Go(ctx, func(ctx context.Context) error {
				for range rounds {
					order = append(order, i)
					workers.Current(ctx).Yield(workers.Normal)
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
	for i, who := range order {
		if who != i%3 {
			t.Fatalf("turn %d went to job %d, want %d; around it: %v", i, who, i%3, order[max(0, i-6):min(len(order), i+6)])
		}
	}
	if len(order) != 3*rounds {
		t.Fatalf("%d turns, want %d", len(order), 3*rounds)
	}
}

func TestYieldWithoutOthersIsNoSwitch(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		for range 100 {
			workers.Current(ctx).Yield(workers.Normal)
		}
		return nil
	}))
	eventually(t, ctx, "the worker to sleep", func() bool { return inState(s, workers.WorkerIdle) == 1 })
	if n := s.Stats().Workers[0].Yielded; n != 0 {
		t.Errorf("%d switches although nothing waited", n)
	}
}

// TestCheckpointLetsCriticalWorkPass has one worker, so the critical job can
// run nowhere else; what is less urgent must still wait.
func TestCheckpointLetsCriticalWorkPass(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	var order []string
	note := func(what string) func(context.Context) error {
		return func(context.Context) error { order = append(order, what); return nil }
	}
	var rest []*workers.Job
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		f := workers.Current(ctx)
		f.Checkpoint() // Nothing is critical.
		for _, p := range []workers.Priority{workers.Low, workers.High, workers.Critical, workers.Critical} {
			if f.Urgent() != (len(rest) == 3) {
				t.Errorf("Urgent is %t after %d jobs", f.Urgent(), len(rest))
			}
			j, err := s.Go(ctx, note(p.String()), workers.WithPriority(p))
			if err != nil {
				return err
			}
			rest = append(rest, j)
		}
		f.Checkpoint()
		order = append(order, "first")
		return nil
	}))
	finish(t, ctx, rest...)
	if want := []string{"critical", "critical", "first", "high", "low"}; !slices.Equal(order, want) {
		t.Errorf("order is %v, want %v", order, want)
	}
	eventually(t, ctx, "the worker to sleep", func() bool { return inState(s, workers.WorkerIdle) == 1 })
	if n := s.Stats().Workers[0].Preempted; n != 1 {
		t.Errorf("%d preemptions, want 1", n)
	}
}

// TestInterruptedWorkNests interrupts jobs that have interrupted others, deeper
// than a worker keeps them.
func TestInterruptedWorkNests(t *testing.T) {
	depth := 2 * workers.NextCapacity
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	var ended atomic.Int64
	var nest func(level int) func(context.Context) error
	nest = func(level int) func(context.Context) error {
		return func(ctx context.Context) error {
			if level < depth {
				if _, err := s.Go(ctx, nest(level+1), workers.WithPriority(workers.Critical)); err != nil {
					return err
				}
			}
			workers.Current(ctx).Checkpoint()
			ended.Add(1)
			return nil
		}
	}
	start(t, ctx, s, nest(1))
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if got := ended.Load(); got != int64(depth) {
		t.Fatalf("%d of %d jobs ended", got, depth)
	}
}

func TestSubmitNextComesBeforeOtherWork(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	var order []string
	done := make(chan struct{})
	noting := func(what string) *workers.Node {
		return &newWork(func(*workers.Fiber, workers.Priority) {
			if order = append(order, what); len(order) == 4 {
				close(done)
			}
		}).Node
	}
	submit(t, s, workers.Normal, func(f *workers.Fiber, _ workers.Priority) {
		f.Submit(noting("high"), workers.High)
		f.SubmitNext(noting("older"))
		f.SubmitNext(noting("newer"))
		f.Submit(noting("critical"), workers.Critical)
	})
	receive(t, ctx, "all four", done)
	if want := []string{"critical", "newer", "older", "high"}; !slices.Equal(order, want) {
		t.Errorf("order is %v, want %v", order, want)
	}
}

// TestYieldGoesStraightToTheOther has two jobs yield to each other, which takes no
// fiber but theirs.
func TestYieldGoesStraightToTheOther(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		over := false
		other, err := s.Go(ctx, func(ctx context.Context) error {
			for !over {
				workers.Yield(ctx)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for range 10 {
			workers.Yield(ctx)
		}
		if n := s.Fibers(); n != 2 {
			t.Errorf("there are %d fibers, want 2", n)
		}
		over = true
		return other.Wait(ctx)
	}))
}

// TestYieldGoesBehindWhatWaitsForAll has a job yield while another waits in the
// shared queue, and a third with it on the worker.
func TestYieldGoesBehindWhatWaitsForAll(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	var yields, seen int
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		other, err := s.Go(ctx, func(ctx context.Context) error {
			for seen == 0 {
				yields++
				workers.Yield(ctx)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if _, err := s.Go(context.Background(), func(context.Context) error { seen = yields; return nil }); err != nil {
			return err
		}
		for seen == 0 {
			workers.Yield(ctx)
		}
		return other.Wait(ctx)
	}))
	if seen != 1 {
		t.Errorf("the other had yielded %d times before what waited for all ran, want once", seen)
	}
}
