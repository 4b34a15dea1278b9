package workers_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

// TestWhatIsMoreUrgentEndsARotation has two jobs on one worker yield to each other, until
// one of them queues something else that comes first, by every way that there is.
func TestWhatIsMoreUrgentEndsARotation(t *testing.T) {
	type test struct {
		s   *workers.Scheduler
		ran *bool
	}
	job := func(ctx context.Context, c test, opts ...workers.JobOption) error {
		_, err := c.s.Go(ctx, func(context.Context) error { *c.ran = true; return nil }, opts...)
		return err
	}
	for name, queue := range map[string]func(ctx context.Context, c test) error{
		"high":     func(ctx context.Context, c test) error { return job(ctx, c, workers.WithPriority(workers.High)) },
		"critical": func(ctx context.Context, c test) error { return job(ctx, c, workers.WithPriority(workers.Critical)) },
		"high, from outside": func(_ context.Context, c test) error {
			return job(context.Background(), c, workers.WithPriority(workers.High))
		},
		"interrupted": func(ctx context.Context, c test) error {
			workers.Current(ctx).SubmitNext(&newWork(func(*workers.Fiber, workers.Priority) { *c.ran = true }).Node)
			return nil
		},
		"forked": func(ctx context.Context, c test) error {
			workers.Join(ctx, func(ctx context.Context, second bool) bool {
				if second {
					*c.ran = true
				} else {
					workers.Yield(ctx)
				}
				return second
			}, false, true)
			return nil
		},
		"placed": func(ctx context.Context, c test) error {
			return job(ctx, c, workers.WithPriority(workers.High), workers.WithWorker(0))
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
			for range 100 { // Each at another number of steps since the worker looked at the clock.
				rotateUntil(t, ctx, s, func(ctx context.Context, ran *bool) error { return queue(ctx, test{s, ran}) })
			}
		})
	}
}

// rotateUntil has two jobs yield to each other, and one of them call queue in between. The
// work that queue submits sets ran, before the other job comes to run.
func rotateUntil(t *testing.T, ctx context.Context, s *workers.Scheduler, queue func(ctx context.Context, ran *bool) error) {
	t.Helper()
	const rounds = 50
	var queued, ran, over bool
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		other, err := s.Go(ctx, func(ctx context.Context) error {
			for !over {
				if queued && !ran {
					t.Error("the other job was faster")
					return nil
				}
				workers.Yield(ctx)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for range rounds {
			workers.Yield(ctx)
		}
		queued = true
		if err := queue(ctx, &ran); err != nil {
			return err
		}
		for !ran {
			workers.Yield(ctx)
		}
		over = true
		return other.Wait(ctx)
	}))
}

// TestARotationLooksAtTheClock has two jobs yield to each other until their worker has
// looked at the clock several times.
func TestARotationLooksAtTheClock(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	looks := 0
	look := func(ctx context.Context) error {
		for last := workers.Current(ctx).LookedAt(); looks < 10 && ctx.Err() == nil; workers.Yield(ctx) {
			if now := workers.Current(ctx).LookedAt(); now != last {
				last = now
				looks++
			}
		}
		return context.Cause(ctx)
	}
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		other, err := s.Go(ctx, look)
		if err != nil {
			return err
		}
		if err := look(ctx); err != nil {
			return err
		}
		return other.Wait(ctx)
	}))
}
