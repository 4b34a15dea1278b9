package task_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/task"
)

// TestProgramsUnderSchedules runs programs, another one under each schedule, step
// by step.
func TestProgramsUnderSchedules(t *testing.T) {
	leavesNothing(t)
	for _, strategy := range []simtest.Strategy{simtest.Random, simtest.PCT} {
		t.Run(strategy.String(), func(t *testing.T) {
			simtest.Run(t, simtest.Config{Schedules: 300, Strategy: strategy}, func(s *simtest.Sim) {
				sc := s.Scheduler(sched.Config{})
				checkProgram(s.Context(), s, sc, func(_ string, most int) int { return s.Rand().IntN(most + 1) })
			})
		})
	}
}

// takes is a task's function that takes d, unless it is cancelled.
func takes(d time.Duration, value int) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) { return value, task.Sleep(ctx, d) }
}

// TestDecisionsUnderAllSchedules goes through every order of a few tasks. Tasks that no longer
// matter are cancelled, so that an hour does not pass. They have ended when Join returns.
func TestDecisionsUnderAllSchedules(t *testing.T) {
	leavesNothing(t)
	endless, fails, one, two := takes(time.Hour, 9), returns(0, errBroken), returns(1, nil), takes(time.Second, 2)
	shields := func(ctx context.Context) (int, error) {
		return 1, task.Shield(ctx, task.NoLimit, func(ctx context.Context) error { return task.Sleep(ctx, time.Second) })
	}
	type fn = func(context.Context) (int, error)
	for name, test := range map[string]struct {
		joiner task.Joiner[int]
		tasks  []fn
		values int
		err    error
	}{
		"a failure decides":             {task.FirstFailure[int](), []fn{endless, fails}, 0, errBroken},
		"a success decides":             {task.FirstSuccess[int](), []fn{endless, one}, 1, nil},
		"a failure is no success":       {task.FirstSuccess[int](), []fn{fails, two}, 1, nil},
		"a shield is waited for":        {task.FirstSuccess[int](), []fn{shields, one}, 1, nil},
		"a quorum decides":              {task.Quorum[int](2), []fn{endless, one, two}, 2, nil},
		"a quorum out of reach decides": {task.Quorum[int](2), []fn{endless, fails}, 0, task.ErrQuorum},
		"nothing decides":               {task.AllCompleted[int](), []fn{fails, one, two}, 3, errBroken},
	} {
		t.Run(name, func(t *testing.T) {
			simtest.Run(t, simtest.Config{Strategy: simtest.Exhaustive, Schedules: 500}, func(s *simtest.Sim) {
				began := s.Now()
				g := newGroup(s, s.Context(), s.Scheduler(sched.Config{}), test.joiner)
				for _, fn := range test.tasks {
					start(s, g, fn)
				}
				values, err := g.Join(s.Context())
				if len(values) != test.values || !errors.Is(err, test.err) {
					s.Errorf("Join returned %v, %v", values, err)
				}
				if took := s.Now().Sub(began); took >= time.Hour {
					s.Errorf("it took %v", took)
				}
				for _, one := range g.Tasks() {
					if !one.State().Ended() {
						s.Errorf("a task is %v after Join", one.State())
					}
				}
			})
		})
	}
}

func TestAQuorumIsNotGivenUpBeforeJoin(t *testing.T) {
	leavesNothing(t)
	simulated.Too(t, testAQuorumIsNotGivenUpBeforeJoin)
}

func testAQuorumIsNotGivenUpBeforeJoin(t testing.TB) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.Quorum[int](2))
	for range 2 {
		if _, err := start(t, g, returns(1, nil)).Join(ctx); err != nil {
			t.Error(err)
		}
	}
	if values, err := g.Join(ctx); len(values) != 2 || err != nil {
		t.Errorf("Join returned %v, %v", values, err)
	}
}

// TestDetachedTasksUnderSchedules has tasks outlive an actor, and the limit of a
// stop end them.
func TestDetachedTasksUnderSchedules(t *testing.T) {
	leavesNothing(t)
	simtest.Run(t, simtest.Config{Schedules: 50}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], _ int) error {
			_, err := task.Detach(ctx, func(ctx context.Context) (int, error) {
				return 0, task.Within(ctx, func(ctx context.Context, _ *task.Scope) error {
					g, err := task.NewGroup[int](ctx, nil)
					if err != nil {
						return err
					}
					if _, err := g.Go(takes(time.Hour, 1)); err != nil {
						return err
					}
					_, _ = g.Join(ctx)
					return task.Sleep(ctx, time.Hour)
				})
			})
			return err
		}))
		if err != nil {
			s.Fatal(err)
		}
		began := s.Now()
		if err := ref.Send(s.Context(), 1); err != nil {
			s.Error(err)
		}
		s.RunUntilIdle()
		if err := ref.Stop(s.Context()); err != nil {
			s.Error(err)
		}
		if n := len(task.Detached(sys.Scheduler())); n != 1 {
			s.Errorf("%d tasks are detached", n)
		}
		_ = sys.Stop(expired())
		_ = sys.Scheduler().Stop(expired())
		if err := sys.Stop(s.Context()); err != nil {
			s.Error(err)
		}
		if took := s.Now().Sub(began); took >= time.Hour {
			s.Errorf("it took %v", took)
		}
	})
}

// TestManyTakersUnderSchedules has tasks of another group take the results of
// one: each goes to one taker.
func TestManyTakersUnderSchedules(t *testing.T) {
	lane.Short(t)
	leavesNothing(t)
	simtest.Run(t, simtest.Config{Schedules: 300}, func(s *simtest.Sim) {
		sc := s.Scheduler(sched.Config{})
		source, takers := newGroup(s, s.Context(), sc, task.AllCompleted[int]()), newGroup(s, s.Context(), sc, task.AllCompleted[int]())
		const n = 4
		taken := 0 // Written step by step.
		for i := range n {
			start(s, source, func(ctx context.Context) (int, error) { return i, task.Sleep(ctx, 1) })
			start(s, takers, func(ctx context.Context) (int, error) {
				if _, err := source.Next(ctx); err != nil {
					return 0, err
				}
				taken++
				return 0, nil
			})
		}
		if _, err := takers.Join(s.Context()); err != nil || taken != n {
			s.Errorf("%d of %d results were taken: %v", taken, n, err)
		}
	})
}

// TestTheEndOfAnActorUnderSchedules has an actor end while its tasks begin, end,
// and start others.
func TestTheEndOfAnActorUnderSchedules(t *testing.T) {
	lane.Short(t)
	leavesNothing(t)
	simtest.Run(t, simtest.Config{Schedules: 300}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		running := 0
		var work func(left int) func(ctx context.Context) (int, error)
		work = func(left int) func(ctx context.Context) (int, error) {
			return func(ctx context.Context) (int, error) {
				running++
				defer func() { running-- }()
				if left > 0 {
					g, err := task.NewGroup[int](ctx, nil)
					if err != nil {
						return 0, err
					}
					_, err = g.Go(work(left - 1)) // Nobody joins it.
					if err != nil {
						return 0, err
					}
				}
				return 0, task.Sleep(ctx, 1)
			}
		}
		ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], m int) error {
			_, err := work(m)(ctx)
			return err
		}))
		if err != nil {
			s.Fatal(err)
		}
		for range 3 {
			if err := ref.Send(s.Context(), 2); err != nil {
				s.Error(err)
			}
		}
		if err := ref.Stop(s.Context()); err != nil {
			s.Error(err)
		}
		if running != 0 {
			s.Errorf("%d tasks have outlived the actor", running)
		}
	})
}
