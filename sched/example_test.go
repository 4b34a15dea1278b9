package sched_test

import (
	"context"
	"errors"
	"fmt"
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
