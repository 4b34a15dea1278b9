package jobs

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// FirstSuccess is the name of the workload that waits for the first of many.
const FirstSuccess = "first-success"

// fastest is how long the fastest task takes, and slower by how much more each of the
// others takes than the next faster one.
const (
	fastest = 10 * time.Millisecond
	slower  = 100 * time.Microsecond
)

var firstSuccess = suite.Workload{
	Name: FirstSuccess, Family: suite.Tasks, Baseline: goroutines, Unit: "ms", Per: time.Millisecond, Size: 1000, TinySize: 10,
	About: "start 1,000 tasks that sleep, the fastest 10 ms and each of the others 100 µs more than the one before, in no " +
		"order; from the first start until one has succeeded and all others were cancelled and have ended",
	Targets: []suite.Target{{Subject: troupe, Row: FirstSuccess, Of: suite.MedianFigure, AtMost: 1.2 * float64(fastest) / float64(time.Millisecond)}},
}

// takes returns how long the i-th of n tasks sleeps. The fastest is in the middle.
func takes(i, n int) time.Duration { return fastest + time.Duration((i*7+n/2)%n)*slower }

// RunFirstSuccess makes a function for the workload first-success of one that
// starts k tasks, the i-th of which sleeps for takes(i), and returns the number of one
// that succeeded when all have ended.
func RunFirstSuccess(first func(k int, takes func(i int) time.Duration) (int, error)) suite.Func {
	return func(r *suite.Run) (int64, error) {
		r.Start()
		defer r.Stop()
		for n := range r.N {
			began := time.Now()
			i, err := first(r.Size, func(i int) time.Duration { return takes(i, r.Size) })
			if err != nil {
				return int64(n), err
			}
			if least := takes(i, r.Size); time.Since(began) < least {
				return int64(n), fmt.Errorf("task %d is said to have succeeded before its %v had passed", i, least)
			}
		}
		return int64(r.N), nil
	}
}

func troupeFirstSuccess(r *suite.Run, s *sched.Scheduler) (int64, error) {
	return RunFirstSuccess(func(k int, takes func(i int) time.Duration) (int, error) {
		won, err := task.Run(background, task.FirstSuccess[int](), func(_ context.Context, g *task.Group[int]) error {
			for i := range k {
				if _, err := g.Go(func(ctx context.Context) (int, error) { return i, task.Sleep(ctx, takes(i)) }); err != nil {
					return err
				}
			}
			return nil
		}, task.On(s))
		if err != nil {
			return 0, err
		}
		return won[0], nil
	})(r)
}

func goFirstSuccess(k int, takes func(i int) time.Duration) (won int, err error) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	var all sync.WaitGroup
	var first sync.Once
	for i := range k {
		all.Go(func() {
			if goSleep(ctx, takes(i)) == nil {
				first.Do(func() { won = i; cancel() })
			}
		})
	}
	all.Wait()
	return won, nil
}

// goSleep sleeps as code does that knows nothing of tasks.
func goSleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
