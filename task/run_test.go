package task_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

func TestTrioNothingOutlivesRun(t *testing.T) {
	s := newScheduler(t, sched.Config{})
	ctx, cancel := context.WithCancelCause(guarded(t))
	began, cleared := make(chan struct{}), atomic.Bool{}
	_, err := task.Run(ctx, task.AllCompleted[int](), func(ctx context.Context, g *task.Group[int]) error {
		start(t, g, func(ctx context.Context) (int, error) {
			close(began)
			err := forever(ctx)
			return 0, errors.Join(err, task.Shield(ctx, task.NoLimit, func(ctx context.Context) error {
				err := task.Sleep(ctx, 1)
				cleared.Store(true)
				return err
			}))
		})
		<-began
		cancel(errBroken)
		return nil
	}, task.On(s))
	is(t, err, errBroken)
	if !cleared.Load() {
		t.Error("Run has returned before the task's clean-up")
	}
}

func TestRunReturnsTheResult(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	values, err := task.Run(ctx, nil, func(_ context.Context, g *task.Group[int]) error {
		start(t, g, returns(1, nil))
		start(t, g, returns(2, nil))
		return nil
	}, task.On(s))
	if !slices.Equal(values, []int{1, 2}) || err != nil {
		t.Errorf("got %v, %v", values, err)
	}
}

func TestTrioAnErrorOfTheBodyCancelsTheTasks(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	var one *task.Task[int]
	_, err := task.Run(ctx, nil, func(ctx context.Context, g *task.Group[int]) error {
		one = start(t, g, untilCancelled[int](nil))
		return errBroken
	}, task.On(s))
	is(t, err, errBroken)
	_, err = one.Result()
	is(t, err, errBroken, context.Canceled)
}

func TestTrioAFailureCancelsTheBody(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	_, err := task.Run(ctx, nil, func(ctx context.Context, g *task.Group[int]) error {
		start(t, g, returns(0, errBroken))
		return task.Sleep(ctx, 1<<62)
	}, task.On(s))
	is(t, err, errBroken)
	if errors.Is(err, task.ErrDecided) || errors.Is(err, context.Canceled) {
		t.Errorf("the body's cancellation hides the failure: %v", err)
	}
}

func TestASuccessThatDecidesIsNoErrorOfTheBody(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	values, err := task.Run(ctx, task.FirstSuccess[int](), func(ctx context.Context, g *task.Group[int]) error {
		start(t, g, returns(6, nil))
		return forever(ctx)
	}, task.On(s))
	if !slices.Equal(values, []int{6}) || err != nil {
		t.Errorf("got %v, %v", values, err)
	}
}

func TestAPanicOfTheBodyWaitsForTheTasks(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	var one *task.Task[int]
	defer func() {
		if v := recover(); v != "on purpose" {
			t.Errorf("recovered %v", v)
		}
		if !one.State().Ended() {
			t.Error("the task has outlived Run")
		}
	}()
	_, _ = task.Run(ctx, nil, func(_ context.Context, g *task.Group[int]) error {
		began := make(chan struct{})
		one = start(t, g, func(ctx context.Context) (int, error) {
			close(began)
			err := forever(ctx)
			return 0, errors.Join(err, task.Shield(ctx, task.NoLimit, func(ctx context.Context) error {
				return task.Sleep(ctx, time.Millisecond)
			}))
		})
		receive(t, ctx, "the task", began)
		panic("on purpose")
	}, task.On(s))
}

func TestNestedRunsAreCancelledFromOutside(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	outer := newGroup(t, ctx, s, task.AllCompleted[int]())
	began := make(chan struct{})
	var nest func(depth int) func(ctx context.Context) (int, error)
	nest = func(depth int) func(ctx context.Context) (int, error) {
		if depth == 0 {
			return untilCancelled[int](began)
		}
		return func(ctx context.Context) (int, error) {
			_, err := task.Run(ctx, nil, func(_ context.Context, g *task.Group[int]) error {
				start(t, g, nest(depth-1))
				start(t, g, nest(depth-1))
				return nil
			})
			return 0, err
		}
	}
	start(t, outer, nest(4))
	for range 16 {
		receive(t, ctx, "a leaf", began)
	}
	outer.Cancel(errBroken)
	_, err := outer.Join(ctx)
	is(t, err, errBroken, context.Canceled)
}

// A decision around a group is a cancellation to it, not its own decision.
func TestADecisionOutsideIsACancellationInside(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	outer := newGroup(t, ctx, s, task.FirstSuccess[int]())
	began := make(chan struct{})
	loser := start(t, outer, func(ctx context.Context) (int, error) {
		values, err := task.Run(ctx, nil, func(_ context.Context, g *task.Group[int]) error {
			start(t, g, untilCancelled[int](began))
			return nil
		})
		return len(values), err
	})
	receive(t, ctx, "the inner task", began)
	start(t, outer, returns(1, nil))
	if values, err := outer.Join(ctx); err != nil || values[0] != 1 {
		t.Errorf("got %v, %v", values, err)
	}
	if v, err := loser.Result(); err == nil {
		t.Errorf("the cancelled group returned %d and no error", v)
	}
}

// The tasks that the body of a Run starts run on the scheduler of the Run.
func TestRunsWithinARun(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	one := func(ctx context.Context, g *task.Group[int]) error {
		start(t, g, func(ctx context.Context) (int, error) {
			if f := workers.Current(ctx); f == nil || f.Scheduler() != (*workers.Scheduler)(s) {
				return 0, errBroken
			}
			return 1, nil
		})
		return nil
	}
	values, err := task.Run(ctx, nil, func(ctx context.Context, g *task.Group[int]) error {
		for _, inner := range []context.Context{ctx, context.WithValue(ctx, key{}, 1)} {
			if _, err := task.Run(inner, nil, one); err != nil {
				return err
			}
		}
		return task.Within(ctx, func(ctx context.Context, _ *task.Scope) error {
			_, err := task.Run(ctx, nil, one)
			return err
		})
	}, task.On(s))
	if len(values) != 0 || err != nil {
		t.Errorf("got %v, %v", values, err)
	}
}

func TestBadRuns(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	if _, err := task.Run[int](ctx, nil, nil, task.On(s)); err == nil {
		t.Error("Run takes a nil body")
	}
	if _, err := task.Run(ctx, nil, func(context.Context, *task.Group[int]) error { return nil }); !errors.Is(err, task.ErrNoScheduler) {
		t.Errorf("Run returned %v", err)
	}
}

// TestNothingThatTheBodyOpensOutlivesRun opens a group on the context of a Run's body, or of
// one of its tasks, and leaves it. Run cancels it, waits for it, and returns the error of its
// clean-up.
func TestNothingThatTheBodyOpensOutlivesRun(t *testing.T) {
	for name, open := range map[string]func(ctx context.Context, g *task.Group[int], open func(ctx context.Context) error) error{
		"the body": func(ctx context.Context, _ *task.Group[int], open func(ctx context.Context) error) error {
			return open(ctx)
		},
		"a scope": func(ctx context.Context, _ *task.Group[int], open func(ctx context.Context) error) error {
			return task.Within(ctx, func(ctx context.Context, _ *task.Scope) error { return open(ctx) })
		},
		"a task": func(_ context.Context, g *task.Group[int], open func(ctx context.Context) error) error {
			_, err := g.Do(open)
			return err
		},
		"a Run within": func(ctx context.Context, _ *task.Group[int], open func(ctx context.Context) error) error {
			_, err := task.Run(ctx, nil, func(ctx context.Context, _ *task.Group[int]) error { return open(ctx) })
			return err
		},
	} {
		for _, failure := range []error{nil, errBroken} {
			for _, panics := range []bool{false, true} {
				t.Run(fmt.Sprint(name, ", clean-up ", failure, ", panics ", panics), func(t *testing.T) {
					ctx, s := guarded(t), newScheduler(t, sched.Config{})
					var cleared atomic.Bool
					run := func() (err error) {
						defer func() {
							if v := recover(); v != nil && v != any("panic") {
								panic(v)
							}
						}()
						_, err = task.Run(ctx, nil, func(ctx context.Context, g *task.Group[int]) error {
							began := make(chan struct{})
							err := open(ctx, g, func(ctx context.Context) error {
								left, err := task.NewGroup[int](ctx, nil)
								if err != nil {
									return err
								}
								_, err = left.Do(func(ctx context.Context) error {
									close(began)
									return errors.Join(forever(ctx), task.Shield(ctx, task.NoLimit, func(ctx context.Context) error {
										err := task.Sleep(ctx, 1)
										cleared.Store(true)
										return errors.Join(err, failure)
									}))
								})
								<-began
								return err
							})
							<-began
							if panics {
								panic("panic")
							}
							return err
						}, task.On(s))
						return err
					}
					err := run()
					if !cleared.Load() {
						t.Error("Run has returned before the clean-up of the group")
					}
					if !panics && !errors.Is(err, failure) {
						t.Errorf("Run returns %v, want %v", err, failure)
					}
				})
			}
		}
	}
}

// TestTheErrorOfACleanUpComesWithTheFirstFailure has one of three tasks fail, and another
// one as it clears up for that.
func TestTheErrorOfACleanUpComesWithTheFirstFailure(t *testing.T) {
	errCleanUp := errors.New("clean-up")
	for name, end := range map[string]func(cancelled error) error{
		"alone":           func(error) error { return errCleanUp },
		"with the cancel": func(cancelled error) error { return errors.Join(cancelled, errCleanUp) },
		"wrapped":         func(cancelled error) error { return fmt.Errorf("wrapped: %w", errors.Join(cancelled, errCleanUp)) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, s := guarded(t), newScheduler(t, sched.Config{})
			g := newGroup[int](t, ctx, s, nil)
			began := make(chan struct{}, 2)
			start(t, g, untilCancelled[int](began))
			start(t, g, func(ctx context.Context) (int, error) {
				began <- struct{}{}
				return 0, end(forever(ctx))
			})
			<-began
			<-began
			start(t, g, returns(0, errBroken))
			_, err := g.Join(ctx)
			is(t, err, errBroken, errCleanUp)
			if errors.Is(err, task.ErrDecided) && name == "alone" {
				t.Errorf("a task that was just cancelled is in the error: %v", err)
			}
		})
	}
}

// TestTasksThatNeverBeganAreNoFailures has tasks queued behind one that fails, or whose group is
// cancelled. Of them the group's error has one at most.
func TestTasksThatNeverBeganAreNoFailures(t *testing.T) {
	for name, c := range map[string]struct {
		j    task.Joiner[int]
		ends error
		told int // Of how many of them the error tells.
	}{
		"fails":     {task.FirstFailure[int](), errBroken, 0},
		"succeeds":  {task.AllCompleted[int](), nil, 1},
		"cancelled": {task.FirstFailure[int](), nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, s := guarded(t), newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1})
			g := newGroup(t, ctx, s, c.j)
			began, gate := make(chan struct{}), make(chan struct{})
			start(t, g, func(context.Context) (int, error) { close(began); <-gate; return 0, c.ends })
			<-began
			for i := range 10 {
				cause := fmt.Errorf("cause %d", i)
				if queued := start(t, g, returns(0, nil)); i < 5 && c.ends != nil {
					queued.Cancel(cause)
				}
			}
			if c.ends == nil {
				g.Cancel(errBroken)
			}
			close(gate)
			_, err := g.Join(ctx)
			is(t, err, errBroken)
			told := strings.Count(err.Error(), "before it began")
			if told != c.told {
				t.Errorf("the error tells of %d tasks that never began: %v", told, err)
			}
		})
	}
}

// TestTheErrorOfACleanUpIsInThatOfJoin cancels two tasks, the second of which fails as it
// clears up.
func TestTheErrorOfACleanUpIsInThatOfJoin(t *testing.T) {
	for name, j := range map[string]task.Joiner[int]{
		"AllCompleted": task.AllCompleted[int](), "FirstFailure": task.FirstFailure[int](),
		"FirstSuccess": task.FirstSuccess[int](), "Quorum": task.Quorum[int](2), // Which is out of reach after one.
	} {
		t.Run(name, func(t *testing.T) {
			ctx, s := guarded(t), newScheduler(t, sched.Config{})
			g := newGroup(t, ctx, s, j)
			began := make(chan struct{}, 2)
			start(t, g, untilCancelled[int](began))
			start(t, g, func(ctx context.Context) (int, error) {
				began <- struct{}{}
				return 0, errors.Join(forever(ctx), errBroken)
			})
			<-began
			<-began
			g.Cancel(nil)
			_, err := g.Join(ctx)
			is(t, err, errBroken)
		})
	}
}

// TestRunForgetsWhatEndsBeforeIt opens groups below a Run, with contexts of their own, and
// leaves them. If a group's clean-up failed, the Run's error has the failure. Other groups are
// forgotten at their end.
func TestRunForgetsWhatEndsBeforeIt(t *testing.T) {
	for _, failure := range []error{nil, errBroken} {
		ctx, s := guarded(t), newScheduler(t, sched.Config{})
		_, err := task.Run(ctx, nil, func(ctx context.Context, _ *task.Group[int]) error {
			within, cancel := context.WithCancel(ctx)
			defer cancel()
			g, err := task.NewGroup(within, task.AllCompleted[int]())
			if err != nil {
				return err
			}
			began := make(chan struct{})
			left, err := g.Do(func(ctx context.Context) error {
				close(began)
				return errors.Join(forever(ctx), failure)
			})
			if err != nil {
				return err
			}
			<-began
			cancel()
			_ = left.Wait(ctx)
			if failure == nil {
				patience.Until(t, ctx, func() bool { return task.KeptByRun(ctx) == 0 })
			}
			return nil
		}, task.On(s))
		is(t, err, failure)
	}
}

// TestLastTaskEndsTheSurroundings has the last task of a group below a Run end what surrounds the group, in each way. Nobody has
// told the group yet when the task ends, and the Run asks it then whether it may be forgotten.
func TestLastTaskEndsTheSurroundings(t *testing.T) {
	for name, within := range map[string]func(ctx context.Context, open func(ctx context.Context, end func()) error) error{
		"the Run's context": func(ctx context.Context, open func(context.Context, func()) error) error {
			outside, cancel := context.WithCancel(ctx)
			defer cancel()
			_, err := task.Run(outside, nil, func(ctx context.Context, _ *task.Group[int]) error { return open(ctx, cancel) })
			return err
		},
		"the Run's group": func(ctx context.Context, open func(context.Context, func()) error) error {
			_, err := task.Run(ctx, nil, func(ctx context.Context, g *task.Group[int]) error {
				return open(ctx, func() { g.Cancel(nil) })
			})
			return err
		},
		"a scope": func(ctx context.Context, open func(context.Context, func()) error) error {
			_, err := task.Run(ctx, nil, func(ctx context.Context, _ *task.Group[int]) error {
				return task.Within(ctx, func(ctx context.Context, sc *task.Scope) error { return open(ctx, func() { sc.Cancel(nil) }) })
			})
			return err
		},
		"a context": func(ctx context.Context, open func(context.Context, func()) error) error {
			_, err := task.Run(ctx, nil, func(ctx context.Context, _ *task.Group[int]) error {
				within, cancel := context.WithCancel(ctx)
				defer cancel()
				return open(within, cancel)
			})
			return err
		},
	} {
		for _, failure := range []error{nil, errBroken} {
			t.Run(fmt.Sprint(name, ", failure ", failure), func(t *testing.T) {
				ctx, s := guarded(t), newScheduler(t, sched.Config{})
				ended := make(chan error, 1)
				outer := newGroup(t, ctx, s, task.AllCompleted[int]())
				_, err := outer.Do(func(ctx context.Context) error { // A task, so that the groups find their scheduler.
					err := within(ctx, func(ctx context.Context, end func()) error {
						g, err := task.NewGroup(ctx, task.AllCompleted[int]())
						if err != nil {
							return err
						}
						last, err := g.Do(func(context.Context) error { end(); return failure })
						if err != nil {
							return err
						}
						_, _ = last.Join(context.WithoutCancel(ctx))
						return nil
					})
					ended <- err
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if err := receive(t, ctx, "the end of the Run", ended); !errors.Is(err, failure) {
					t.Errorf("Run returns %v, want %v", err, failure)
				}
				if _, err := outer.Join(ctx); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// groupWatcher looks at another group whenever a task of its own ends.
type groupWatcher struct {
	other *atomic.Pointer[task.Group[int]]
}

func (c groupWatcher) Decide(*task.Task[int], task.Count) bool {
	if g := c.other.Load(); g != nil {
		_ = g.Tasks()
	}
	return false
}

func (c groupWatcher) Result(o task.Outcome[int]) ([]int, error) { return o.Values(), o.Err() }

// TestAJoinerMayAskAGroupThatEndsWithIts has the last task of a group, or one that is detached, end what surrounds a Run. That
// cancels the Run's tasks, for which its joiner is asked, and the joiner asks the group.
func TestAJoinerMayAskAGroupThatEndsWithIts(t *testing.T) {
	for _, detaches := range []bool{false, true} {
		ctx, s := guarded(t), newScheduler(t, sched.Config{})
		outside, cancel := context.WithCancel(ctx)
		defer cancel()
		inner := new(atomic.Pointer[task.Group[int]])
		ended, left, queued := make(chan error, 1), make(chan *task.Task[int], 1), make(chan struct{})
		go func() {
			_, err := task.Run(outside, groupWatcher{inner}, func(ctx context.Context, g *task.Group[int]) error {
				_, err := g.Do(func(ctx context.Context) error {
					own, err := task.NewGroup(ctx, task.AllCompleted[int]())
					if err != nil {
						return err
					}
					inner.Store(own)
					<-queued
					gate := make(chan struct{})
					last, err := own.Do(func(context.Context) error {
						<-gate
						if !detaches {
							cancel()
						}
						return nil
					})
					if err != nil {
						return err
					}
					if detaches {
						cancel()
						if last.Detach() {
							t.Error("a task was detached from a group that had ended")
						}
					}
					close(gate)
					_, _ = last.Join(context.WithoutCancel(ctx))
					return nil
				})
				if err != nil {
					return err
				}
				second, err := g.Do(func(context.Context) error { return nil }) // Waits for its place.
				left <- second
				close(queued)
				return err
			}, task.On(s), task.Limit(1))
			ended <- err
		}()
		is(t, receive(t, ctx, "the end of the Run", ended), context.Canceled)
		if second := <-left; second.State() != sched.JobCancelled {
			t.Errorf("the second task is %v, want it cancelled", second.State())
		}
	}
}
