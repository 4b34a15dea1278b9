package task_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

func TestATaskJoinsTwiceWithTheSameResult(t *testing.T) {
	leavesNothing(t)
	simulated.Too(t, testATaskJoinsTwiceWithTheSameResult)
}

func testATaskJoinsTwiceWithTheSameResult(t testing.TB) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	good, bad := start(t, g, returns(3, nil)), start(t, g, returns(4, errBroken))
	for range 2 {
		if v, err := good.Join(ctx); v != 3 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
		if v, err := bad.Join(ctx); v != 0 || !errors.Is(err, errBroken) {
			t.Errorf("got %d, %v", v, err)
		}
		if v, err := good.Join(expired()); v != 3 || err != nil {
			t.Errorf("what has ended is not told to whoever is late: %d, %v", v, err)
		}
	}
	_, _ = g.Join(ctx)
}

func TestATaskMayNotJoinItself(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	self := make(chan *task.Task[int], 1)
	one := start(t, g, func(ctx context.Context) (int, error) { return (<-self).Join(ctx) })
	self <- one
	_, err := one.Join(ctx)
	is(t, err, sched.ErrSelfWait)
	_, _ = g.Join(ctx)
}

func TestALeakedErrorOfAContextIsAFailure(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.FirstFailure[int]())
	one := start(t, g, returns(0, context.DeadlineExceeded))      // Of a request, say.
	if _, err := one.Join(ctx); err != context.DeadlineExceeded { //nolint:errorlint // Exactly this one.
		t.Errorf("the error is %v", err)
	}
	if one.State() != sched.JobFailed {
		t.Errorf("a leaked error is taken for a cancellation: %v", one.State())
	}
	_, err := g.Join(ctx)
	is(t, err, context.DeadlineExceeded)
}

func TestAFailureOfACancelledTaskIsKept(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	began := make(chan struct{})
	one := start(t, g, func(ctx context.Context) (int, error) {
		close(began)
		_ = forever(ctx)
		return 0, errBroken
	})
	receive(t, ctx, "the task", began)
	g.Cancel(nil)
	_, err := g.Join(ctx)
	is(t, err, errBroken)
	if one.State() != sched.JobFailed {
		t.Errorf("the task is %v", one.State())
	}
}

func TestNamesAndPlaces(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int](), task.Name("group"))
	gate := make(chan struct{})
	anonymous := start(t, g, ignoresItsContext(gate))
	named, err := g.GoNamed("named", ignoresItsContext(gate))
	if err != nil {
		t.Fatal(err)
	}
	if name := anonymous.Name(); !strings.HasPrefix(name, "task_test.") || !strings.Contains(name, "ignoresItsContext") {
		t.Errorf("the name is %q", name)
	}
	if named.Name() != "named" {
		t.Errorf("the name is %q", named.Name())
	}
	if anonymous.ID() == named.ID() {
		t.Error("two tasks have one id")
	}
	close(gate)
	_, _ = g.Join(ctx)
}

func TestANilTask(t *testing.T) { simulated.Too(t, testANilTask) }

func testANilTask(t testing.TB) {
	ctx := guarded(t)
	for _, none := range []*task.Task[int]{nil, {}} {
		_, joinErr := none.Join(ctx)
		_, resultErr := none.Result()
		is(t, joinErr, sched.ErrNoJob)
		is(t, resultErr, sched.ErrNoJob)
		if none.Detach() || none.Cancel(nil) {
			t.Error("what is no task was detached or cancelled")
		}
		is(t, none.Wait(ctx), sched.ErrNoJob)
		select {
		case <-none.Done():
		case <-ctx.Done():
			t.Error("what is no task never ends")
		}
		if none.ID() != 0 || none.State() != sched.JobPending || none.Kind() != "" || none.Priority() != sched.Normal ||
			none.Info().Worker != -1 || none.Label() != (*sched.Job)(nil).Label() || none.Name() == "" || none.String() != "no job" {
			t.Errorf("what is no task is %v, %q: %+v", none, none.Name(), none.Info())
		}
	}
}

func TestDetachTakesATaskOutOfItsGroup(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.FirstFailure[int]())
	gate, began := make(chan struct{}), make(chan struct{})
	free := start(t, g, func(ctx context.Context) (int, error) {
		began <- struct{}{}
		<-gate
		return 8, task.Checkpoint(ctx)
	})
	receive(t, ctx, "the task", began)
	if !free.Detach() || free.Detach() {
		t.Error("not exactly the first Detach is effective")
	}
	if tasks := g.Tasks(); len(tasks) != 0 {
		t.Errorf("the group still has %d tasks", len(tasks))
	}
	start(t, g, returns(0, errBroken)) // Cancels all of the group.
	_, err := g.Join(ctx)
	is(t, err, errBroken)
	if list := task.Detached(s); len(list) != 1 || list[0].ID != free.ID() || !list[0].Detached {
		t.Errorf("detached are %v", list)
	}
	close(gate)
	if v, err := free.Join(ctx); v != 8 || err != nil {
		t.Errorf("the detached task ended with %d, %v", v, err)
	}
}

func TestWhatHasEndedIsNotDetached(t *testing.T) { simulated.Too(t, testWhatHasEndedIsNotDetached) }

func testWhatHasEndedIsNotDetached(t testing.TB) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	over := start(t, g, returns(1, nil))
	if _, err := over.Join(ctx); err != nil {
		t.Fatal(err)
	}
	began := make(chan struct{})
	cancelled := start(t, g, untilCancelled[int](began))
	receive(t, ctx, "the task", began)
	g.Cancel(nil)
	if cancelled.Detach() {
		t.Error("a cancelled task was detached")
	}
	values, _ := g.Join(ctx)
	if len(values) != 2 || over.Detach() {
		t.Errorf("values %v", values)
	}
}
