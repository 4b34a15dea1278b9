package sched_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/sched"
)

// Work that waits long rises, priority by priority. Here the only worker is on a
// job that lets nothing pass but what is critical, and the low job gets there.
func ExampleConfig_ageAfter() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1, AgeAfter: time.Millisecond, Reductions: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	long, err := s.Go(ctx, func(ctx context.Context) error {
		var ran atomic.Bool
		if _, err := s.Go(ctx, func(context.Context) error {
			fmt.Println("low work has waited long enough")
			ran.Store(true)
			return nil
		}, sched.WithPriority(sched.Low)); err != nil {
			return err
		}
		for !ran.Load() {
			sched.Checkpoint(ctx)
		}
		fmt.Println("going on")
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(long.Wait(ctx), s.Stats().Aged >= 3, s.Stop(ctx))
	// Output:
	// low work has waited long enough
	// going on
	// <nil> true <nil>
}

// A job that yields goes behind what is queued with its priority.
func ExampleYield() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = s.Go(ctx, func(ctx context.Context) error {
		for _, p := range []sched.Priority{sched.Normal, sched.Low} {
			if _, err := s.Go(ctx, func(context.Context) error {
				fmt.Println(p)
				return nil
			}, sched.WithPriority(p)); err != nil {
				return err
			}
		}
		sched.Yield(ctx)
		fmt.Println("going on")
		return nil
	})
	fmt.Println(err, s.Stop(ctx))
	// Output:
	// normal
	// going on
	// low
	// <nil> <nil>
}

// Work prefers a worker as long as that one can keep up. Here it can't: a job
// that is pinned to it blocks until the other has run.
func ExampleWithAffinity() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	begun, gate := make(chan struct{}), make(chan struct{})
	if _, err := s.Go(ctx, func(context.Context) error { close(begun); <-gate; return nil }, sched.WithWorker(0)); err != nil {
		fmt.Println(err)
		return
	}
	<-begun
	job, err := s.Go(ctx, func(ctx context.Context) error {
		worker, _ := sched.WorkerOf(ctx)
		fmt.Println("on the worker that it prefers:", worker == 0)
		return nil
	}, sched.WithAffinity(0))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(job.Wait(ctx))
	close(gate)
	fmt.Println(s.Stop(ctx))
	// Output:
	// on the worker that it prefers: false
	// <nil>
	// <nil>
}

// Work from outside goes to the worker with least to do, not to a queue that all
// of them share.
func ExampleConfig_placement() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{Workers: 2, Placement: sched.LeastLoaded})
	if err != nil {
		fmt.Println(err)
		return
	}
	var sum atomic.Int64
	for i := range 100 {
		if _, err := s.Go(ctx, func(context.Context) error { sum.Add(int64(i)); return nil }); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(s.Stop(ctx), sum.Load())
	// Output: <nil> 4950
}

// Workers that are bound to processors keep what they use in the caches there.
// Where threads can't be bound, New says so.
func ExampleConfig_pinWorkers() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{PinWorkers: true})
	if err != nil {
		s, err = sched.New(sched.Config{})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	job, err := s.Go(ctx, func(context.Context) error { fmt.Println("working"); return nil })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(job.Wait(ctx), s.Stop(ctx))
	// Output:
	// working
	// <nil> <nil>
}

// A panic ends its job, with the stack of where it happened, and nothing else.
func ExamplePanicError() {
	ctx := context.Background()
	s, err := sched.New(sched.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	job, err := s.Go(ctx, func(context.Context) error {
		panic("no settings")
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var p *sched.PanicError
	if errors.As(job.Wait(ctx), &p) {
		fmt.Println(p.Value, len(p.Stack()) > 0)
	}
	fmt.Println(s.Stop(ctx))
	// Output:
	// no settings true
	// <nil>
}
