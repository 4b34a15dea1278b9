package task_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// TestTasksAreAsUrgentAsWhoJoinsThem has a critical job wait for a group of low priority, on
// one worker that has a backlog of usual work. One of its tasks starts another meanwhile.
func TestTasksAreAsUrgentAsWhoJoinsThem(t *testing.T) {
	waits := map[string]func(ctx context.Context, g *task.Group[int]) error{
		"Join": func(ctx context.Context, g *task.Group[int]) error {
			_, err := g.Join(ctx)
			return err
		},
		"Next": func(ctx context.Context, g *task.Group[int]) error {
			for _, err := range g.All(ctx) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"Task.Join": func(ctx context.Context, g *task.Group[int]) error {
			for _, one := range g.Tasks() {
				if _, err := one.Join(ctx); err != nil {
					return err
				}
			}
			_, err := g.Join(ctx)
			return err
		},
	}
	for name, wait := range waits {
		for _, limit := range []int{0, 1} {
			t.Run(fmt.Sprintf("%s with limit %d", name, limit), func(t *testing.T) {
				joinUrgently(t, limit, wait)
			})
		}
	}
}

func joinUrgently(t *testing.T, limit int, wait func(context.Context, *task.Group[int]) error) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1, AgeAfter: -1})
	const n, usual = 5, 100
	var ran, running, joined atomic.Int64
	urgent, err := s.Go(ctx, func(ctx context.Context) error {
		for range usual {
			if _, err := s.Go(ctx, func(context.Context) error { ran.Add(1); return nil }); err != nil {
				return err
			}
		}
		g, err := task.NewGroup[int](ctx, nil, task.Priority(sched.Low), task.Limit(limit))
		if err != nil {
			return err
		}
		var work func(more bool) func(ctx context.Context) error
		work = func(more bool) func(ctx context.Context) error {
			return func(ctx context.Context) error {
				defer running.Add(-1)
				if now := running.Add(1); limit != 0 && now > int64(limit) {
					return fmt.Errorf("%d tasks run at a time, and the limit is %d", now, limit)
				}
				if more {
					if _, err := g.Do(work(false)); err != nil {
						return err
					}
				}
				sched.Yield(ctx)
				joined.Add(1)
				return nil
			}
		}
		for i := range n {
			if _, err := g.Do(work(i == 0)); err != nil {
				return err
			}
		}
		if err := wait(ctx, g); err != nil {
			return err
		}
		if late := ran.Load(); late != 0 || joined.Load() != n+1 {
			return fmt.Errorf("%d tasks have ended, behind %d pieces of usual work", joined.Load(), late)
		}
		return nil
	}, sched.WithPriority(sched.Critical))
	if err != nil {
		t.Fatal(err)
	}
	if err := urgent.Wait(ctx); err != nil {
		t.Error(err)
	}
}

// TestUrgencyOfAGroupEndsWithTheWait has a critical job take the first task of a group and wait
// no longer. The others come behind the usual work.
func TestUrgencyOfAGroupEndsWithTheWait(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1, AgeAfter: -1})
	const n, usual = 5, 100
	var ran atomic.Int64
	var left atomic.Bool
	var g *task.Group[int]
	urgent, err := s.Go(ctx, func(inner context.Context) error {
		for range usual {
			if _, err := s.Go(ctx, func(context.Context) error { ran.Add(1); return nil }); err != nil {
				return err
			}
		}
		var err error
		if g, err = task.NewGroup[int](ctx, nil, task.Priority(sched.Low), task.On(s)); err != nil {
			return err
		}
		defer left.Store(true)
		for i := range n {
			if _, err := g.Go(func(ctx context.Context) (int, error) {
				for i > 0 && !left.Load() { // The first task ends, and resumes the critical job.
					sched.Yield(ctx)
				}
				if sched.Yield(ctx); i > 0 && ran.Load() != usual {
					return 0, fmt.Errorf("nobody critical waits, and it came behind %d of %d pieces of usual work only", ran.Load(), usual)
				}
				return 0, nil
			}); err != nil {
				return err
			}
		}
		first, err := g.Next(inner)
		if err != nil {
			return err
		}
		if _, err = first.Result(); err != nil {
			return err
		}
		if ran.Load() != 0 {
			return fmt.Errorf("the first task came behind %d pieces of usual work", ran.Load())
		}
		return nil
	}, sched.WithPriority(sched.Critical))
	if err != nil {
		t.Fatal(err)
	}
	if err := urgent.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Join(ctx); err != nil {
		t.Error(err)
	}
}
