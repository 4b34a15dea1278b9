package task_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

func TestTrioAShieldIsNotCancelledFromOutside(t *testing.T) {
	s := newScheduler(t, sched.Config{})
	inJob(t, guarded(t), s, func(ctx context.Context) error {
		return task.Within(ctx, func(ctx context.Context, sc *task.Scope) error {
			sc.Cancel(errBroken)
			err := task.Shield(ctx, task.NoLimit, func(shielded context.Context) error {
				is(t, ctx.Err(), context.Canceled)
				if task.Canceller(shielded) != nil {
					t.Error("the canceller outside is seen inside")
				}
				if err := task.Sleep(shielded, time.Microsecond); err != nil {
					return err
				}
				return task.Checkpoint(shielded)
			})
			if err != nil {
				t.Errorf("the shielded part was cancelled: %v", err)
			}
			is(t, task.Checkpoint(ctx), errBroken)
			return nil
		})
	})
}

func TestAShieldHasItsOwnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := task.Shield(expired(), time.Minute, func(ctx context.Context) error {
			return task.Sleep(ctx, time.Hour)
		})
		is(t, err, task.ErrDeadline)
		if took := time.Since(began); took != time.Minute {
			t.Errorf("it took %v, want the limit", took)
		}
	})
}

// The task is cancelled by its group while it is in the shield, waiting for a
// group of its own: that finishes, and then the task sees the cancellation.
func TestANestedGroupInAShieldFinishes(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[string]())
	began, gate := make(chan struct{}), make(chan struct{})
	one := start(t, g, func(ctx context.Context) (done string, err error) {
		if err := task.Shield(ctx, time.Minute, func(shielded context.Context) error {
			inner, err := task.NewGroup[string](shielded, nil)
			if err != nil {
				return err
			}
			if _, err := inner.Go(func(ctx context.Context) (string, error) {
				close(began)
				<-gate
				return "cleared", task.Checkpoint(ctx)
			}); err != nil {
				return err
			}
			values, err := inner.Join(shielded)
			if err == nil {
				done = values[0]
			}
			return err
		}); err != nil {
			t.Errorf("the shielded part failed: %v", err)
		}
		return done, task.Checkpoint(ctx)
	})
	receive(t, ctx, "the nested task", began)
	g.Cancel(errBroken)
	if one.State().Ended() {
		t.Error("the task did not wait for its shielded part")
	}
	close(gate)
	_, err := g.Join(ctx)
	is(t, err, errBroken)
	if v, err := one.Result(); err == nil {
		t.Errorf("the task returned %q without the cancellation", v)
	}
}

func TestAShieldInAShield(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_ = task.Shield(t.Context(), time.Second, func(outer context.Context) error {
			is(t, task.Sleep(outer, time.Hour), task.ErrDeadline)
			err := task.Shield(outer, time.Minute, func(inner context.Context) error {
				return task.Sleep(inner, 2*time.Second)
			})
			if err != nil {
				t.Errorf("the inner shield ended with the outer one: %v", err)
			}
			return nil
		})
	})
}

func TestBadShields(t *testing.T) {
	leavesNothing(t)
	fn := func(context.Context) error { return nil }
	var none context.Context
	for _, err := range []error{
		task.Shield(t.Context(), 0, fn),
		task.Shield(t.Context(), -2, fn),
		task.Shield(t.Context(), time.Second, nil),
		task.Shield(none, time.Second, fn),
	} {
		if err == nil {
			t.Error("Shield accepts what makes no sense")
		}
	}
}

// The scheduler has one worker and no spares, so what sleeps there must not hold it.
func TestSleepHoldsNoWorkerWhateverTheContext(t *testing.T) {
	simulated.Too(t, testSleepHoldsNoWorkerWhateverTheContext)
}

func testSleepHoldsNoWorkerWhateverTheContext(t testing.TB) {
	own, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, elsewhere := range map[string]context.Context{"background": context.Background(), "of the test": own} {
		s := newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1})
		newScheduler(t, sched.Config{Workers: 1}) // Which is not the one to find.
		inJob(t, guarded(t), s, func(ctx context.Context) error {
			ran := false
			other, err := s.Go(ctx, func(context.Context) error { ran = true; return nil })
			if err != nil {
				return err
			}
			for !ran {
				if err := task.Sleep(elsewhere, time.Microsecond); err != nil {
					t.Errorf("with the context %s: %v", name, err)
				}
			}
			return other.Wait(ctx)
		})
	}
}
