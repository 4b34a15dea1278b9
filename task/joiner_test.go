package task_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

func goexit() { runtime.Goexit() }

// custom is a joiner made of functions.
type custom struct {
	decide func(t *task.Task[int], c task.Count) bool
	result func(o task.Outcome[int]) ([]int, error)
}

func (j *custom) Decide(t *task.Task[int], c task.Count) bool {
	return j.decide != nil && j.decide(t, c)
}

func (j *custom) Result(o task.Outcome[int]) ([]int, error) {
	if j.result == nil {
		return o.Values(), o.Err()
	}
	return j.result(o)
}

func TestACustomJoinerIsAskedInOrderAndOneAtATime(t *testing.T) {
	leavesNothing(t)
	simulated.Too(t, testACustomJoinerIsAskedInOrderAndOneAtATime)
}

func testACustomJoinerIsAskedInOrderAndOneAtATime(t testing.TB) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	var ended []*task.Task[int] // Without a lock: the race detector watches.
	announced := 0
	j := &custom{decide: func(one *task.Task[int], c task.Count) bool {
		if one == nil {
			announced++
			return false
		}
		ended = append(ended, one)
		return c.Succeeded == 50
	}}
	j.result = func(o task.Outcome[int]) ([]int, error) {
		if o.Decided != ended[len(ended)-1] || o.Count.Left() != 0 || o.Count.Started != 100 {
			t.Errorf("decided by %v, count %+v", o.Decided, o.Count)
		}
		i := 0
		for one := range o.Ended() {
			if i < len(ended) && one != ended[i] {
				t.Errorf("task %d to end is another than the joiner was told", i)
			}
			i++
		}
		if i != 100 {
			t.Errorf("%d tasks have ended, want 100", i)
		}
		return []int{len(ended)}, nil
	}
	g := newGroup[int](t, ctx, s, j)
	for i := range 100 {
		if i%2 == 0 {
			start(t, g, returns(i, nil))
		} else {
			start(t, g, untilCancelled[int](nil))
		}
	}
	values, err := g.Join(ctx)
	if err != nil || len(values) != 1 || values[0] != 50 || announced > 1 {
		t.Errorf("got %v, %v, and %d announcements", values, err, announced)
	}
}

func TestACustomJoinerMayStartTasks(t *testing.T) { simulated.Too(t, testACustomJoinerMayStartTasks) }

func testACustomJoinerMayStartTasks(t testing.TB) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	var g *task.Group[int]
	retried := false
	g = newGroup[int](t, ctx, s, &custom{decide: func(one *task.Task[int], c task.Count) bool {
		if c.Failed == 1 && !retried {
			retried = true
			if _, err := g.Go(returns(5, nil)); err != nil {
				t.Error(err)
			}
		}
		return false
	}})
	start(t, g, returns(0, errBroken))
	values, err := g.Join(ctx)
	is(t, err, errBroken)
	if len(values) != 2 || values[1] != 5 {
		t.Errorf("values %v", values)
	}
}

// A joiner that replaces each task that has not succeeded comes to an end with its group.
func TestACustomJoinerStartsNothingInACancelledGroup(t *testing.T) {
	simulated.Too(t, testACustomJoinerStartsNothingInACancelledGroup)
}

func testACustomJoinerStartsNothingInACancelledGroup(t testing.TB) {
	for _, below := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(guarded(t))
		s := newScheduler(t, sched.Config{})
		var g *task.Group[int]
		refusals := 0
		g = newGroup[int](t, ctx, s, &custom{decide: func(one *task.Task[int], _ task.Count) bool {
			if one == nil {
				return false
			}
			if _, err := g.Go(untilCancelled[int](nil)); err != nil {
				is(t, err, errBroken)
				refusals++
			}
			return false
		}})
		start(t, g, untilCancelled[int](nil))
		if below {
			g.Cancel(errBroken)
		} else {
			cancel(errBroken)
		}
		_, err := g.Join(context.WithoutCancel(ctx))
		is(t, err, errBroken)
		if refusals != 1 {
			t.Errorf("%d tasks were refused, want 1", refusals)
		}
		cancel(nil)
	}
}

func TestACustomJoinerMayNotWaitForItsGroup(t *testing.T) {
	simulated.Too(t, testACustomJoinerMayNotWaitForItsGroup)
}

func testACustomJoinerMayNotWaitForItsGroup(t testing.TB) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	var g *task.Group[int]
	joins := func() {
		_, err := g.Join(expired())
		is(t, err, task.ErrSelfJoin)
	}
	asked := 0
	j := &custom{
		decide: func(one *task.Task[int], _ task.Count) bool {
			joins()
			if asked++; one != nil {
				_, err := one.Join(ctx) // It has ended.
				is(t, err, nil)
				next, err := g.Next(expired()) // So there is no need to wait.
				if err != nil || next != one {
					t.Errorf("Next returned %v, %v, want %v", next, err, one)
				}
			}
			_, err := g.Next(expired())
			is(t, err, task.ErrSelfJoin)
			for _, err := range g.All(expired()) {
				is(t, err, task.ErrSelfJoin)
			}
			return false
		},
		result: func(o task.Outcome[int]) ([]int, error) {
			if !t.Failed() { // Else it would hang.
				joins()
			}
			_, err := g.Next(expired())
			is(t, err, task.ErrNoMore)
			return o.Values(), o.Err()
		},
	}
	g = newGroup[int](t, ctx, s, j)
	start(t, g, returns(4, nil))
	values, err := g.Join(ctx)
	is(t, err, nil)
	if len(values) != 1 || values[0] != 4 || asked != 2 {
		t.Errorf("values %v, and the joiner was asked %d times", values, asked)
	}
	again, err := g.Join(ctx) // A caller that is no joiner may.
	is(t, err, nil)
	if len(again) != 1 {
		t.Errorf("values %v", again)
	}
}

func TestACustomJoinerHasAllThatHaveEnded(t *testing.T) {
	simulated.Too(t, testACustomJoinerHasAllThatHaveEnded)
}

func testACustomJoinerHasAllThatHaveEnded(t testing.TB) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	var g *task.Group[int]
	g = newGroup[int](t, ctx, s, &custom{result: func(task.Outcome[int]) (values []int, err error) {
		for value, err := range g.All(expired()) {
			if values = append(values, value); err != nil {
				return values, err
			}
		}
		return values, nil
	}})
	for range 3 {
		start(t, g, returns(4, nil))
	}
	values, err := g.Join(ctx)
	is(t, err, nil)
	if !slices.Equal(values, []int{4, 4, 4}) {
		t.Errorf("values %v", values)
	}
}

func TestAnOutcomeOfNilAndZeroTasks(t *testing.T) {
	leavesNothing(t)
	o := task.Outcome[int]{Tasks: []*task.Task[int]{nil, {}}, Count: task.Count{Started: 2}}
	is(t, o.Err(), sched.ErrNoJob)
	if values := o.Values(); len(values) != 2 {
		t.Errorf("values %v", values)
	}
}

func TestACustomJoinerThatPanicsEndsTheGroup(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	for _, test := range []struct {
		name   string
		joiner custom
		panics bool
	}{
		{"Decide panics", custom{decide: func(one *task.Task[int], _ task.Count) bool { panic(errBroken) }}, true},
		{"Decide calls Goexit", custom{decide: func(one *task.Task[int], _ task.Count) bool { goexit(); return false }}, false},
		{"Result panics", custom{
			decide: func(one *task.Task[int], _ task.Count) bool { return one != nil },
			result: func(task.Outcome[int]) ([]int, error) { panic(errBroken) },
		}, true},
		{"Result calls Goexit", custom{
			decide: func(one *task.Task[int], _ task.Count) bool { return one != nil },
			result: func(task.Outcome[int]) ([]int, error) { goexit(); return nil, nil },
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := newGroup[int](t, ctx, s, &test.joiner)
			start(t, g, untilCancelled[int](nil))
			start(t, g, returns(1, nil))
			for range 2 { // Join twice gives the same.
				_, err := g.Join(ctx)
				var p *sched.PanicError
				if test.panics && (!errors.As(err, &p) || !errors.Is(err, errBroken)) {
					t.Errorf("Join returned %v, want the panic", err)
				}
				if !test.panics {
					is(t, err, sched.ErrGoexit)
				}
			}
		})
	}
}

func TestOutcomeErrHasOneOfManyCancelled(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	g := newGroup(t, ctx, s, task.AllCompleted[int]())
	began := make(chan struct{})
	for range 10 {
		start(t, g, untilCancelled[int](began))
		receive(t, ctx, "a task", began)
	}
	g.Cancel(errBroken)
	_, err := g.Join(ctx)
	is(t, err, errBroken, context.Canceled)
	if err.Error() != "task: cancelled: broken" {
		t.Errorf("the error is %q", err)
	}
}
