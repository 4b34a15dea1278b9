package router_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
	"github.com/troupe-go/troupe/simtest"
)

// door is where tasks of a simulation wait until it is opened.
func door(s *simtest.Sim, sys *actor.System) (wait func(context.Context) error, open func()) {
	const opened = 1
	var waiting []task
	ref := spawn(s, sys, func(ctx *actor.Context[task], m task) error {
		if waiting = append(waiting, m); m.id != opened {
			return nil
		}
		for _, w := range waiting {
			_ = w.reply.Send(ctx, 0) // The last does not wait.
		}
		return nil
	}, actor.WithName("door"))
	wait = func(ctx context.Context) error {
		_, err := actor.Ask(ctx, ref, func(r actor.Reply[int]) task { return task{reply: r} })
		return err
	}
	return wait, func() { wantNoErr(s, ref.Send(s.Context(), task{id: opened})) }
}

// A task that waits behind another with the same key has not begun. A stop drops it,
// and its asker learns so before the other task ends.
func TestPoolStopDropsWhatWaitsForAKey(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 10}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		wait, open := door(s, sys)
		p := newPool(s, sys, router.PoolConfig[int, int]{
			Workers: 2, Key: router.By(func(int) (int, bool) { return 1, true }),
			Do: func(ctx context.Context, n int) (int, error) {
				return n, wait(ctx)
			},
		})
		wantNoErr(s, p.Send(s.Context(), 0))
		s.RunUntilIdle()
		var heard []error
		for range 2 {
			asker := spawn(s, sys, func(ctx *actor.Context[int], n int) error {
				_, err := p.Ask(ctx, n)
				heard = append(heard, err)
				return nil
			})
			wantNoErr(s, asker.Send(s.Context(), 1))
		}
		stopper := spawn(s, sys, func(ctx *actor.Context[int], _ int) error { return p.Stop(ctx) })
		s.RunUntilIdle()
		wantNoErr(s, stopper.Send(s.Context(), 1))
		s.RunUntilIdle()
		wantEqual(s, "askers that were told", len(heard), 2)
		for _, err := range heard {
			wantErr(s, err, actor.ErrStopped)
		}
		open()
		s.RunUntilIdle()
		wantEqual(s, "done and dropped", []uint64{p.Stats().Done, p.Stats().Dropped}, []uint64{1, 2})
	})
}

// Stop and Drain return when the last task is over. Meanwhile nothing is taken on,
// but by Drain what tasks need to finish.
func TestPoolStopWaits(t *testing.T) {
	for name, stop := range map[string]func(*router.Pool[int, int], context.Context) error{
		"Stop": (*router.Pool[int, int]).Stop, "Drain": (*router.Pool[int, int]).Drain,
	} {
		simtest.Run(t, simtest.Config{Schedules: 10}, func(s *simtest.Sim) {
			over, stopped := false, false
			var p *router.Pool[int, int]
			sys := s.System(actor.Config{})
			wait, open := door(s, sys)
			p = newPool(s, sys, router.PoolConfig[int, int]{Workers: 1, Do: func(ctx context.Context, n int) (int, error) {
				if n < 0 {
					if err := wait(ctx); err != nil {
						return 0, err
					}
					if name == "Drain" {
						m, err := p.Ask(ctx, 7)
						wantEqual(s, "asked while it drains", []any{m, err}, []any{7, nil})
					}
					over = true
				}
				return n, nil
			}})
			stopper := spawn(s, sys, func(ctx *actor.Context[int], _ int) error {
				err := stop(p, ctx)
				stopped = true
				return err
			}, actor.WithName("stopper"))
			wantNoErr(s, p.Send(s.Context(), -1))
			s.RunUntilIdle()
			wantNoErr(s, stopper.Send(s.Context(), 1))
			s.RunUntilIdle()
			wantErr(s, p.TrySend(s.Context(), 1), actor.ErrStopped)
			wantEqual(s, name+" returned before the task", []bool{over, stopped}, []bool{false, false})
			open()
			s.RunUntilIdle()
			wantEqual(s, name+" returned after it", []bool{over, stopped}, []bool{true, true})
		})
	}
}

// A task that has waited for another one of its pool has its place again after
// that: no more are at work than there are workers.
func TestPoolTakesPlacesBack(t *testing.T) {
	ctx := guarded(t)
	var p *router.Pool[int, int]
	most := newGate()
	p = newPool(t, newSystem(t, actor.Config{}), router.PoolConfig[int, int]{Workers: 1, Do: func(ctx context.Context, n int) (int, error) {
		if n == 0 {
			if _, err := p.Ask(ctx, 1); err != nil {
				return 0, err
			}
		}
		if n != 1 {
			return n, most.pass(ctx)
		}
		return n, nil
	}})
	wantNoErr(t, p.Send(ctx, 0))
	until(t, ctx, func() bool { return most.in.Load() == 1 }) // It has asked, and goes on.
	for _, n := range []int{2, 3} {
		wantNoErr(t, p.Send(ctx, n))
	}
	until(t, ctx, func() bool { return p.Stats().Waiting[actor.Data] == 2 || most.in.Load() > 1 })
	close(most.out)
	wantNoErr(t, p.Drain(ctx))
	wantEqual(t, "at once", most.most.Load(), 1)
}

// A chain of asks may come back to a key if one of its links was only sent: then
// nobody waits.
func TestPoolKeyOfASentTask(t *testing.T) {
	ctx := guarded(t)
	answers := make(chan error, 1)
	var p *router.Pool[int, int]
	p = newPool(t, newSystem(t, actor.Config{}), router.PoolConfig[int, int]{
		Workers: 1, Key: router.By(func(n int) (int, bool) { return n % 2, true }),
		Do: func(ctx context.Context, n int) (int, error) {
			switch n {
			case 0:
				return 0, p.Send(ctx, 1)
			case 1:
				_, err := p.Ask(ctx, 2) // Has the key of 0, which does not wait for this.
				answers <- err
				return 1, err
			}
			return n, nil
		},
	})
	_, err := p.Ask(ctx, 0)
	wantNoErr(t, err)
	wantNoErr(t, <-answers)
}

// A task that a worker has taken when the pool is stopped by force, and that
// begins only then, is told like those that have begun.
func TestPoolForcesWhatIsAboutToBegin(t *testing.T) {
	ctx := guarded(t)
	told := make(chan error, 1)
	p := newPool(t, newSystem(t, actor.Config{}), router.PoolConfig[int, int]{
		Do:      func(ctx context.Context, _ int) (int, error) { return 0, context.Cause(ctx) },
		OnError: func(_ int, err error) { told <- err },
	})
	wantErr(t, router.StartForced(p, 1), actor.ErrForced)
	until(t, ctx, func() bool { s := p.Stats(); return s.Done+s.Cancelled+s.Failed == 1 })
	wantEqual(t, "cancelled", p.Stats().Cancelled, 1)
	wantErr(t, <-told, actor.ErrForced)
}

// A kill of the actor behind a pool ends the pool, and tells all callers: the asker of a task
// that runs, though that does not return, the asker of a task that waits, a sender that waits
// for room, and those that come later.
func TestPoolKilled(t *testing.T) {
	ctx := guarded(t)
	stuck, ran, causes := make(chan struct{}), make(chan int, 8), make(chan error, 1)
	defer close(stuck)
	pool, err := router.NewPool(newSystem(t, actor.Config{}), router.PoolConfig[int, int]{Workers: 2, Capacity: 1, Do: func(ctx context.Context, n int) (int, error) {
		ran <- n
		switch n {
		case 0:
			return n, nil
		case 1:
			<-stuck
			return n, nil
		}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return n, nil
	}})
	wantNoErr(t, err)
	wantNoErr(t, pool.Ref().Send(ctx, 0))
	<-ran // So its actor has started.
	answers := [4]chan error{}
	for i := range answers {
		answers[i] = make(chan error, 1)
		go func() {
			_, err := pool.Ask(ctx, i+1)
			answers[i] <- err
		}()
		switch i {
		case 0, 1:
			<-ran
		case 2:
			until(t, ctx, func() bool { return pool.Stats().Waiting[actor.Data] == 1 })
		case 3:
			until(t, ctx, func() bool { return pool.Stats().Senders[actor.Data] == 1 })
		}
	}
	wantNoErr(t, pool.Ref().Kill())
	wantErr(t, <-answers[0], actor.ErrKilled)
	wantErr(t, <-answers[1], actor.ErrKilled)
	wantErr(t, <-answers[2], actor.ErrStopped)
	wantErr(t, <-answers[3], actor.ErrStopped)
	wantErr(t, <-causes, actor.ErrForced)
	wantErr(t, pool.Send(ctx, 5), actor.ErrStopped)
	_, err = pool.Ask(ctx, 6)
	wantErr(t, err, actor.ErrStopped)
}
