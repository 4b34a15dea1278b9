package sched_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/troupe-go/troupe/sched"
)

func Example() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	job, err := s.Go(ctx, func(context.Context) error {
		fmt.Println("working")
		return errors.New("no more disk")
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("result:", job.Wait(ctx))
	fmt.Println("stop:", s.Stop(ctx))
	// Output:
	// working
	// result: no more disk
	// stop: <nil>
}

// A job that waits for another one, with its own context, holds no worker: here
// there is only one, and no spare may be started.
func ExampleJob_Wait() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	outer, err := s.Go(ctx, func(ctx context.Context) error {
		inner, err := s.Go(ctx, func(context.Context) error {
			fmt.Println("inner")
			return nil
		})
		if err != nil {
			return err
		}
		if err := inner.Wait(ctx); err != nil {
			return err
		}
		fmt.Println("outer")
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(outer.Wait(ctx), s.Stop(ctx))
	// Output:
	// inner
	// outer
	// <nil> <nil>
}

// The jobs are queued by one that holds the only worker, so it is their
// priority that decides who comes first.
func ExampleWithPriority() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = s.Go(ctx, func(ctx context.Context) error {
		for _, p := range []sched.Priority{sched.Low, sched.Normal, sched.High, sched.Critical} {
			if _, err := s.Go(ctx, func(context.Context) error {
				fmt.Println(p)
				return nil
			}, sched.WithPriority(p)); err != nil {
				return err
			}
		}
		return nil
	})
	fmt.Println(err, s.Stop(ctx))
	// Output:
	// critical
	// high
	// normal
	// low
	// <nil> <nil>
}

// A job may block by any means. A spare worker takes over for the others, one
// of which releases it here.
func ExampleScheduler_Go_blocking() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	gate := make(chan struct{})
	blocked, err := s.Go(ctx, func(context.Context) error {
		<-gate
		fmt.Println("second")
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Go(ctx, func(context.Context) error {
		fmt.Println("first")
		close(gate)
		return nil
	}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(blocked.Wait(ctx), s.Stop(ctx))
	// Output:
	// first
	// second
	// <nil> <nil>
}

// If the context of Stop ends first, jobs that have not begun are given up.
// The stop can be called again to wait for those that have.
func ExampleScheduler_Stop() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	begun, gate := make(chan struct{}), make(chan struct{})
	if _, err := s.Go(ctx, func(context.Context) error {
		close(begun)
		<-gate
		return nil
	}); err != nil {
		fmt.Println(err)
		return
	}
	<-begun
	waiting, err := s.Go(ctx, func(context.Context) error { return nil })
	if err != nil {
		fmt.Println(err)
		return
	}
	short, cancel := context.WithCancel(ctx)
	cancel()
	fmt.Println(s.Stop(short))
	fmt.Println(waiting.Wait(ctx))
	close(gate)
	fmt.Println(s.Stop(ctx))
	// Output:
	// sched: stop gave up with 1 jobs left: context canceled
	// sched: the scheduler is stopped
	// <nil>
}

// A snapshot shows what each worker does, and the sums of what they did.
func ExampleScheduler_Stats() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 2, Steal: sched.StealBatched})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 10 {
		if _, err := s.Go(ctx, func(context.Context) error { return nil }); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := s.Stop(ctx); err != nil {
		fmt.Println(err)
		return
	}
	st := s.Stats()
	for _, w := range st.Workers {
		fmt.Printf("worker %d is %v and steals %v\n", w.ID, w.State, w.Steal.Strategy)
	}
	fmt.Println(st.Total().Jobs, "pieces of work")
	// Output:
	// worker 0 is shut down and steals batched
	// worker 1 is shut down and steals batched
	// 10 pieces of work
}

// The strategy can be changed while workers are at work.
func ExampleScheduler_SetStealStrategy() {
	s, err := sched.New(sched.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.StealStrategy())
	if err := s.SetStealStrategy(sched.StealSingle); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.StealStrategy())
	fmt.Println(s.SetStealStrategy(7))
	if err := s.Stop(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	// Output:
	// adaptive
	// single
	// sched: SetStealStrategy: unknown strategy 7; use StealAdaptive, StealSingle, StealBatched or StealLocal
}

// Divide and conquer: each call is put on offer to idle workers.
func ExampleJoin() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = s.Stop(ctx) }()

	job, err := s.Go(ctx, func(ctx context.Context) error {
		fmt.Println(fib(ctx, 20))
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := job.Wait(ctx); err != nil {
		fmt.Println(err)
	}
	// Output: 6765
}

func ExampleDo() {
	err := sched.Do(context.Background(),
		func(context.Context) error { return nil },
		func(context.Context) error { return errors.New("the second failed") },
		func(context.Context) error { return errors.New("the third failed") },
	)
	fmt.Println(err)
	// Output:
	// the second failed
	// the third failed
}

// A parallel loop; outside a job, as here, it runs in order.
func ExampleFor() {
	squares := make([]int, 8)
	err := sched.For(context.Background(), len(squares), 4, func(_ context.Context, from, to int) error {
		for i := from; i < to; i++ {
			squares[i] = i * i
		}
		return nil
	})
	fmt.Println(squares, err)
	// Output: [0 1 4 9 16 25 36 49] <nil>
}

// A loop that spends from a budget lets others run: here the only worker is on
// the loop when the other job is submitted.
func ExampleBudget() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	long, err := s.Go(ctx, func(ctx context.Context) error {
		if _, err := s.Go(ctx, func(context.Context) error {
			fmt.Println("short")
			return nil
		}); err != nil {
			return err
		}
		sum, budget := 0, sched.NewBudget(ctx)
		for i := range 10_000 {
			sum += i
			budget.Spend(1)
		}
		fmt.Println("long:", sum)
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(long.Wait(ctx), s.Stop(ctx))
	// Output:
	// short
	// long: 49995000
	// <nil> <nil>
}

// A job that takes long lets critical work pass at its checkpoints.
func ExampleCheckpoint() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = s.Go(ctx, func(ctx context.Context) error {
		for _, p := range []sched.Priority{sched.High, sched.Critical} {
			if _, err := s.Go(ctx, func(context.Context) error {
				fmt.Println(p)
				return nil
			}, sched.WithPriority(p)); err != nil {
				return err
			}
		}
		sched.Checkpoint(ctx)
		fmt.Println("going on")
		return nil
	})
	fmt.Println(err, s.Stop(ctx))
	// Output:
	// critical
	// going on
	// high
	// <nil> <nil>
}

// What holds a worker is named, with its stack on request.
func ExampleScheduler_HeldStacks() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	gate := make(chan struct{})
	stuck, err := s.Go(ctx, func(context.Context) error {
		<-gate
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for len(s.Held()) == 0 { // It takes Config.BlockedAfter.
		runtime.Gosched()
	}
	for _, h := range s.HeldStacks() {
		fmt.Println("worker", h.Worker, "is on the job:", h.Job == stuck)
		fmt.Println("waits in a channel:", strings.Contains(h.Stack, "[chan receive"))
	}
	close(gate)
	fmt.Println(s.Stop(ctx))
	// Output:
	// worker 0 is on the job: true
	// waits in a channel: true
	// <nil>
}

// A job that is cancelled before it began never runs; one that has begun sees the
// end of its context.
func ExampleJob_Cancel() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	begun := make(chan struct{})
	running, err := s.Go(ctx, func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		return context.Cause(ctx)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	queued, err := s.Go(ctx, func(context.Context) error { panic("never called") })
	if err != nil {
		fmt.Println(err)
		return
	}
	<-begun
	queued.Cancel(nil)
	running.Cancel(errors.New("no longer needed"))
	fmt.Println(queued.Wait(ctx))
	fmt.Println(running.Wait(ctx))
	fmt.Println(queued.State(), running.State(), s.Stop(ctx))
	// Output:
	// sched: the job was cancelled before it began: context canceled
	// no longer needed
	// cancelled cancelled <nil>
}

// Wait returns when the time is up, even if the function does not.
func ExampleWithTimeout() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	gate := make(chan struct{})
	deaf, err := s.Go(ctx, func(context.Context) error {
		<-gate
		return nil
	}, sched.WithTimeout(10*time.Millisecond))
	if err != nil {
		fmt.Println(err)
		return
	}
	err = deaf.Wait(ctx)
	fmt.Println(err, errors.Is(err, context.DeadlineExceeded))
	fmt.Println(deaf.State(), s.Stats().Overdue)
	close(gate)
	fmt.Println(s.Stop(ctx))
	// Output:
	// sched: the job's time is up true
	// timed out 1
	// <nil>
}

// The scheduler counts the jobs of each kind, and measures what they cost.
func ExampleWithKind() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, kind := range []string{"parse", "store", "parse"} {
		if _, err := s.Go(ctx, func(context.Context) error { return nil }, sched.WithKind(kind)); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(s.Stop(ctx))
	for _, kind := range s.Stats().Kinds {
		fmt.Println(kind.Name, kind.Jobs, kind.Failed)
	}
	// Output:
	// <nil>
	// parse 2 0
	// store 1 0
}

// A job of which the submitter knows that it takes long is not stolen together
// with others.
func ExampleWithCost() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	job, err := s.Go(ctx, func(context.Context) error { return nil }, sched.WithCost(20*time.Millisecond))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(job.Info().Cost, s.Stop(ctx))
	// Output:
	// 20ms <nil>
}

func ExampleGoResult() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := sched.GoResult(ctx, s, func(context.Context) (int, error) { return 20 + 22, nil })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.Get(ctx))
	fmt.Println(s.Stop(ctx))
	// Output:
	// 42 <nil>
	// <nil>
}

func ExampleGroup() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := s.NewGroup(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 3 {
		if err := g.Go(func(context.Context) error {
			fmt.Println("part", i)
			return nil
		}); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(g.Wait(ctx), s.Stop(ctx))
	// Unordered output:
	// part 0
	// part 1
	// part 2
	// <nil> <nil>
}

// A bounded queue pushes back: here Go refuses what is too much.
func ExampleConfig_maxQueued() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1, MaxQueued: 1, WhenFull: sched.RejectWhenFull})
	if err != nil {
		fmt.Println(err)
		return
	}
	begun, gate := make(chan struct{}), make(chan struct{})
	if _, err := s.Go(ctx, func(context.Context) error {
		close(begun)
		<-gate
		return nil
	}); err != nil {
		fmt.Println(err)
		return
	}
	<-begun
	_, err = s.Go(ctx, func(context.Context) error { return nil })
	fmt.Println(err)
	_, err = s.Go(ctx, func(context.Context) error { return nil })
	fmt.Println(err, errors.Is(err, sched.ErrFull))
	close(gate)
	fmt.Println(s.Stop(ctx))
	// Output:
	// <nil>
	// sched: the scheduler is full: 1 jobs are queued, and Config.MaxQueued is 1 true
	// <nil>
}

// Jobs that use the same data stay where it is warm: on the worker that had
// least to do when the first of them came. WithAffinity in the place of
// WithWorker would let others help when that one has too much.
func ExampleWithWorker() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	id, _ := s.LeastLoadedWorker(sched.Normal)
	for _, part := range []string{"first", "second"} {
		job, err := s.Go(ctx, func(ctx context.Context) error {
			fmt.Println(part, sched.Current(ctx).Worker() == id)
			return nil
		}, sched.WithWorker(id))
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := job.Wait(ctx); err != nil {
			fmt.Println(err)
		}
	}
	_, err = s.Go(ctx, func(context.Context) error { return nil }, sched.WithWorker(7))
	fmt.Println(err)
	fmt.Println(s.Stop(ctx))
	// Output:
	// first true
	// second true
	// sched: there is no worker 7 to place work on; choose one from 0 to 1 (spare workers can't be chosen)
	// <nil>
}

// One of two workers is reserved. Bulk work blocks the other one for good, and
// no spare may be started; the critical job runs all the same.
func ExampleConfig_reserved() {
	ctx := context.Background()
	cfg := sched.Config{Workers: 2, MaxSpares: -1}
	cfg.Reserved[sched.Critical] = 1
	s, err := sched.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	gate := make(chan struct{})
	for range 10 {
		if _, err := s.Go(ctx, func(context.Context) error { <-gate; return nil }); err != nil {
			fmt.Println(err)
		}
	}
	urgent, err := s.Go(ctx, func(context.Context) error {
		fmt.Println("urgent")
		return nil
	}, sched.WithPriority(sched.Critical))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(urgent.Wait(ctx))
	close(gate)
	fmt.Println(s.Stop(ctx))
	// Output:
	// urgent
	// <nil>
	// <nil>
}
