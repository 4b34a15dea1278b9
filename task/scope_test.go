package task_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// key is for values in contexts.
type key struct{}

func TestTrioCancellationIsALevel(t *testing.T) {
	s := newScheduler(t, sched.Config{})
	inJob(t, guarded(t), s, func(ctx context.Context) error {
		err := task.Within(ctx, func(inner context.Context, sc *task.Scope) error {
			if err := task.Checkpoint(inner); err != nil {
				t.Errorf("cancelled too early: %v", err)
			}
			if !sc.Cancel(errBroken) || sc.Cancel(errors.New("another")) {
				t.Error("not exactly the first Cancel is effective")
			}
			for range 3 { // Each wait, not only the first.
				is(t, task.Checkpoint(inner), errBroken)
				is(t, task.Sleep(inner, time.Hour), errBroken)
				is(t, inner.Err(), context.Canceled)
				receive(t, ctx, "the end of the context", inner.Done())
			}
			is(t, context.Cause(inner), errBroken)
			is(t, sc.Cause(), errBroken)
			return inner.Err()
		})
		is(t, err, context.Canceled)
		return task.Checkpoint(ctx) // Outside of the scope all is well.
	})
}

func TestAScopeEndsWhenItsFunctionReturns(t *testing.T) {
	leavesNothing(t)
	var kept context.Context
	var scope *task.Scope
	if err := task.Within(t.Context(), func(ctx context.Context, sc *task.Scope) error {
		kept, scope = ctx, sc
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	is(t, kept.Err(), context.Canceled)
	is(t, context.Cause(kept), task.ErrScopeClosed)
	if scope.Cancel(nil) || scope.SetDeadline(time.Now()) || scope.Caught(kept.Err()) {
		t.Error("the scope can still be ended")
	}
}

func TestTrioADeadlineCanBeMovedUntilItHasPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := task.Within(t.Context(), func(ctx context.Context, sc *task.Scope) error {
			sc.SetDeadline(began.Add(time.Minute))
			sc.SetDeadline(began.Add(time.Hour)) // Later.
			if at, ok := ctx.Deadline(); !ok || !at.Equal(began.Add(time.Hour)) {
				t.Errorf("the deadline is %v", at)
			}
			if err := task.Sleep(ctx, 10*time.Minute); err != nil {
				t.Errorf("the old deadline holds: %v", err)
			}
			sc.SetDeadline(time.Time{}) // None.
			if err := task.Sleep(ctx, 2*time.Hour); err != nil {
				t.Errorf("a deadline that was taken back holds: %v", err)
			}
			sc.SetDeadline(time.Now().Add(time.Second)) // Earlier.
			before := time.Now()
			err := task.Sleep(ctx, time.Hour)
			is(t, err, task.ErrDeadline, context.DeadlineExceeded)
			if took := time.Since(before); took != time.Second {
				t.Errorf("it took %v", took)
			}
			is(t, ctx.Err(), context.DeadlineExceeded)
			if sc.SetDeadline(time.Now().Add(time.Hour)) {
				t.Error("the deadline was moved after it had passed")
			}
			if !sc.Caught(err) || !sc.Caught(ctx.Err()) {
				t.Error("the scope does not know its own cancellation")
			}
			return err
		})
		is(t, err, context.DeadlineExceeded)
	})
}

func TestADeadlineInThePastEndsTheScopeAtOnce(t *testing.T) {
	leavesNothing(t)
	_ = task.Within(t.Context(), func(ctx context.Context, sc *task.Scope) error {
		sc.SetDeadline(time.Unix(0, 1))
		is(t, ctx.Err(), context.DeadlineExceeded)
		return nil
	})
}

func TestOnlyTheScopeThatEndedHasCaughtTheError(t *testing.T) {
	leavesNothing(t)
	leaked := context.DeadlineExceeded // Of some request, while all scopes are well.
	_ = task.Within(t.Context(), func(ctx context.Context, outer *task.Scope) error {
		_ = task.Within(ctx, func(ctx context.Context, inner *task.Scope) error {
			if inner.Caught(leaked) || outer.Caught(leaked) || task.Canceller(ctx) != nil {
				t.Error("a leaked error is taken for a cancellation")
			}
			outer.Cancel(errBroken)
			err := ctx.Err()
			is(t, err, context.Canceled)
			is(t, inner.Cause(), errBroken)
			if inner.Caught(err) || !outer.Caught(err) || task.Canceller(ctx) != outer {
				t.Error("the inner scope takes the outer cancellation for its own")
			}
			if outer.Caught(errors.New("no cancellation")) || outer.Caught(nil) {
				t.Error("an error of another kind is taken for a cancellation")
			}
			return nil
		})
		return nil
	})
	_ = task.Within(t.Context(), func(ctx context.Context, outer *task.Scope) error {
		return task.Within(ctx, func(ctx context.Context, inner *task.Scope) error {
			inner.Cancel(nil)
			if !inner.Caught(ctx.Err()) || outer.Caught(ctx.Err()) || task.Canceller(ctx) != inner {
				t.Error("the outer scope takes the inner cancellation for its own")
			}
			outer.Cancel(nil)
			if task.Canceller(ctx) != outer {
				t.Error("the outermost scope does not come first")
			}
			return nil
		})
	})
}

func TestAScopePassesValuesAndEndsOnToPlainContexts(t *testing.T) {
	ctx := context.WithValue(guarded(t), key{}, "value")
	above, cancel := context.WithCancelCause(ctx)
	_ = task.Within(above, func(in context.Context, _ *task.Scope) error {
		below, stop := context.WithTimeout(in, time.Hour)
		defer stop()
		if below.Value(key{}) != "value" {
			t.Error("the value is lost")
		}
		if below.Err() != nil {
			t.Error("it has ended too early")
		}
		cancel(errBroken)
		receive(t, ctx, "the end below", below.Done())
		is(t, context.Cause(below), errBroken)
		is(t, in.Err(), context.Canceled)
		is(t, context.Cause(in), errBroken)
		return nil
	})
}

func TestAScopeHasTheSurroundingDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		_ = task.Within(ctx, func(ctx context.Context, sc *task.Scope) error {
			sc.SetDeadline(time.Now().Add(time.Hour))
			err := task.Sleep(ctx, time.Minute)
			is(t, err, context.DeadlineExceeded)
			if errors.Is(err, task.ErrDeadline) || sc.Caught(err) {
				t.Error("the surrounding deadline is taken for the scope's own")
			}
			return nil
		})
	})
}

func TestAScopeResumesASuspendedJob(t *testing.T) {
	s := newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1})
	inJob(t, guarded(t), s, func(ctx context.Context) error {
		return task.Within(ctx, func(ctx context.Context, sc *task.Scope) error {
			canceller, err := s.Go(context.WithoutCancel(ctx), func(context.Context) error {
				sc.Cancel(errBroken)
				return nil
			})
			if err != nil {
				return err
			}
			is(t, task.Sleep(ctx, 1<<62), errBroken) // There is no other worker.
			return canceller.Wait(context.WithoutCancel(ctx))
		})
	})
}

// TestTrioAnEndAroundAScopeOvertakesItsOwn ends a scope, and then one around it, while the
// error of the first is on its way. The outermost scope that ended has caught it, whatever
// it says, and no other one.
func TestTrioAnEndAroundAScopeOvertakesItsOwn(t *testing.T) {
	leavesNothing(t)
	errInner, errOuter := errors.New("inner"), errors.New("outer")
	past := time.Unix(0, 0)
	ends := map[string]func(sc *task.Scope, cause error){
		"cancelled":              func(sc *task.Scope, _ error) { sc.Cancel(nil) },
		"cancelled with a cause": func(sc *task.Scope, cause error) { sc.Cancel(cause) },
		"at its deadline":        func(sc *task.Scope, _ error) { sc.SetDeadline(past) },
	}
	for first, endInner := range ends {
		for second, endOuter := range ends {
			t.Run(first+", then the outer "+second, func(t *testing.T) {
				_ = task.Within(t.Context(), func(_ context.Context, far *task.Scope) error {
					var seen error
					err := task.Within(t.Context(), func(ctx context.Context, outer *task.Scope) error {
						err := task.Within(ctx, func(ctx context.Context, inner *task.Scope) error {
							endInner(inner, errInner)
							err := task.Sleep(ctx, time.Hour)
							if !inner.Caught(err) || task.Canceller(ctx) != inner {
								t.Errorf("the inner scope has not caught %v", err)
							}
							endOuter(outer, errOuter)
							if inner.Caught(err) || inner.Caught(ctx.Err()) || task.Canceller(ctx) != outer {
								t.Errorf("the inner scope has caught %v, which is the outer one's", err)
							}
							if far.Caught(err) {
								t.Error("a scope that is well has caught it")
							}
							return err
						})
						seen = err
						if !outer.Caught(err) || !outer.Caught(fmt.Errorf("wrapped: %w", err)) {
							t.Errorf("the outer scope has not caught %v", err)
						}
						if outer.Caught(errBroken) {
							t.Error("the outer scope has caught an error of another kind")
						}
						return nil
					})
					is(t, err, nil)
					if seen == nil {
						t.Error("no error has come")
					}
					return nil
				})
			})
		}
	}
}

// TestTheCancellerHasCaughtWhatHasCome asks the canceller alone, in the innermost scope.
func TestTheCancellerHasCaughtWhatHasCome(t *testing.T) {
	leavesNothing(t)
	_ = task.Within(t.Context(), func(_ context.Context, outer *task.Scope) error {
		return task.Within(t.Context(), func(ctx context.Context, inner *task.Scope) error {
			inner.Cancel(errBroken)
			err := task.Checkpoint(ctx)
			outer.Cancel(errors.New("outer"))
			if sc := task.Canceller(ctx); sc != inner || !sc.Caught(err) || outer.Caught(err) {
				t.Errorf("beside the outer scope the canceller has not caught %v", err)
			}
			return nil
		})
	})
	_ = task.Within(t.Context(), func(ctx context.Context, outer *task.Scope) error {
		return task.Within(ctx, func(ctx context.Context, inner *task.Scope) error {
			inner.Cancel(errBroken)
			err := task.Checkpoint(ctx)
			outer.Cancel(errors.New("outer"))
			if sc := task.Canceller(ctx); sc != outer || !sc.Caught(err) {
				t.Errorf("below the outer scope the canceller has not caught %v", err)
			}
			return nil
		})
	})
}

// TestAnEndOvertakesWhatAnotherHasOvertaken ends three scopes from the inside out. The error of
// the innermost comes to the outermost after the one between was asked.
func TestAnEndOvertakesWhatAnotherHasOvertaken(t *testing.T) {
	leavesNothing(t)
	_ = task.Within(t.Context(), func(ctx context.Context, outer *task.Scope) error {
		err := task.Within(ctx, func(ctx context.Context, between *task.Scope) error {
			err := task.Within(ctx, func(ctx context.Context, inner *task.Scope) error {
				inner.Cancel(errBroken)
				between.Cancel(errors.New("between"))
				return task.Checkpoint(ctx)
			})
			if !between.Caught(err) {
				t.Errorf("the scope between has not caught %v", err)
			}
			outer.Cancel(errors.New("outer"))
			if between.Caught(err) {
				t.Errorf("the scope between has caught %v after the outer one has ended", err)
			}
			return err
		})
		if !outer.Caught(err) {
			t.Errorf("the outer scope has not caught %v", err)
		}
		return nil
	})
}

// TestAnEndAroundAllScopesIsCaughtByNone ends a scope, and then the plain context around it.
func TestAnEndAroundAllScopesIsCaughtByNone(t *testing.T) {
	leavesNothing(t)
	around, cancel := context.WithCancel(t.Context())
	defer cancel()
	_ = task.Within(around, func(ctx context.Context, sc *task.Scope) error {
		sc.Cancel(errBroken)
		cancel()
		if sc.Caught(ctx.Err()) || sc.Caught(errBroken) || task.Canceller(ctx) != nil {
			t.Error("the scope has caught what is owed to the context around it")
		}
		return task.Shield(ctx, time.Hour, func(ctx context.Context) error {
			return task.Within(ctx, func(ctx context.Context, sc *task.Scope) error {
				sc.Cancel(nil)
				if !sc.Caught(ctx.Err()) || task.Canceller(ctx) != sc {
					t.Error("a scope in a shield has not caught its own end")
				}
				return nil
			})
		})
	})
}

// asked counts how often it is asked whether it has ended: once by each scope that asks what
// surrounds it, and that asks in turn.
type asked struct {
	context.Context
	times *atomic.Int64
}

func (c asked) Err() error {
	c.times.Add(1)
	return c.Context.Err()
}

// TestTheFirstWaitBelowManyScopesGoesThroughThemAFewTimes has work wait first in the
// innermost of many scopes, and then look which one was cancelled. How often it goes up
// through all of them must not depend on how many there are.
func TestTheFirstWaitBelowManyScopesGoesThroughThemAFewTimes(t *testing.T) {
	for name, between := range map[string]func(ctx context.Context) context.Context{
		"one in the other":     func(ctx context.Context) context.Context { return ctx },
		"with a value between": func(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, 1) },
		"with a cancel between": func(ctx context.Context) context.Context {
			ctx, cancel := context.WithCancel(ctx)
			t.Cleanup(cancel)
			return ctx
		},
	} {
		for _, onFiber := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", on a fiber ", onFiber), func(t *testing.T) {
				s, ctx := newScheduler(t, sched.Config{}), guarded(t)
				// asks returns how often the surroundings of n scopes are asked.
				asks := func(n int) (times int64) {
					var nest func(ctx context.Context, n int, count *atomic.Int64) error
					nest = func(ctx context.Context, n int, count *atomic.Int64) error {
						if n == 0 {
							count.Store(0)
							err := task.Sleep(ctx, 1)
							if sc := task.Canceller(ctx); sc != nil {
								t.Error("a scope has ended")
							}
							times = count.Load()
							return err
						}
						return task.Within(between(ctx), func(ctx context.Context, _ *task.Scope) error {
							return nest(ctx, n-1, count)
						})
					}
					work := func(ctx context.Context) error {
						ctx, cancel := context.WithCancel(ctx)
						defer cancel()
						var count atomic.Int64
						return nest(asked{ctx, &count}, n, &count)
					}
					if !onFiber {
						is(t, work(ctx), nil)
						return times
					}
					j, err := s.Go(ctx, work)
					if err == nil {
						err = j.Wait(ctx)
					}
					is(t, err, nil)
					return times
				}
				if few, many := asks(20), asks(400); many > few+10 {
					t.Errorf("the surroundings of 20 scopes are asked %d times, those of 400 %d times", few, many)
				}
			})
		}
	}
}

// TestAScopeThatNobodyOpened is about the nil Scope and the zero one, which may come
// from a group that is.
func TestAScopeThatNobodyOpened(t *testing.T) {
	leavesNothing(t)
	var none *task.Group[int]
	if sc := none.Scope(); sc.Cancel(nil) || sc.SetDeadline(time.Now()) || sc.Cause() != nil || sc.Caught(errBroken) {
		t.Error("the scope of a nil group was cancelled")
	}
	for _, sc := range []*task.Scope{{}, new(task.Group[int]).Scope()} {
		if sc.Cause() != nil || sc.Caught(errBroken) {
			t.Errorf("a zero scope has ended: %v", sc.Cause())
		}
		if !sc.Cancel(errBroken) || !errors.Is(sc.Cause(), errBroken) || !sc.Caught(errBroken) || sc.Cancel(nil) {
			t.Errorf("a zero scope that was cancelled says %v", sc.Cause())
		}
	}
}

func TestBadScopes(t *testing.T) {
	leavesNothing(t)
	var none context.Context
	if err := task.Within(none, func(context.Context, *task.Scope) error { return nil }); err == nil {
		t.Error("Within takes a nil context")
	}
	if err := task.Within(t.Context(), nil); err == nil {
		t.Error("Within takes a nil function")
	}
	if err := task.Checkpoint(none); err == nil {
		t.Error("Checkpoint takes a nil context")
	}
	if err := task.Sleep(none, time.Second); err == nil {
		t.Error("Sleep takes a nil context")
	}
	if err := task.Sleep(expired(), -time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("Sleep returned %v", err)
	}
	if err := task.Sleep(t.Context(), -time.Second); err != nil {
		t.Errorf("Sleep returned %v", err)
	}
}
