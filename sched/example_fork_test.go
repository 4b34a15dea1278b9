package sched_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/sched"
)

func fib(ctx context.Context, n int) int {
	if n < 2 {
		return n
	}
	x, y := sched.Join(ctx, fib, n-1, n-2)
	return x + y
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
