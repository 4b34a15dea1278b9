//go:build modelcheck

package workers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/troupe-go/troupe/internal/modelcheck"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/jobstate"
)

// deciding has a worker that carries a job through its life, and others that
// would end it meanwhile: one of them decides how, and the others are told so.
func deciding(stolen bool, cancels int, timesOut bool) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		s := &jobstate.Word{}
		s.Init(workers.High)
		var ends []workers.JobState // The states in which the job was ended, as each ender saw it.
		ran, marked := false, false
		prog.Go("worker", func() {
			if stolen {
				s.TransitionToStolen()
				s.TransitionToPending()
			}
			if !s.TransitionToRunning(time.Second) {
				return
			}
			ran = true
			if s.TransitionToEnded(workers.JobCompleted, 3) {
				ends = append(ends, workers.JobCompleted)
			}
		})
		for i := range cancels {
			prog.Go(fmt.Sprintf("cancel %d", i), func() {
				switch s.TransitionToCancelled() {
				case jobstate.FoundQueued:
					ends = append(ends, workers.JobCancelled)
				case jobstate.FoundBegun:
					marked = true
				}
			})
		}
		if timesOut {
			prog.Go("clock", func() {
				if s.TransitionToTimedOut() {
					ends = append(ends, workers.JobTimedOut)
				}
			})
		}
		prog.Finally(func() error {
			switch {
			case len(ends) != 1 || s.State() != ends[0]:
				return fmt.Errorf("the job is %v, and was ended as %v", s.State(), ends)
			case ran == (ends[0] == workers.JobCancelled):
				return fmt.Errorf("the job is %v; it ran: %t", s.State(), ran)
			case s.Load().Has(jobstate.MarkOverdue):
				return errors.New("the job is overdue though its function is done")
			case ran && s.Load().Started() < time.Second || !ran && s.Load().Started() != 0 || s.Load().Priority() != workers.High:
				return fmt.Errorf("it started at %v with priority %v; it ran: %t", s.Load().Started(), s.Load().Priority(), ran)
			case ran && stolen != (s.Load().Steals() == 1):
				return fmt.Errorf("%d steals were counted; it was stolen: %t", s.Load().Steals(), stolen)
			case marked != s.Load().Has(jobstate.MarkCancelled):
				return fmt.Errorf("it was cancelled after its start: %t, and is marked so: %t", marked, s.Load().Has(jobstate.MarkCancelled))
			}
			return nil
		})
	}
}

// awaiting has a job, its waiters, and the given others. One of these cancels the job, one
// says that its time is up, and one ends the context with which the waiters wait.
func awaiting(waiters int, others ...string) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		s := workers.NewModel(1)
		cause, leaving := errors.New("the cause"), errors.New("the end of the wait")
		ran := 0
		j, err := s.Go(context.Background(), func(context.Context) error { ran++; return nil })
		if err != nil {
			panic(err)
		}
		f := workers.NewModelFiber(s).On(s.Worker(0))
		prog.Go("worker", func() { j.Run(f, workers.Normal) })
		ctx, leave := context.WithCancelCause(context.Background())
		prog.Finally(func() error { leave(nil); return nil })
		var results []error
		for i := range waiters {
			prog.Go(fmt.Sprintf("waiter %d", i), func() { results = append(results, j.Wait(ctx)) })
		}
		for _, other := range others {
			prog.Go(other, map[string]func(){
				"cancel": func() { j.Cancel(cause) },
				"clock":  func() { j.TimeOut() },
				"leave":  func() { modelcheck.Outside(); leave(leaving) },
			}[other])
		}
		prog.Finally(func() error {
			want := map[workers.JobState]error{workers.JobCancelled: cause, workers.JobTimedOut: workers.ErrJobTimeout}[j.State()]
			if void := j.State() == workers.JobCancelled; void == (ran == 1) || ran > 1 {
				return fmt.Errorf("the job is %v and ran %d times", j.State(), ran)
			}
			for _, got := range results {
				if !errors.Is(got, want) && !errors.Is(got, leaving) {
					return fmt.Errorf("the job is %v, and Wait returned %w", j.State(), got)
				}
			}
			return nil
		})
	}
}

// lifting has a job that is queued on one worker, and lifters that critical work stands for,
// each of which then takes what critical work is queued, as another worker does. They may give
// up, and somebody may cancel the job.
func lifting(lifters int, others ...string) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		s := workers.NewModelOf(workers.Config{Workers: 1 + lifters, QueueCapacity: 2, MaxQueued: 5})
		ran := 0
		var fibers []*workers.Fiber
		var begunOn []bool
		var j *workers.Job
		var err error
		run := func(context.Context) error {
			ran++
			for _, f := range fibers {
				begunOn = append(begunOn, j.BeganOn(f))
			}
			return nil
		}
		j, err = s.Go(context.Background(), run)
		if err != nil {
			panic(err)
		}
		for i := range 1 + lifters {
			fibers = append(fibers, workers.NewModelFiber(s).On(s.Worker(i)))
		}
		prog.Go("worker", func() { j.Run(fibers[0], workers.Normal) })
		for i := range lifters {
			prog.Go(fmt.Sprintf("lifter %d", i), func() {
				j.Shift(1)
				if slices.Contains(others, "give up") {
					j.Shift(-1)
				}
				if n := s.TakeCritical(); n != nil {
					n.Run(fibers[1+i])
				}
			})
		}
		if slices.Contains(others, "cancel") {
			prog.Go("cancel", func() { j.Cancel(nil) })
		}
		prog.Finally(func() error {
			switch st := j.State(); {
			case st == workers.JobCompleted && ran != 1, st == workers.JobCancelled && ran != 0, !st.Ended():
				return fmt.Errorf("the job is %v and ran %d times", st, ran)
			case s.Left() != 0 || s.InRoom() != 0:
				return fmt.Errorf("%d jobs are left, and %d queued", s.Left(), s.InRoom())
			case ran == 1 && !slices.Contains(begunOn, true):
				return errors.New("the job did not know its fiber")
			}
			for i, f := range fibers {
				if f.Lifted() {
					return fmt.Errorf("fiber %d is lifted and has no work", i)
				}
			}
			return nil
		})
	}
}
