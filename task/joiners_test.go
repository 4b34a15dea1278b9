package task_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// The names of some tests say where the behaviour is documented first: Loom's
// StructuredTaskScope.Joiner, Trio's nurseries, Kotlin's supervisorScope.

func TestAllCompletedReturnsValuesAndErrorsInTheOrderOfGo(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	gate, other := make(chan struct{}), errors.New("other")
	start(t, g, after(gate, 0, errBroken))
	start(t, g, returns(2, nil))
	start(t, g, returns(0, other))
	close(gate)
	values, err := g.Join(ctx)
	if !slices.Equal(values, []int{0, 2, 0}) {
		t.Errorf("values %v", values)
	}
	is(t, err, errBroken, other)
	if err.Error() != "broken\nother" {
		t.Errorf("error %q is not in the order of Go", err)
	}
}

func TestKotlinSupervisorScopeAFailureDoesNotCancelSiblings(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	broken := start(t, g, func(context.Context) (int, error) { panic("on purpose") })
	if _, err := broken.Join(ctx); err == nil {
		t.Fatal("the panic is lost")
	}
	sibling := start(t, g, func(ctx context.Context) (int, error) { return 7, ctx.Err() })
	if v, err := sibling.Join(ctx); v != 7 || err != nil {
		t.Errorf("the sibling ended with %d, %v", v, err)
	}
	_, err := g.Join(ctx)
	var p *sched.PanicError
	if !errors.As(err, &p) || p.Value != "on purpose" || len(p.Stack()) == 0 {
		t.Errorf("Join returned %v, not the panic with its stack", err)
	}
}

func TestTrioTheFirstFailureCancelsSiblingsAndIsRaisedAfterTheyEnded(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	for _, failure := range []struct {
		name string
		fn   func(context.Context) (int, error)
		want error
	}{
		{"error", returns(0, errBroken), errBroken},
		{"panic", func(context.Context) (int, error) { panic(errBroken) }, errBroken},
		{"Goexit", func(context.Context) (int, error) { goexit(); return 0, nil }, sched.ErrGoexit},
	} {
		t.Run(failure.name, func(t *testing.T) {
			g := newGroup(t, ctx, s, task.FirstFailure[int]())
			began := make(chan struct{})
			var cleared atomic.Bool
			sibling := start(t, g, func(ctx context.Context) (int, error) {
				began <- struct{}{}
				err := forever(ctx)
				cleared.Store(true)
				return 0, err
			})
			receive(t, ctx, "the sibling", began)
			start(t, g, failure.fn)
			values, err := g.Join(ctx)
			is(t, err, failure.want)
			if values != nil || errors.Is(err, task.ErrDecided) {
				t.Errorf("Join returned %v, %v", values, err)
			}
			if !cleared.Load() {
				t.Error("Join did not wait for the sibling")
			}
			_, err = sibling.Result()
			is(t, err, context.Canceled, task.ErrDecided)
		})
	}
}

func TestFirstFailureReturnsValuesInTheOrderOfGo(t *testing.T) {
	leavesNothing(t)
	simulated.Too(t, testFirstFailureReturnsValuesInTheOrderOfGo)
}

func testFirstFailureReturnsValuesInTheOrderOfGo(t testing.TB) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.FirstFailure[int]())
	var want []int
	for i := range 100 {
		start(t, g, returns(i, nil))
		want = append(want, i)
	}
	if values, err := g.Join(ctx); !slices.Equal(values, want) || err != nil {
		t.Errorf("got %v, %v", values, err)
	}
}

func TestKotlinACancelledTaskIsNoFailure(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.FirstFailure[int]())
	began := make(chan struct{})
	one := start(t, g, untilCancelled[int](began))
	receive(t, ctx, "the task", began)
	one.Cancel(errBroken)
	_, err := one.Join(ctx)
	is(t, err, errBroken, context.Canceled)
	sibling := start(t, g, func(ctx context.Context) (int, error) { return 1, ctx.Err() })
	if _, err := sibling.Join(ctx); err != nil {
		t.Errorf("the sibling ended with %v", err)
	}
	_, err = g.Join(ctx)
	is(t, err, errBroken) // It is told, but only at the end.
}

func TestLoomAnySuccessfulResultOrThrow(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	t.Run("the first success cancels the others", func(t *testing.T) {
		g := newGroup(t, ctx, s, task.FirstSuccess[string]())
		start(t, g, returns("", errBroken))
		slow := start(t, g, untilCancelled[string](nil))
		start(t, g, returns("fast", nil))
		values, err := g.Join(ctx)
		if !slices.Equal(values, []string{"fast"}) || err != nil {
			t.Errorf("got %v, %v", values, err)
		}
		_, err = slow.Result()
		is(t, err, context.Canceled)
	})
	t.Run("none succeeds", func(t *testing.T) {
		g := newGroup(t, ctx, s, task.FirstSuccess[string]())
		start(t, g, returns("", errBroken))
		_, err := g.Join(ctx)
		is(t, err, task.ErrNoSuccess, errBroken)
	})
	t.Run("there are none", func(t *testing.T) {
		_, err := newGroup(t, ctx, s, task.FirstSuccess[string]()).Join(ctx)
		is(t, err, task.ErrNoSuccess)
	})
}

func TestQuorum(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	t.Run("reached", func(t *testing.T) {
		g := newGroup(t, ctx, s, task.Quorum[int](2))
		left := start(t, g, untilCancelled[int](nil))
		for _, fn := range []func(context.Context) (int, error){returns(1, nil), returns(0, errBroken), returns(2, nil)} {
			_, _ = start(t, g, fn).Join(ctx)
		}
		values, err := g.Join(ctx)
		if !slices.Equal(values, []int{1, 2}) || err != nil {
			t.Errorf("got %v, %v", values, err)
		}
		_, err = left.Result()
		is(t, err, task.ErrDecided)
	})
	t.Run("larger than the group", func(t *testing.T) {
		g := newGroup(t, ctx, s, task.Quorum[int](3))
		start(t, g, untilCancelled[int](nil)) // It would never end by itself.
		start(t, g, untilCancelled[int](nil))
		values, err := g.Join(ctx)
		is(t, err, task.ErrQuorum)
		if values != nil || err.Error() != "task: the quorum can't be reached: 3 needed, 2 started, 0 succeeded" {
			t.Errorf("got %v, %v", values, err)
		}
	})
	t.Run("ends at the deciding failure", func(t *testing.T) {
		g := newGroup(t, ctx, s, task.Quorum[int](2))
		start(t, g, returns(0, errBroken))
		start(t, g, untilCancelled[int](nil))
		_, err := g.Join(ctx)
		is(t, err, task.ErrQuorum, errBroken)
		if errors.Is(err, task.ErrDecided) {
			t.Errorf("the error tells of tasks that were only no longer needed: %v", err)
		}
	})
	t.Run("not positive", func(t *testing.T) {
		if _, err := task.NewGroup(ctx, task.Quorum[int](0), task.On(s)); err == nil {
			t.Error("a quorum of 0 was accepted")
		}
	})
}
