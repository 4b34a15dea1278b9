package task_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/task"
)

// attempt is what one branch of a race does.
type attempt struct {
	takes time.Duration
	err   error
}

// race starts the attempts one after the other. It returns how long after the first start
// each attempt began, or -1 for an attempt that never began.
func race(s *simtest.Sim, j task.Joiner[int], delay time.Duration, attempts []attempt, opts ...task.Option) (begun []time.Duration, values []int, err error) {
	g := newGroup(s, s.Context(), s.Scheduler(sched.Config{}), j, append(opts, task.Staggered(delay))...)
	began := s.Now()
	begun = slices.Repeat([]time.Duration{-1}, len(attempts))
	for i, a := range attempts {
		start(s, g, func(ctx context.Context) (int, error) {
			begun[i] = s.Now().Sub(began)
			if err := task.Sleep(ctx, a.takes); err != nil {
				return 0, err
			}
			return i, a.err
		})
	}
	values, err = g.Join(s.Context())
	return begun, values, err
}

// The next begins after the delay, or at once when the one before has failed; the first
// success ends the race.
func TestStaggered(t *testing.T) {
	leavesNothing(t)
	const ms, never = time.Millisecond, time.Duration(-1)
	for name, c := range map[string]struct {
		joiner   task.Joiner[int]
		delay    time.Duration
		attempts []attempt
		begun    []time.Duration
		values   []int
		err      error
	}{
		"the first is in time":         {nil, 250 * ms, []attempt{{100 * ms, nil}, {0, nil}}, []time.Duration{0, never}, []int{0}, nil},
		"the first is slow":            {nil, 250 * ms, []attempt{{time.Hour, nil}, {10 * ms, nil}, {0, nil}}, []time.Duration{0, 250 * ms, never}, []int{1}, nil},
		"the first is slow and wins":   {nil, 250 * ms, []attempt{{300 * ms, nil}, {100 * ms, nil}}, []time.Duration{0, 250 * ms}, []int{0}, nil},
		"the first fails":              {nil, 250 * ms, []attempt{{20 * ms, errBroken}, {10 * ms, nil}}, []time.Duration{0, 20 * ms}, []int{1}, nil},
		"an older one fails":           {nil, 250 * ms, []attempt{{300 * ms, errBroken}, {time.Hour, nil}, {ms, nil}}, []time.Duration{0, 250 * ms, 500 * ms}, []int{2}, nil},
		"all fail":                     {nil, 250 * ms, []attempt{{ms, errBroken}, {ms, errBroken}}, []time.Duration{0, ms}, nil, task.ErrNoSuccess},
		"a success is no end for all":  {task.AllCompleted[int](), 250 * ms, []attempt{{ms, nil}, {ms, nil}}, []time.Duration{0, 250 * ms}, []int{0, 1}, nil},
		"a failure may be the end":     {task.FirstFailure[int](), 250 * ms, []attempt{{ms, errBroken}, {ms, nil}}, []time.Duration{0, never}, nil, errBroken},
		"without a delay, all at once": {nil, 0, []attempt{{time.Hour, nil}, {ms, nil}}, []time.Duration{0, 0}, []int{1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			simtest.Run(t, simtest.Config{Schedules: 50}, func(s *simtest.Sim) {
				if c.joiner == nil {
					c.joiner = task.FirstSuccess[int]()
				}
				begun, values, err := race(s, c.joiner, c.delay, c.attempts)
				if !slices.Equal(begun, c.begun) || !slices.Equal(values, c.values) || !errors.Is(err, c.err) {
					s.Errorf("they began at %v, want %v; the result is %v, %v", begun, c.begun, values, err)
				}
			})
		})
	}
}

// Random races begin and end as RFC 8305 says, to the microsecond, also where few tasks may
// run at a time.
func TestStaggeredIsHappyEyeballs(t *testing.T) {
	leavesNothing(t)
	simtest.Run(t, simtest.Config{Schedules: 300}, func(s *simtest.Sim) {
		delay := time.Duration(1+s.Rand().IntN(400_000)) * time.Microsecond
		attempts := make([]attempt, 1+s.Rand().IntN(6))
		for i := range attempts {
			attempts[i].takes = time.Duration(1+s.Rand().IntN(1_000_000)) * time.Microsecond
			if s.Rand().IntN(3) > 0 {
				attempts[i].err = errBroken
			}
		}
		const late = time.Duration(1 << 62)
		want, wins, at := make([]time.Duration, len(attempts)), -1, time.Duration(0)
		won := late
		for i, a := range attempts {
			if want[i] = at; at >= won {
				want[i] = -1
				continue
			}
			end := at + a.takes
			if a.err == nil && end < won {
				won, wins = end, i
			}
			if at += delay; a.err != nil {
				at = min(at, end)
			}
		}
		begun, values, err := race(s, task.FirstSuccess[int](), delay, attempts)
		if !slices.Equal(begun, want) || (wins >= 0) != (err == nil) || wins >= 0 && !slices.Equal(values, []int{wins}) {
			s.Errorf("%v apart, %v began at %v, want %v; the result is %v, %v, want %d", delay, attempts, begun, want, values, err, wins)
		}
	})
}

// One that is cancelled before its turn is passed over, in whatever order they run, and the
// one behind it waits for the one before it.
func TestStaggeredPassesOverTheCancelled(t *testing.T) {
	leavesNothing(t)
	simtest.Run(t, simtest.Config{Schedules: 100}, func(s *simtest.Sim) {
		g := newGroup(s, s.Context(), s.Scheduler(sched.Config{}), task.AllCompleted[int](), task.Staggered(time.Second))
		began := s.Now()
		start(s, g, takes(2*time.Second, 1))
		for range 2 {
			start(s, g, func(context.Context) (int, error) { s.Error("a cancelled task has begun"); return 0, nil }).Cancel(errBroken)
		}
		var at time.Duration
		start(s, g, func(context.Context) (int, error) { at = s.Now().Sub(began); return 4, nil })
		values, err := g.Join(s.Context())
		if at != time.Second || !slices.Equal(values, []int{1, 0, 0, 4}) || !errors.Is(err, errBroken) {
			s.Errorf("the last began at %v; the result is %v, %v", at, values, err)
		}
	})
}

// The wait for a turn ends with the group, and on the real scheduler, too.
func TestStaggeredEndsWithTheGroup(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{Workers: 1})
	g := newGroup(t, ctx, s, task.AllCompleted[int](), task.Staggered(time.Hour), task.Limit(2))
	began := make(chan struct{}, 1)
	start(t, g, untilCancelled[int](began))
	for range 5 {
		start(t, g, returns(1, nil))
	}
	receive(t, ctx, "the first", began)
	g.Cancel(errBroken)
	values, err := g.Join(ctx)
	is(t, err, errBroken)
	if !slices.Equal(values, make([]int, 6)) {
		t.Errorf("the result is %v", values)
	}
	if _, err := task.NewGroup[int](ctx, nil, task.On(s), task.Staggered(-time.Second)); err == nil {
		t.Error("a negative delay is accepted")
	}
}
