package router_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/supervise"
)

type (
	intPool   = router.Pool[int, int]
	intConfig = router.PoolConfig[int, int]
)

func supervised(tb testing.TB, at actor.Spawner, cfg supervise.Config) *supervise.Supervisor {
	tb.Helper()
	sup, err := supervise.Start(at, cfg)
	wantNoErr(tb, err)
	return sup
}

// recordingMember is a member that records its start and its end.
type recordingMember struct {
	name    string
	note    func(string)
	started func() error
}

func (n recordingMember) Receive(*actor.Context[int], int) error { return errors.New("as wanted") }

func (n recordingMember) Started(*actor.Context[int]) error {
	n.note("+" + n.name)
	return n.started()
}

func (n recordingMember) Stopped(*actor.Context[int], error) { n.note("-" + n.name) }

// poolTroupe is a troupe with a pool between two actors.
type poolTroupe struct {
	First, Parser, Last actor.Ref[int]
	pool                *intPool
}

func newPoolTroupe(cfg intConfig, note func(string), first, last func(*poolTroupe) error) *supervise.Troupe[poolTroupe] {
	return supervise.NewTroupe(func(cast *supervise.Cast, s *poolTroupe) {
		play := func(ref *actor.Ref[int], name string, started func(*poolTroupe) error) {
			supervise.Play(cast, ref, supervise.Child[int]{New: func() actor.Actor[int] {
				return recordingMember{name, note, func() error { return started(s) }}
			}})
		}
		play(&s.First, "first", first)
		s.pool = router.PlayPool(cast, &s.Parser, cfg)
		play(&s.Last, "last", last)
	})
}

func quietly(*poolTroupe) error { return nil }

// A pool starts after the members before it, and before those behind it. It stops between
// them too, and only when its tasks are over.
func TestPoolMemberOrder(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		wait, open := door(s, sys)
		var notes []string
		note := func(line string) { notes = append(notes, line) }
		troupe := newPoolTroupe(intConfig{Do: func(ctx context.Context, n int) (int, error) {
			err := wait(ctx)
			note("done")
			return n, err
		}}, note, func(m *poolTroupe) error {
			err := m.pool.TrySend(s.Context(), 1)
			if !errors.Is(err, actor.ErrStopped) || !strings.Contains(err.Error(), "has not started") {
				s.Errorf("before the start, a send returns %v", err)
			}
			return nil
		}, func(m *poolTroupe) error { return m.pool.TrySend(s.Context(), 1) })
		sup := supervised(s, sys, supervise.Config{Troupe: troupe})
		s.RunUntilIdle()
		m := troupe.Members()
		wantEqual(s, "the pool's ref and path", []any{m.pool.Ref() == m.Parser, m.Parser.Path(), m.pool.String()}, []any{true, "/supervisor/Parser", "Parser"})
		stopper := spawn(s, sys, func(ctx *actor.Context[int], _ int) error { return sup.Stop(ctx) })
		wantNoErr(s, stopper.Send(s.Context(), 1))
		s.RunUntilIdle()
		wantErr(s, m.pool.TrySend(s.Context(), 1), actor.ErrStopped)
		wantEqual(s, "notes before the task is over", notes, []string{"+first", "+last", "-last"})
		open()
		s.RunUntilIdle()
		wantEqual(s, "notes", notes, []string{"+first", "+last", "-last", "done", "-first"})
		wantEqual(s, "the supervisor's end", sup.Err(), nil)
	})
}

// A kill of a pool fails its tasks, also those that do not return, and the next
// incarnation does what is sent to the same ref.
func TestPoolMemberKilled(t *testing.T) {
	ctx := guarded(t)
	stuck, ran, causes := make(chan struct{}), make(chan int, 8), make(chan error, 1)
	defer close(stuck)
	cfg := intConfig{Workers: 2, Key: router.By(func(n int) (int, bool) { return n, true }), Do: func(ctx context.Context, n int) (int, error) {
		ran <- n
		switch n {
		case 1:
			<-stuck
		case 2:
			<-ctx.Done()
			causes <- context.Cause(ctx)
		}
		return n, nil
	}}
	var pool *intPool
	members, sup, err := supervise.StartTroupe(newSystem(t, actor.Config{}), supervise.Config{}, func(cast *supervise.Cast, m *struct{ Parser actor.Ref[int] }) {
		pool = router.PlayPool(cast, &m.Parser, cfg)
	})
	wantNoErr(t, err)
	answers := [3]chan error{}
	for i := range answers {
		answers[i] = make(chan error, 1)
		go func() {
			_, err := pool.Ask(ctx, i+1)
			answers[i] <- err
		}()
		if i < 2 {
			<-ran
		}
	}
	until(t, ctx, func() bool { return pool.Stats().Waiting[actor.Data] == 1 })
	wantNoErr(t, members.Parser.Kill())
	wantErr(t, <-answers[0], actor.ErrKilled)
	wantErr(t, <-answers[1], actor.ErrKilled)
	wantErr(t, <-answers[2], actor.ErrStopped)
	wantErr(t, <-causes, actor.ErrForced)
	wantNoErr(t, members.Parser.Send(ctx, 4))
	wantEqual(t, "done by the next incarnation", <-ran, 4)
	until(t, ctx, func() bool { return sup.Restarts() == 1 })
	n, err := pool.Ask(ctx, 5)
	wantEqual(t, "asked of the next incarnation", []any{n, err}, []any{5, nil})
	wantEqual(t, "the ref of the pool", pool.Ref(), members.Parser)
}

// When the restarts are too many, the pool has ended for good, and its tasks are told
// although no other incarnation comes.
func TestPoolMemberIntensity(t *testing.T) {
	for restarts := range 2 {
		ctx := guarded(t)
		began := make(chan struct{}, 1)
		pool, child := router.PoolSpec(intConfig{Name: "parser", Workers: 2, Do: func(ctx context.Context, _ int) (int, error) {
			began <- struct{}{}
			<-ctx.Done()
			return 0, context.Cause(ctx)
		}})
		intensity := restarts
		if intensity == 0 {
			intensity = -1
		}
		sup := supervised(t, newSystem(t, actor.Config{}), supervise.Config{
			Intensity: intensity, Period: time.Hour, Children: []supervise.Spec{child},
		})
		for range restarts + 1 {
			answer := make(chan error, 1)
			until(t, ctx, func() bool {
				return pool.Send(ctx, 0) == nil
			})
			<-began
			go func() {
				_, err := pool.Ask(ctx, 1)
				answer <- err
			}()
			<-began
			wantNoErr(t, pool.Ref().Kill())
			wantErr(t, <-answer, actor.ErrKilled)
		}
		<-sup.Done()
		wantErr(t, sup.Err(), supervise.ErrIntensity, actor.ErrKilled)
		wantErr(t, pool.Send(ctx, 1), actor.ErrStopped)
		_, err := pool.Ask(ctx, 1)
		wantErr(t, err, actor.ErrStopped)
		wantErr(t, pool.Ref().Send(ctx, 1), actor.ErrStopped)
		wantNoErr(t, pool.Stop(ctx))
	}
}

// A wrong configuration is found before anything starts.
func TestPoolMemberBadConfig(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	do := func(_ context.Context, n int) (int, error) { return n, nil }
	of := func(cfg intConfig) supervise.Config {
		_, child := router.PoolSpec(cfg)
		return supervise.Config{Name: "s", Children: []supervise.Spec{child}}
	}
	played := func(play func(cast *supervise.Cast, m *poolTroupe)) supervise.Config {
		return supervise.Config{Name: "s", Troupe: supervise.NewTroupe(play)}
	}
	for name, c := range map[string]struct {
		cfg  supervise.Config
		want []string
	}{
		"no Do":   {of(intConfig{Name: "p"}), []string{"/s/p", "PoolConfig.Do is nil"}},
		"workers": {of(intConfig{Name: "p", Do: do, Workers: -2}), []string{"/s/p", "PoolConfig.Workers is -2"}},
		"no name": {of(intConfig{Do: do}), []string{"/s", "child 1 has no name"}},
		"member": {played(func(cast *supervise.Cast, m *poolTroupe) {
			router.PlayPool(cast, &m.Parser, intConfig{Do: do, Capacity: -1})
			supervise.Play(cast, &m.First, supervise.Child[int]{New: func() actor.Actor[int] { return nil }})
			supervise.Play(cast, &m.Last, supervise.Child[int]{New: func() actor.Actor[int] { return nil }})
		}), []string{"/s/Parser", "PoolConfig.Capacity is -1"}},
		"strange ref": {played(func(cast *supervise.Cast, _ *poolTroupe) {
			router.PlayPool(cast, new(actor.Ref[int]), intConfig{Do: do})
		}), []string{"/s", "no member"}},
		"played twice": {played(func(cast *supervise.Cast, m *poolTroupe) {
			router.PlayPool(cast, &m.Parser, intConfig{Do: do})
			router.PlayPool(cast, &m.Parser, intConfig{Do: do})
		}), []string{"/s", "Parser is played twice"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := supervise.Start(sys, c.cfg)
			for _, err := range []error{supervise.Check(c.cfg), err} {
				for _, w := range c.want {
					if err == nil || !strings.Contains(err.Error(), w) {
						t.Errorf("the error is %v, and does not say %q", err, w)
					}
				}
			}
			wantEqual(t, "actors", sys.Stats().Actors, 0)
		})
	}
}

// A spec starts one child at a time.
func TestPoolSpecTwice(t *testing.T) {
	ctx := guarded(t)
	pool, child := router.PoolSpec(intConfig{Name: "p", Do: func(_ context.Context, n int) (int, error) { return n, nil }})
	cfg := supervise.Config{Children: []supervise.Spec{child}}
	sys := newSystem(t, actor.Config{})
	sup := supervised(t, sys, cfg)
	_, err := supervise.Start(sys, cfg)
	wantErr(t, err, supervise.ErrStart)
	if !strings.Contains(err.Error(), "needs a PoolSpec of its own") {
		t.Errorf("the error is %v", err)
	}
	n, err := pool.Ask(ctx, 3)
	wantEqual(t, "asked after that", []any{n, err}, []any{3, nil})
	wantNoErr(t, sup.Stop(ctx))
	wantErr(t, pool.Send(ctx, 1), actor.ErrStopped)
	supervised(t, sys, cfg)
	n, err = pool.Ask(ctx, 4)
	wantEqual(t, "asked of the second", []any{n, err}, []any{4, nil})
}

// A stop with a limit ends also if tasks do not return. It says so, and the askers are told.
func TestPoolMemberStopLimit(t *testing.T) {
	ctx := guarded(t)
	stuck, began, causes := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	pool, child := router.PoolSpec(intConfig{Name: "p", Do: func(ctx context.Context, n int) (int, error) {
		close(began)
		<-stuck
		causes <- context.Cause(ctx)
		return n, nil
	}})
	child.Shutdown = time.Millisecond
	sup := supervised(t, newSystem(t, actor.Config{}), supervise.Config{Children: []supervise.Spec{child}})
	answer := make(chan error, 1)
	go func() {
		_, err := pool.Ask(ctx, 1)
		answer <- err
	}()
	<-began
	err := sup.Stop(ctx)
	wantErr(t, err, actor.ErrForced)
	if !strings.Contains(err.Error(), "/supervisor/p") {
		t.Errorf("the stop returns %v", err)
	}
	wantErr(t, <-answer, actor.ErrKilled)
	wantErr(t, pool.Stop(ended()), context.Canceled) // The task is left.
	close(stuck)
	wantErr(t, <-causes, actor.ErrForced)
	wantNoErr(t, pool.Stop(ctx))
}

// Before its first start a pool refuses everything, and says why.
func TestPoolMemberBeforeStart(t *testing.T) {
	ctx := guarded(t)
	pool, _ := router.PoolSpec(intConfig{Name: "p", Do: func(_ context.Context, n int) (int, error) { return n, nil }})
	_, asked := pool.Ask(ctx, 1)
	var mapped error
	for _, err := range pool.Map(ctx, slices.Values([]int{1})) {
		mapped = err
	}
	for what, err := range map[string]error{
		"Send": pool.Send(ctx, 1), "TrySend": pool.On(actor.Control).TrySend(ctx, 1), "Ask": asked, "Map": mapped,
		"Stop": pool.Stop(ctx), "Drain": pool.Drain(ctx),
	} {
		if !errors.Is(err, actor.ErrStopped) || !strings.Contains(err.Error(), "p has not started") {
			t.Errorf("%s returns %v", what, err)
		}
	}
	wantErr(t, pool.Ref().Send(ctx, 1), actor.ErrNoRef)
	wantEqual(t, "stats", pool.Stats(), router.PoolStats{Name: "p", Workers: 1})
}

// A pool that was drained or stopped by its own methods is not restarted, until the
// supervisor is told to. Then it works again.
func TestPoolMemberStoppedByItself(t *testing.T) {
	ctx := guarded(t)
	pool, child := router.PoolSpec(intConfig{Name: "p", Workers: 1, Do: func(_ context.Context, n int) (int, error) { return n, nil }})
	sup := supervised(t, newSystem(t, actor.Config{}), supervise.Config{Children: []supervise.Spec{child}})
	first := pool.Ref()
	for _, end := range []func(context.Context) error{pool.Drain, pool.Stop} {
		const tasks = 20
		ref := pool.Ref()
		for n := range tasks {
			wantNoErr(t, ref.Send(ctx, n))
		}
		wantNoErr(t, end(ctx))
		if drained := ref == first; drained {
			wantEqual(t, "done by a drain", pool.Stats().Done, tasks)
		}
		wantErr(t, ref.Send(ctx, 1), actor.ErrStopped)
		wantErr(t, pool.Send(ctx, 1), actor.ErrStopped)
		until(t, ctx, func() bool { return sup.Restart(ctx, "p") == nil }) // When it has noted the end.
		n, err := pool.Ask(ctx, 5)
		wantEqual(t, "asked after the restart", []any{n, err}, []any{5, nil})
		wantNoErr(t, pool.Ref().Send(ctx, 5))
	}
	wantEqual(t, "restarts by itself", sup.Restarts(), 0)
}

// When a sibling's failure restarts the group, tasks that run are waited for, those that
// have not begun are dropped, and what waits in the mailbox is done by the next incarnation.
func TestPoolMemberRestartedWithGroup(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		wait, open := door(s, sys)
		var done, failed []int
		troupe := newPoolTroupe(intConfig{
			Workers: 1, Capacity: 1,
			Do: func(ctx context.Context, n int) (int, error) {
				if n == 0 {
					if err := wait(ctx); err != nil {
						return 0, err
					}
				}
				done = append(done, n)
				return n, nil
			},
			OnError: func(n int, err error) {
				wantErr(s, err, actor.ErrStopped)
				failed = append(failed, n)
			},
		}, func(string) {}, quietly, quietly)
		sup := supervised(s, sys, supervise.Config{Strategy: supervise.OneForAll, Troupe: troupe})
		m := troupe.Members()
		for n := range 2 {
			wantNoErr(s, m.pool.Send(s.Context(), n)) // One runs, and one waits.
		}
		s.RunUntilIdle()
		wantNoErr(s, m.Last.Send(s.Context(), 0)) // It fails.
		s.RunUntilIdle()
		wantNoErr(s, m.Parser.Send(s.Context(), 3))
		s.RunUntilIdle()
		wantEqual(s, "done and failed while the group stops", [][]int{done, failed}, [][]int{nil, {1}})
		open()
		s.RunUntilIdle()
		wantEqual(s, "done and failed", [][]int{done, failed}, [][]int{{0, 3}, {1}})
		wantEqual(s, "restarts", sup.Restarts(), 1)
	})
}

// Whenever a pool is killed, each asker is told once, and the next incarnation works.
func TestPoolMemberKilledInSimulation(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 50}, func(s *simtest.Sim) {
		const askers, each = 3, 4
		sys := s.System(actor.Config{})
		pool, child := router.PoolSpec(intConfig{Name: "p", Workers: 2, Capacity: 2, Do: func(_ context.Context, n int) (int, error) { return n, nil }})
		sup := supervised(s, sys, supervise.Config{Intensity: 10, Period: time.Hour, Children: []supervise.Spec{child}})
		ref := pool.Ref()
		answers := 0
		for range askers {
			asker := spawn(s, sys, func(ctx *actor.Context[int], n int) error {
				m, err := pool.Ask(ctx, n)
				answers++
				if err == nil {
					wantEqual(s, "the answer", m, n)
				} else if !errors.Is(err, actor.ErrKilled) {
					wantErr(s, err, actor.ErrStopped)
				}
				return nil
			})
			for n := range each {
				wantNoErr(s, asker.Send(s.Context(), n))
			}
		}
		killer := spawn(s, sys, func(*actor.Context[int], int) error { return ref.Kill() })
		for n := range 2 {
			wantNoErr(s, killer.Send(s.Context(), n))
		}
		s.RunUntilIdle()
		wantEqual(s, "answers", answers, askers*each)
		n, err := pool.Ask(s.Context(), 7)
		wantEqual(s, "asked in the end", []any{n, err}, []any{7, nil})
		wantEqual(s, "the ref", []any{pool.Ref() == ref, sup.Restarts() > 0}, []any{true, true})
	})
}

// A time-out of the front, which waits for room, does not hide a kill after the next message.
func TestPoolMemberKilledAfterTimeout(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 10}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		wait, open := door(s, sys)
		var told []int
		pool, child := router.PoolSpec(intConfig{
			Name: "p", Workers: 1, Capacity: 1,
			Do: func(ctx context.Context, n int) (int, error) {
				if n == 1 {
					return n, nil
				}
				return n, wait(ctx)
			},
			OnError: func(n int, err error) {
				wantErr(s, err, actor.ErrForced)
				told = append(told, n)
			},
		})
		child.Options = []actor.Option{actor.WithHandlerTimeout(time.Second, actor.TimeoutCancel)}
		supervised(s, sys, supervise.Config{Intensity: -1, Children: []supervise.Spec{child}})
		for n := range 2 {
			wantNoErr(s, pool.Send(s.Context(), n)) // One runs, and one waits.
		}
		s.RunUntilIdle()
		wantNoErr(s, pool.Ref().Send(s.Context(), 3))
		s.RunUntilIdle()
		s.Advance(10 * time.Second)
		wantEqual(s, "dead letters", len(s.DeadLetters()), 1)
		open()
		s.RunUntilIdle()
		wantNoErr(s, pool.Ref().Send(s.Context(), 4))
		s.RunUntilIdle()
		wantNoErr(s, pool.Ref().Kill())
		s.RunUntilIdle()
		wantEqual(s, "tasks that were told", told, []int{4})
		wantErr(s, pool.Send(s.Context(), 1), actor.ErrStopped)
	})
}

// A time-out that stops the front is a kill.
func TestPoolMemberStoppedByTimeout(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 10}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		wait, _ := door(s, sys)
		told := map[int]error{}
		pool, child := router.PoolSpec(intConfig{
			Name: "p", Workers: 1, Capacity: 1,
			Do:      func(ctx context.Context, n int) (int, error) { return n, wait(ctx) },
			OnError: func(n int, err error) { told[n] = err },
		})
		child.Options = []actor.Option{actor.WithHandlerTimeout(time.Second, actor.TimeoutStop)}
		sup := supervised(s, sys, supervise.Config{Intensity: -1, Children: []supervise.Spec{child}})
		for n := range 2 {
			wantNoErr(s, pool.Send(s.Context(), n)) // One runs, and one waits.
		}
		s.RunUntilIdle()
		wantNoErr(s, pool.Ref().Send(s.Context(), 3))
		s.RunUntilIdle()
		s.Advance(10 * time.Second)
		wantErr(s, sup.Err(), supervise.ErrIntensity, actor.ErrHandlerTimeout)
		wantErr(s, told[0], actor.ErrForced)
		wantErr(s, told[1], actor.ErrStopped)
	})
}

// An asker of a pool that was killed is told at once, whatever its task does. The task takes
// no place of the next incarnation.
func TestPoolMemberKilledBesideATask(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		wait, open := door(s, sys)
		pool, child := router.PoolSpec(intConfig{
			Name: "p", Workers: 1,
			Do: func(ctx context.Context, n int) (int, error) {
				if n == 0 {
					return n, wait(context.WithoutCancel(ctx))
				}
				return n, nil
			},
		})
		supervised(s, sys, supervise.Config{Children: []supervise.Spec{child}})
		var heard []error
		asker := spawn(s, sys, func(ctx *actor.Context[int], n int) error {
			_, err := pool.Ask(ctx, n)
			heard = append(heard, err)
			return nil
		})
		wantNoErr(s, asker.Send(s.Context(), 0))
		s.RunUntilIdle()
		wantEqual(s, "heard before the kill", len(heard), 0)
		wantNoErr(s, pool.Ref().Kill())
		s.RunUntilIdle()
		wantEqual(s, "heard after it", len(heard), 1)
		wantNoErr(s, asker.Send(s.Context(), 1))
		s.RunUntilIdle()
		wantErr(s, heard[0], actor.ErrKilled)
		wantEqual(s, "the next ask", heard[1], nil)
		wantEqual(s, "stats", pool.Stats(), router.PoolStats{Name: "p", Workers: 1, Done: 1})
		open()
		s.RunUntilIdle()
	})
}
