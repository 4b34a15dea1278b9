package task_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

func TestAGroupFindsItsScheduler(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	if _, err := task.NewGroup[int](ctx, nil); !errors.Is(err, task.ErrNoScheduler) {
		t.Errorf("NewGroup returned %v", err)
	}
	inJob(t, ctx, s, func(ctx context.Context) error {
		result := make(chan error)
		go func() { // Also here, where the context leads to no worker.
			g, err := task.NewGroup[int](ctx, nil)
			if err == nil {
				_, err = g.Go(returns(1, nil))
				_, _ = g.Join(ctx)
			}
			result <- err
		}()
		return <-result
	})
}

func TestBadGroups(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	var none context.Context
	for _, test := range []struct {
		ctx  context.Context
		opts []task.Option
		want string
	}{
		{none, []task.Option{task.On(s)}, "context"},
		{ctx, []task.Option{task.On(nil)}, "nil scheduler; make one with sched.New"},
		{ctx, []task.Option{task.On(s), nil}, "option 1"},
		{ctx, []task.Option{task.On(s), task.Limit(-1)}, "limit is -1"},
		{ctx, []task.Option{task.On(s), task.Priority(9)}, "priority 9"},
	} {
		if _, err := task.NewGroup[int](test.ctx, nil, test.opts...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("NewGroup returned %v, want one about %s", err, test.want)
		}
	}
	if _, err := task.NewGroup(ctx, task.FirstSuccess[int](), task.On(s), task.Discard()); err == nil {
		t.Error("FirstSuccess goes without values")
	}
	g := newGroup[int](t, ctx, s, nil)
	if _, err := g.Go(nil); err == nil {
		t.Error("Go takes a nil function")
	}
	if _, err := g.Do(nil); err == nil {
		t.Error("Do takes a nil function")
	}
	if _, err := g.Join(none); err == nil {
		t.Error("Join takes a nil context")
	}
	if _, err := g.Next(none); err == nil {
		t.Error("Next takes a nil context")
	}
	for _, g := range []*task.Group[int]{nil, {}} {
		_, goErr := g.Go(returns(1, nil))
		_, joinErr := g.Join(ctx)
		_, nextErr := g.Next(ctx)
		if goErr == nil || joinErr == nil || nextErr == nil || g.Wait() == nil || g.Cancel(nil) || len(g.Tasks()) != 0 {
			t.Error("what is no group works")
		}
	}
}

func TestGoAfterJoin(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup[int](t, ctx, s, nil)
	start(t, g, returns(1, nil))
	if _, err := g.Join(ctx); err != nil {
		t.Fatal(err)
	}
	called := false
	_, err := g.Go(func(context.Context) (int, error) { called = true; return 0, nil })
	is(t, err, task.ErrClosed)
	values, err := g.Join(ctx)
	if len(values) != 1 || err != nil || called {
		t.Errorf("Join returns %v, %v now; called: %v", values, err, called)
	}
}

func TestTrioATaskMayStartTasksWhileJoinWaits(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	for _, limit := range []int{0, 1, 2} {
		g := newGroup(t, ctx, s, task.AllCompleted[int](), task.Limit(limit))
		var spread func(depth int) func(context.Context) (int, error)
		spread = func(depth int) func(context.Context) (int, error) {
			return func(context.Context) (int, error) {
				for range 2 {
					if depth > 0 {
						start(t, g, spread(depth-1))
					}
				}
				return 1, nil
			}
		}
		start(t, g, spread(8))
		values, err := g.Join(ctx)
		if len(values) != 511 || err != nil {
			t.Errorf("limit %d: %d tasks, %v", limit, len(values), err)
		}
	}
}

func TestTheLimitHolds(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	const limit = 3
	g := newGroup(t, ctx, s, task.AllCompleted[int](), task.Limit(limit))
	var running, most atomic.Int64
	began, gate := make(chan struct{}), make(chan struct{})
	for range 20 {
		start(t, g, func(context.Context) (int, error) {
			n := running.Add(1)
			for {
				m := most.Load()
				if n <= m || most.CompareAndSwap(m, n) {
					break
				}
			}
			began <- struct{}{}
			<-gate
			running.Add(-1)
			return 0, nil
		})
	}
	for range limit {
		receive(t, ctx, "as many as the limit allows", began)
	}
	queued := 0
	for _, info := range task.List(s) {
		if info.Queued {
			queued++
		}
	}
	if queued != 20-limit {
		t.Errorf("%d tasks are queued, want %d", queued, 20-limit)
	}
	close(gate)
	for range 20 - limit {
		receive(t, ctx, "the others", began)
	}
	if _, err := g.Join(ctx); err != nil || most.Load() != limit {
		t.Errorf("%d ran at a time, %v", most.Load(), err)
	}
}

func TestATaskThatJoinsAnotherOfItsGroupLendsItsPlace(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.FirstFailure[int](), task.Limit(1))
	start(t, g, func(ctx context.Context) (int, error) {
		other, err := g.Go(returns(4, nil))
		if err != nil {
			return 0, err
		}
		v, err := other.Join(ctx)
		return v + 1, err
	})
	values, err := g.Join(ctx)
	if err != nil || len(values) != 2 || values[0] != 5 {
		t.Errorf("got %v, %v", values, err)
	}
}

func TestCancelBeforeStart(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1})
	var ran atomic.Bool
	fn := func(context.Context) (int, error) { ran.Store(true); return 0, nil }
	t.Run("of the group", func(t *testing.T) {
		g := newGroup[int](t, ctx, s, nil)
		if !g.Cancel(errBroken) || g.Cancel(nil) {
			t.Error("not exactly the first Cancel is effective")
		}
		one := start(t, g, fn)
		if one.State() != sched.JobCancelled {
			t.Errorf("the task is %v", one.State())
		}
		_, err := g.Join(ctx)
		is(t, err, errBroken, context.Canceled)
	})
	t.Run("of the context", func(t *testing.T) {
		g := newGroup[int](t, expired(), s, nil)
		start(t, g, fn)
		_, err := g.Join(ctx)
		is(t, err, context.Canceled)
	})
	t.Run("of a queued task", func(t *testing.T) {
		g := newGroup(t, ctx, s, task.AllCompleted[int](), task.Limit(1))
		gate := make(chan struct{})
		start(t, g, after(gate, 0, nil))
		queued := start(t, g, fn)
		queued.Cancel(errBroken)
		_, err := queued.Join(ctx)
		is(t, err, errBroken, context.Canceled)
		last := start(t, g, returns(3, nil))
		close(gate)
		_, err = g.Join(ctx)
		is(t, err, errBroken)
		if v, err := last.Result(); v != 3 || err != nil {
			t.Errorf("the next in the queue ended with %v, %v", v, err)
		}
	})
	if ran.Load() {
		t.Error("a task ran that was cancelled before")
	}
}

func TestTheEndOfTheContextReachesTasksThatWaitAndThatBlock(t *testing.T) {
	s := newScheduler(t, sched.Config{})
	ctx, cancel := context.WithCancelCause(guarded(t))
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	began := make(chan struct{})
	start(t, g, untilCancelled[int](began))
	start(t, g, func(ctx context.Context) (int, error) {
		began <- struct{}{}
		<-ctx.Done()
		return 0, ctx.Err()
	})
	start(t, g, func(ctx context.Context) (int, error) {
		began <- struct{}{}
		for {
			if err := task.Checkpoint(ctx); err != nil {
				return 0, err
			}
		}
	})
	for range 3 {
		receive(t, guarded(t), "a task", began)
	}
	cancel(errBroken)
	_, err := g.Join(guarded(t))
	is(t, err, errBroken)
	for _, one := range g.Tasks() {
		_, err := one.Result()
		is(t, err, errBroken)
		if one.State() != sched.JobCancelled {
			t.Errorf("a task is %v", one.State())
		}
	}
}

func TestTasksHaveTheValuesAndDeadlineOfTheGroup(t *testing.T) {
	s := newScheduler(t, sched.Config{})
	ctx := context.WithValue(guarded(t), key{}, "value")
	want, _ := ctx.Deadline()
	g := newGroup[any](t, ctx, s, nil)
	start(t, g, func(ctx context.Context) (any, error) {
		if at, ok := ctx.Deadline(); !ok || !at.Equal(want) {
			t.Errorf("the deadline is %v, want %v", at, want)
		}
		return ctx.Value(key{}), nil
	})
	if values, err := g.Join(ctx); err != nil || values[0] != "value" {
		t.Errorf("got %v, %v", values, err)
	}
}

func TestAGroupThatDiscardsForgets(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int](), task.Discard())
	for i := range 1000 {
		_, _ = start(t, g, returns(i, nil)).Join(ctx)
	}
	start(t, g, returns(0, errBroken))
	gate := make(chan struct{})
	start(t, g, after(gate, 0, nil))
	patience.Until(t, ctx, func() bool { return len(g.Tasks()) == 2 })
	if _, err := g.Next(ctx); err == nil {
		t.Error("Next works")
	}
	close(gate)
	values, err := g.Join(ctx)
	is(t, err, errBroken)
	if values != nil {
		t.Errorf("values %v", values)
	}
}

func TestAGroupOnAStoppedScheduler(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup[int](t, ctx, s, nil)
	began, gate, stopped := make(chan struct{}), make(chan struct{}), make(chan error)
	start(t, g, func(context.Context) (int, error) {
		close(began)
		<-gate
		// The scheduler waits for this task, so it may start others.
		one, err := g.Go(returns(1, nil))
		if err != nil {
			return 0, err
		}
		return one.Join(context.Background())
	})
	receive(t, ctx, "the task", began)
	go func() { stopped <- s.Stop(ctx) }()
	other := newGroup[int](t, ctx, s, nil)
	patience.Until(t, ctx, func() bool {
		_, err := other.Go(returns(1, nil))
		return errors.Is(err, sched.ErrStopped)
	})
	close(gate)
	if values, err := g.Join(ctx); err != nil || values[0] != 1 {
		t.Errorf("got %v, %v", values, err)
	}
	if _, err := other.Join(ctx); err != nil {
		t.Error(err)
	}
	if err := receive(t, ctx, "the stop", stopped); err != nil {
		t.Error(err)
	}
	_, err := newGroup[int](t, ctx, s, nil).Go(returns(1, nil))
	is(t, err, sched.ErrStopped)
}

func TestAForcedStopCancelsTasks(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1})
	g := newGroup(t, ctx, s, task.AllCompleted[int](), task.Limit(2))
	began := make(chan struct{})
	start(t, g, untilCancelled[int](began))
	receive(t, ctx, "the task", began)
	start(t, g, untilCancelled[int](nil))
	start(t, g, returns(1, nil)) // Queued in the group.
	if err := s.Stop(expired()); err == nil {
		t.Error("the stop has not given up")
	}
	_, err := g.Join(ctx)
	is(t, err, sched.ErrStopped)
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func TestAFullSchedulerDoesNotHoldUpTasksThatStartTasks(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1, MaxQueued: 2})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	for range 10 { // The opener waits for room.
		start(t, g, func(context.Context) (int, error) {
			for range 10 { // The tasks don't, since they would wait for each other.
				start(t, g, returns(1, nil))
			}
			return 1, nil
		})
	}
	if values, err := g.Join(ctx); len(values) != 110 || err != nil {
		t.Errorf("%d values, %v", len(values), err)
	}
}

func TestARejectingSchedulerTurnsTasksAway(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1, MaxQueued: 1, WhenFull: sched.RejectWhenFull})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	began, gate := make(chan struct{}), make(chan struct{})
	start(t, g, func(context.Context) (int, error) { close(began); <-gate; return 1, nil })
	receive(t, ctx, "the task", began)
	start(t, g, returns(2, nil))
	_, err := g.Go(returns(3, nil))
	is(t, err, sched.ErrFull)
	close(gate)
	if values, err := g.Join(ctx); len(values) != 2 || err != nil {
		t.Errorf("%v, %v", values, err)
	}
}

func TestThePriorityAndTheNameReachTheScheduler(t *testing.T) {
	leavesNothing(t)
	simulated.Too(t, testThePriorityAndTheNameReachTheScheduler)
}

func testThePriorityAndTheNameReachTheScheduler(t testing.TB) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.FirstFailure[int](), task.Priority(sched.High), task.Name("fetch"))
	one := start(t, g, returns(1, nil))
	if _, err := g.Join(ctx); err != nil {
		t.Fatal(err)
	}
	if one.Priority() != sched.High || one.Kind() != "fetch" || one.ID() == 0 {
		t.Errorf("the job is %+v", one.Info())
	}
}
