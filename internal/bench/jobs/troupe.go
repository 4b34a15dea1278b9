package jobs

import (
	"context"
	"errors"

	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// Troupe is this project's scheduler.
var Troupe = suite.Subject{
	Name:     troupe,
	About:    "sched.Scheduler with its default configuration",
	Families: families,
	Runs: map[string]suite.Func{
		Flat:             onScheduler(troupeFlat),
		ForkJoin:         onScheduler(troupeForkJoin),
		SpawnJoin:        onScheduler(troupeSpawnJoin),
		Yield:            troupeYield,
		StartIdle:        onScheduler(troupeStartIdle),
		UrgentCheckpoint: onScheduler(troupeUrgent),
		UrgentLoop:       onScheduler(troupeUrgent),
		OneFlooded:       onScheduler(troupeOneFlooded),
		Queued:           troupeQueued,
		FirstSuccess:     onScheduler(troupeFirstSuccess),
		Cancel:           onScheduler(troupeCancel),
	},
	Notes: map[string]string{
		Flat:         "a Group: functions without handles, but with errors, containment of panics and waits that hold no worker; jobs with handles take 3.5 to 4.5 of workers",
		ForkJoin:     "sched.Join in one job",
		SpawnJoin:    "a task.Group with handles, results and cancellation, in a job",
		FirstSuccess: "a task.Group with the joiner FirstSuccess, started and joined by a goroutine outside",
		Cancel:       "Group.Cancel and Join by a goroutine outside; the tasks wait by task.Sleep",
		Yield:        "sched.Yield of two jobs on one worker",
		Queued:       "one worker, and no spare for it",
	},
}

var background = context.Background()

// onScheduler gives a run a scheduler of its own.
func onScheduler(do func(r *suite.Run, s *sched.Scheduler) (int64, error)) suite.Func {
	return func(r *suite.Run) (result int64, err error) {
		s, err := sched.New(sched.Config{})
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, s.Stop(background)) }()
		return do(r, s)
	}
}

func troupeFlat(r *suite.Run, s *sched.Scheduler) (int64, error) {
	return RunFlat(func(k int, job func()) error {
		g, err := s.NewGroup(background)
		if err != nil {
			return err
		}
		counted := func(context.Context) error {
			job()
			return nil
		}
		for range k {
			if err := g.Go(counted); err != nil {
				return err
			}
		}
		return g.Wait(background)
	})(r)
}

func troupeForkJoin(r *suite.Run, s *sched.Scheduler) (int64, error) {
	var failed error
	fib := func(n int) (v int) {
		job, err := s.Go(background, func(ctx context.Context) error {
			v = troupeFib(ctx, n)
			return nil
		})
		if err == nil {
			err = job.Wait(background)
		}
		failed = errors.Join(failed, err)
		return v
	}
	sum, err := RunForkJoin(fib)(r)
	return sum, errors.Join(err, failed)
}

func troupeFib(ctx context.Context, n int) int {
	if n < 2 {
		return n
	}
	a, b := sched.Join(ctx, troupeFib, n-1, n-2)
	return a + b
}

// troupeSpawnJoin starts its tasks in a job, where a program that is made of
// tasks does.
func troupeSpawnJoin(r *suite.Run, s *sched.Scheduler) (n int64, err error) {
	job, err := s.Go(background, func(ctx context.Context) (err error) {
		n, err = RunSpawnJoin(func(k int, do func(i int)) error {
			_, err := task.Run(ctx, task.FirstFailure[struct{}](), func(_ context.Context, g *task.Group[struct{}]) error {
				for i := range k {
					if _, err := g.Do(func(context.Context) error { do(i); return nil }); err != nil {
						return err
					}
				}
				return nil
			})
			return err
		})(r)
		return err
	}, sched.WithTimeout(0))
	if err == nil {
		err = job.Wait(background)
	}
	return n, err
}

func troupeYield(r *suite.Run) (int64, error) {
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1})
	if err != nil {
		return 0, err
	}
	n, err := RunYield(func(a, b Party) error {
		g, err := s.NewGroup(background)
		if err != nil {
			return err
		}
		live := func(p Party) func(context.Context) error {
			return func(ctx context.Context) error {
				p.Live(func() { sched.Yield(ctx) })
				return nil
			}
		}
		// Both come from one job, so that the worker has both before either begins.
		err = g.Go(func(context.Context) error { return errors.Join(g.Go(live(a)), g.Go(live(b))) })
		return errors.Join(err, g.Wait(background))
	})(r)
	return n, errors.Join(err, s.Stop(background))
}

func troupeStartIdle(r *suite.Run, s *sched.Scheduler) (int64, error) {
	return RunStartIdle(submitTo(s))(r)
}

func troupeUrgent(r *suite.Run, s *sched.Scheduler) (int64, error) {
	return RunUrgent(r, func(body func(checkpoint func())) error {
		_, err := s.Go(background, func(ctx context.Context) error {
			body(func() { sched.Checkpoint(ctx) })
			return nil
		})
		return err
	}, submitTo(s, sched.WithPriority(sched.Critical)))
}

func submitTo(s *sched.Scheduler, opts ...sched.JobOption) func(job func()) error {
	return func(job func()) error {
		_, err := s.Go(background, func(context.Context) error { job(); return nil }, opts...)
		return err
	}
}

func troupeOneFlooded(r *suite.Run, s *sched.Scheduler) (int64, error) {
	return RunOneFlooded(r, func(k int, job func()) error {
		one := func(context.Context) error { job(); return nil }
		_, err := s.Go(background, func(ctx context.Context) error {
			for range k {
				if _, err := s.Go(ctx, one); err != nil {
					return err
				}
			}
			return nil
		})
		return err
	})
}

// troupeQueued holds the only worker while the jobs are submitted.
func troupeQueued(r *suite.Run) (int64, error) {
	s, err := sched.New(sched.Config{Workers: 1, MaxSpares: -1})
	if err != nil {
		return 0, err
	}
	held, gate := make(chan struct{}), make(chan struct{})
	_, err = s.Go(background, func(context.Context) error {
		close(held)
		<-gate
		return nil
	})
	if err != nil {
		return 0, err
	}
	<-held
	submitAll := func(k int, job func()) error {
		one := func(context.Context) error { job(); return nil }
		for range k {
			if _, err := s.Go(background, one); err != nil {
				return err
			}
		}
		return nil
	}
	return RunQueued(r, submitAll, func() error {
		close(gate)
		return s.Stop(background)
	})
}
