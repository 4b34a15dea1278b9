package sched_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/sched"
)

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

// Jobs that use the same data stay where it is warm: on the worker that had least to do when
// the first of them came. WithAffinity instead of WithWorker would let others help when that
// worker has too much.
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
			worker, _ := sched.WorkerOf(ctx)
			fmt.Println(part, worker == id)
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
