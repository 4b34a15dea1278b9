package task_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

func TestADetachedTaskOutlivesItsStarter(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	var free *task.Task[string]
	gate := make(chan struct{})
	inJob(t, context.WithValue(ctx, key{}, "value"), s, func(ctx context.Context) (err error) {
		free, err = task.Detach(ctx, func(ctx context.Context) (string, error) {
			<-gate
			if _, ok := ctx.Deadline(); ok {
				t.Error("the detached task has the deadline of its starter")
			}
			return ctx.Value(key{}).(string), task.Checkpoint(ctx)
		})
		return err
	})
	if list := task.Detached(s); len(list) != 1 || list[0].ID != free.ID() {
		t.Errorf("detached are %v", list)
	}
	close(gate)
	if v, err := free.Join(ctx); v != "value" || err != nil {
		t.Errorf("got %q, %v", v, err)
	}
}

func TestADetachedTaskEndsWithTheLimitOfTheStop(t *testing.T) {
	leavesNothing(t)
	simulated.Too(t, testADetachedTaskEndsWithTheLimitOfTheStop)
}

func testADetachedTaskEndsWithTheLimitOfTheStop(t testing.TB) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	began := make(chan struct{})
	free, err := task.Detach(expired(), untilCancelled[int](began), task.On(s))
	if err != nil {
		t.Fatal(err)
	}
	receive(t, ctx, "the task", began)
	if err := s.Stop(expired()); err == nil {
		t.Error("the stop did not wait for it")
	}
	_, err = free.Join(ctx)
	is(t, err, sched.ErrStopped, context.Canceled)
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func TestBadDetach(t *testing.T) {
	s := newScheduler(t, sched.Config{})
	if _, err := task.Detach[int](t.Context(), nil, task.On(s)); err == nil {
		t.Error("Detach takes a nil function")
	}
	if _, err := task.Detach(t.Context(), returns(1, nil)); err == nil {
		t.Error("Detach does without a scheduler")
	}
	if task.List(nil) != nil || task.Detached(nil) != nil {
		t.Error("there are tasks without a scheduler")
	}
}
