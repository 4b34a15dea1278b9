package sched_test

import (
	"context"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
)

// TestJobsAndGroupsUnderSchedules has jobs submit jobs, and functions of groups,
// to a scheduler with little room, yield, fail, and be cancelled: under each
// schedule what was accepted ends once, and what was turned away never runs.
func TestJobsAndGroupsUnderSchedules(t *testing.T) {
	broken := errors.New("broken")
	simtest.Run(t, simtest.Config{Schedules: 300}, func(s *simtest.Sim) {
		sc := s.Scheduler(sched.Config{MaxQueued: 3, WhenFull: sched.RejectWhenFull})
		g, err := sc.NewGroup(s.Context())
		if err != nil {
			s.Fatal(err)
		}
		var jobs []*sched.Job
		accepted, given, ran, inGroup := 0, 0, 0, 0 // Written step by step.
		var submit func(ctx context.Context, left int)
		work := func(left int) func(ctx context.Context) error {
			return func(ctx context.Context) error {
				ran++
				sched.Yield(ctx)
				if left > 0 {
					submit(ctx, left-1)
				}
				if s.Rand().IntN(3) == 0 {
					return broken
				}
				return nil
			}
		}
		submit = func(ctx context.Context, left int) {
			for range 2 {
				j, err := sc.Go(ctx, work(left))
				switch {
				case errors.Is(err, sched.ErrFull):
				case err != nil:
					s.Error(err)
				default:
					accepted++
					jobs = append(jobs, j)
				}
				if err := g.Go(func(context.Context) error { inGroup++; return nil }); err != nil {
					s.Error(err)
				}
				given++
			}
		}
		submit(s.Context(), 2)
		if n := s.Rand().IntN(3); n < len(jobs) {
			jobs[n].Cancel(nil)
		}
		s.RunUntilIdle()
		cancelled := 0
		for _, j := range jobs {
			if st := j.State(); st == sched.JobCancelled {
				cancelled++
			} else if !st.Ended() {
				s.Errorf("a job is %v", st)
			}
			if err := j.Wait(s.Context()); err != nil && !errors.Is(err, broken) && !errors.Is(err, context.Canceled) {
				s.Error(err)
			}
		}
		if err := g.Wait(s.Context()); err != nil || inGroup != given {
			s.Errorf("%d of the group's %d functions ran: %v", inGroup, given, err)
		}
		if ran != accepted-cancelled {
			s.Errorf("%d jobs ran, %d were accepted and %d cancelled", ran, accepted, cancelled)
		}
	})
}
