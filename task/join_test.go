package task_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

func TestJoinTwiceReturnsTheSame(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	gate := make(chan struct{})
	start(t, g, after(gate, 1, nil))
	start(t, g, after(gate, 0, errBroken))
	var joins sync.WaitGroup
	for range 8 { // At the same time, and one after the other.
		joins.Go(func() {
			for range 2 {
				values, err := g.Join(ctx)
				is(t, err, errBroken)
				if !slices.Equal(values, []int{1, 0}) {
					t.Errorf("values %v", values)
				}
			}
		})
	}
	close(gate)
	joins.Wait()
	is(t, g.Wait(), errBroken)
}

func TestJoinOfAGroupWithoutTasks(t *testing.T) { simulated.Too(t, testJoinOfAGroupWithoutTasks) }

func testJoinOfAGroupWithoutTasks(t testing.TB) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	for _, j := range []task.Joiner[int]{nil, task.AllCompleted[int](), task.FirstFailure[int]()} {
		if values, err := newGroup(t, ctx, s, j).Join(ctx); len(values) != 0 || err != nil {
			t.Errorf("got %v, %v", values, err)
		}
	}
}

func ignoresItsContext(gate <-chan struct{}) func(context.Context) (int, error) {
	return func(context.Context) (int, error) { <-gate; return 1, nil }
}

func TestATaskThatIgnoresItsCancellation(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int](), task.Name("deaf"))
	gate, began := make(chan struct{}), make(chan struct{})
	deaf, err := g.GoNamed("stubborn", func(context.Context) (int, error) {
		began <- struct{}{} // Else it might never begin.
		<-gate
		return 1, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	receive(t, ctx, "the deaf task", began)
	start(t, g, untilCancelled[int](began))
	receive(t, ctx, "the other task", began)
	g.Cancel(errBroken)
	_, _ = g.Tasks()[1].Join(ctx)

	_, err = g.Join(expired())
	var unfinished *task.UnfinishedError
	if !errors.As(err, &unfinished) || !errors.Is(err, context.Canceled) {
		t.Fatalf("Join returned %v", err)
	}
	if len(unfinished.Tasks) != 1 || unfinished.Tasks[0].ID != deaf.ID() || unfinished.Tasks[0].Group != "deaf" {
		t.Errorf("it names %+v", unfinished.Tasks)
	}
	for _, want := range []string{"1 not ended", "stubborn", "join_test.go:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not have %q", err, want)
		}
	}
	_, err = deaf.Join(expired())
	if !errors.As(err, &unfinished) {
		t.Errorf("the task's Join returned %v", err)
	}
	_, err = deaf.Result()
	is(t, err, task.ErrNotEnded)

	close(gate)
	values, err := g.Join(ctx) // A task that completes in spite of the cancellation counts.
	is(t, err, errBroken)
	if !slices.Equal(values, []int{1, 0}) {
		t.Errorf("values %v", values)
	}
}

func TestUnfinishedErrorNamesAFew(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	gate := make(chan struct{})
	for range 20 {
		start(t, g, after(gate, 0, nil))
	}
	_, err := g.Join(expired())
	if text := err.Error(); !strings.Contains(text, "20 not ended") || !strings.Contains(text, "and 12 more") {
		t.Errorf("the error is %q", text)
	}
	close(gate)
	if _, err := g.Join(ctx); err != nil {
		t.Error(err)
	}
}

func TestATaskMayNotJoinItsOwnGroup(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	start(t, g, func(ctx context.Context) (int, error) {
		_, err := g.Join(ctx)
		return 0, err
	})
	start(t, g, func(ctx context.Context) (int, error) { // Nor from below.
		inner, err := task.NewGroup[int](ctx, nil)
		if err != nil {
			return 0, err
		}
		start(t, inner, func(ctx context.Context) (int, error) {
			_, err := g.Join(ctx)
			return 0, err
		})
		_, err = inner.Join(ctx)
		return 0, err
	})
	for _, one := range g.Tasks() {
		_, err := one.Join(ctx)
		is(t, err, task.ErrSelfJoin)
	}
	_, err := g.Join(ctx)
	is(t, err, task.ErrSelfJoin)
}

func TestJoinInsideATaskHoldsNoWorker(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1})
	g := newGroup[int](t, ctx, s, nil)
	start(t, g, func(ctx context.Context) (int, error) {
		inner, err := task.NewGroup[int](ctx, nil)
		if err != nil {
			return 0, err
		}
		one := start(t, inner, returns(2, nil))
		if _, err := one.Join(ctx); err != nil {
			return 0, err
		}
		start(t, inner, returns(3, nil))
		values, err := inner.Join(ctx)
		return values[0] + values[1], err
	})
	if values, err := g.Join(ctx); err != nil || values[0] != 5 {
		t.Errorf("got %v, %v", values, err)
	}
}

func TestNextReturnsTasksAsTheyEnd(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	const n = 10
	var gates []chan struct{}
	for i := range n {
		gates = append(gates, make(chan struct{}))
		start(t, g, after(gates[i], i, nil))
	}
	for i := n - 1; i >= 0; i-- { // The last one first.
		close(gates[i])
		one, err := g.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := one.Result(); v != i || err != nil {
			t.Errorf("next is %d, %v, want %d", v, err, i)
		}
	}
	_, err := g.Next(ctx)
	is(t, err, task.ErrNoMore)
	start(t, g, returns(99, nil)) // The group is not closed by that.
	if one, err := g.Next(ctx); err != nil {
		t.Error(err)
	} else if v, _ := one.Result(); v != 99 {
		t.Errorf("next is %d", v)
	}
	if values, err := g.Join(ctx); len(values) != n+1 || err != nil {
		t.Errorf("Join returned %v, %v", values, err)
	}
}

func TestNextAfterTasksHaveEnded(t *testing.T) { simulated.Too(t, testNextAfterTasksHaveEnded) }

func testNextAfterTasksHaveEnded(t testing.TB) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	for i := range 100 {
		_, _ = start(t, g, returns(i, nil)).Join(ctx)
	}
	if _, err := g.Join(ctx); err != nil {
		t.Fatal(err)
	}
	last := -1
	for v, err := range g.All(ctx) {
		if err != nil || v != last+1 {
			t.Fatalf("got %d, %v after %d", v, err, last)
		}
		last = v
	}
	if last != 99 {
		t.Errorf("the last is %d", last)
	}
}

func TestManyTakers(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	const n = 2000
	gate := make(chan struct{})
	start(t, g, after(gate, 0, nil)) // Keeps the takers waiting.
	var takers sync.WaitGroup
	var mu sync.Mutex
	seen := make(map[uint64]bool)
	for range 4 {
		takers.Go(func() {
			for {
				one, err := g.Next(ctx)
				if errors.Is(err, task.ErrNoMore) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if seen[one.ID()] {
					t.Error("a task was returned twice")
				}
				seen[one.ID()] = true
				mu.Unlock()
			}
		})
	}
	for i := range n {
		start(t, g, returns(i, nil))
	}
	close(gate)
	takers.Wait()
	if len(seen) != n+1 {
		t.Errorf("%d tasks were returned, want %d", len(seen), n+1)
	}
	if _, err := g.Join(ctx); err != nil {
		t.Error(err)
	}
}

func TestAllEndsWithItsContext(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	gate := make(chan struct{})
	_, _ = start(t, g, returns(1, nil)).Join(ctx)
	start(t, g, after(gate, 2, nil))
	var errs []error
	for _, err := range g.All(expired()) {
		errs = append(errs, err)
	}
	var unfinished *task.UnfinishedError
	if len(errs) != 2 || errs[0] != nil || !errors.As(errs[1], &unfinished) {
		t.Errorf("errors %v", errs)
	}
	close(gate)
	for v, err := range g.All(ctx) {
		if v != 2 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
		break // Others may be left to somebody else.
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

// TestJoinMeetsTheEndsThatItCauses has the joining goroutine find the decision
// before the task that made it does, now and then: then it cancels the others itself,
// and the last of them may end before it waits.
func TestJoinMeetsTheEndsThatItCauses(t *testing.T) {
	lane.Short(t)
	ctx, s := guarded(t), newScheduler(t, sched.Config{Workers: 2})
	for range 5_000 {
		g := newGroup(t, ctx, s, task.FirstSuccess[string]())
		start(t, g, untilCancelled[string](nil))
		start(t, g, returns("fast", nil))
		var joiners sync.WaitGroup
		for range 3 {
			joiners.Go(func() {
				if values, err := g.Join(ctx); !slices.Equal(values, []string{"fast"}) || err != nil {
					t.Errorf("got %v, %v", values, err)
				}
			})
		}
		joiners.Wait()
		if t.Failed() {
			return
		}
	}
}
