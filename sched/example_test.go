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

// HeldStacks names the job that holds a worker, and shows its stack.
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
