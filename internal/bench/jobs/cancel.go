package jobs

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// Cancel is the name of the workload that cancels many tasks.
const Cancel = "cancel"

var cancelWaiting = suite.Workload{
	Name: Cancel, Family: suite.Tasks, Baseline: goroutines, Unit: "ms", Per: time.Millisecond, Size: 100_000, TinySize: 100,
	About:   "cancel 100,000 tasks that sleep for an hour, until all have ended; that they begin is not counted",
	Targets: []suite.Target{{Subject: troupe, Row: Cancel, Of: suite.MedianFigure, AtMost: 100}},
}

// RunCancel makes a function for the workload cancel of one that starts k tasks,
// each of which calls begun and then sleeps for an hour, calls ready when all
// have been started, then cancels them, waits, and returns how many have ended for that
// reason.
func RunCancel(cancelAll func(k int, begun, ready func()) (int, error)) suite.Func {
	return func(r *suite.Run) (int64, error) {
		whole := int64(0)
		for range r.N {
			var begun sync.WaitGroup
			begun.Add(r.Size)
			ended, err := cancelAll(r.Size, begun.Done, func() {
				begun.Wait()
				r.Start()
			})
			r.Stop()
			if err != nil {
				return whole, err
			}
			if ended == r.Size {
				whole++
			}
		}
		return whole, nil
	}
}

func troupeCancel(r *suite.Run, s *sched.Scheduler) (int64, error) {
	return RunCancel(func(k int, begun, ready func()) (ended int, err error) {
		g, err := task.NewGroup(background, task.AllCompleted[struct{}](), task.On(s))
		if err != nil {
			return 0, err
		}
		for range k {
			if _, err := g.Do(func(ctx context.Context) error { begun(); return task.Sleep(ctx, time.Hour) }); err != nil {
				return 0, err
			}
		}
		ready()
		g.Cancel(nil)
		if _, err := g.Join(background); !errors.Is(err, context.Canceled) {
			return 0, err
		}
		r.Stop()
		for _, t := range g.Tasks() {
			if t.State() == sched.JobCancelled {
				ended++
			}
		}
		return ended, nil
	})(r)
}

func goCancel(k int, begun, ready func()) (int, error) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	var all sync.WaitGroup
	ended := make([]bool, k)
	for i := range k {
		all.Go(func() {
			begun()
			ended[i] = goSleep(ctx, time.Hour) != nil
		})
	}
	ready()
	cancel()
	all.Wait()
	return count(ended), nil
}

func count(ended []bool) (n int) {
	for _, e := range ended {
		if e {
			n++
		}
	}
	return n
}
