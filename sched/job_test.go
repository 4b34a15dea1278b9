package sched_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/sched"
)

func TestJobReturnsWhatItsFunctionDoes(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1})
	failure := errors.New("failure")
	for _, want := range []error{nil, failure} {
		j := start(t, ctx, s, func(context.Context) error { return want })
		for range 2 { // The result stays.
			if err := j.Wait(ctx); err != want { //nolint:errorlint // Wait must not wrap.
				t.Errorf("got %v, want %v", err, want)
			}
		}
		if err := j.Wait(expired()); err != want { //nolint:errorlint // Wait must not wrap.
			t.Errorf("an ended context hides the result of an ended job: %v", err)
		}
	}
}

func TestPanicBecomesError(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1})
	failure := errors.New("failure")
	for i, value := range []any{failure, "text", 7} {
		err := start(t, ctx, s, func(context.Context) error { explode(value); return nil }).Wait(ctx)
		var p *sched.PanicError
		if !errors.As(err, &p) {
			t.Fatalf("got %v, want a *PanicError", err)
		}
		if p.Value != value || err.Error() != fmt.Sprintf("panic: %v", value) {
			t.Errorf("error %q with value %v, want value %v", err, p.Value, value)
		}
		if !strings.Contains(string(p.Stack), "explode") {
			t.Errorf("the stack does not show who panicked:\n%s", p.Stack)
		}
		if got := errors.Is(err, failure); got != (i == 0) {
			t.Errorf("errors.Is finds the failure in %q: %t", err, got)
		}
	}
}

func explode(value any) { panic(value) }

// TestPanicAfterSuspension panics on a fiber that has changed its place.
func TestPanicAfterSuspension(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2})
	var p *sched.PanicError
	err := start(t, ctx, s, func(ctx context.Context) error {
		inner, err := s.Go(ctx, func(context.Context) error { return nil })
		if err != nil {
			return err
		}
		if err := inner.Wait(ctx); err != nil {
			return err
		}
		panic("late")
	}).Wait(ctx)
	if !errors.As(err, &p) {
		t.Fatalf("got %v, want a *PanicError", err)
	}
}

// TestGoexitLeavesTheWorkersWhole ends more fibers than there are workers, also
// after they were suspended, and then needs all workers at once.
func TestGoexitLeavesTheWorkersWhole(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2, MaxSpares: -1})
	for i := range 20 {
		j := start(t, ctx, s, func(ctx context.Context) error {
			if i%2 == 0 {
				inner, err := s.Go(ctx, func(context.Context) error { return nil })
				if err != nil {
					return err
				}
				if err := inner.Wait(ctx); err != nil {
					return err
				}
			}
			defer func() { _ = sched.Current(ctx) }()
			runtime.Goexit()
			return nil
		})
		if err := j.Wait(ctx); !errors.Is(err, sched.ErrGoexit) {
			t.Fatalf("got %v, want ErrGoexit", err)
		}
	}
	var both sync.WaitGroup
	both.Add(2)
	meet := func(context.Context) error { both.Done(); both.Wait(); return nil }
	finish(t, ctx, start(t, ctx, s, meet), start(t, ctx, s, meet))
}

func TestPanicDuringGoexitCounts(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1})
	var p *sched.PanicError
	err := start(t, ctx, s, func(context.Context) error {
		defer func() { panic("on the way out") }()
		runtime.Goexit()
		return nil
	}).Wait(ctx)
	if !errors.As(err, &p) {
		t.Fatalf("got %v, want a *PanicError", err)
	}
	finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }))
}

func TestGoRefusesWhatIsWrong(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1})
	_, err := s.Go(ctx, nil)
	checkSays(t, err, "sched: ", "nil function")
	_, err = s.Go(ctx, func(context.Context) error { return nil }, sched.WithPriority(200))
	checkSays(t, err, "sched: ", "priority 200", "use Critical, High, Normal or Low")
	if n := s.Stats().Jobs; n != 0 {
		t.Errorf("%d jobs are counted although all were refused", n)
	}
}

func TestJobHasCallersContext(t *testing.T) {
	type key struct{}
	s := newScheduler(t, sched.Config{Workers: 1})
	cause := errors.New("cause")
	ctx, cancel := context.WithCancelCause(context.WithValue(guarded(t), key{}, "value"))
	j := start(t, ctx, s, func(ctx context.Context) error {
		if v := ctx.Value(key{}); v != "value" {
			t.Errorf("the caller's value is %v inside the job", v)
		}
		cancel(cause)
		<-ctx.Done()
		return context.Cause(ctx)
	})
	if err := j.Wait(guarded(t)); !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause", err)
	}
}

// TestWaitEndsWithItsContext gives up waiting, in a job and in a goroutine; the
// job that was waited for goes on.
func TestWaitEndsWithItsContext(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1})
	gate := make(chan struct{})
	begun := make(chan struct{})
	j := start(t, ctx, s, func(context.Context) error { close(begun); <-gate; return nil })
	receive(t, ctx, "the job", begun)
	cause := errors.New("enough")
	giveUp := func(ctx context.Context, started chan<- func(error)) error {
		ctx, cancel := context.WithCancelCause(ctx)
		started <- func(err error) { cancel(err) }
		if err := j.Wait(ctx); !errors.Is(err, cause) {
			return fmt.Errorf("gave up with %w", err)
		}
		return nil
	}
	started := make(chan func(error), 1)
	inJob := start(t, ctx, s, func(ctx context.Context) error { return giveUp(ctx, started) })
	receive(t, ctx, "the waiting job", started)(cause)
	finish(t, ctx, inJob)
	outside := make(chan error, 1)
	go func() { outside <- giveUp(ctx, started) }()
	receive(t, ctx, "the waiting goroutine", started)(cause)
	if err := receive(t, ctx, "the goroutine to give up", outside); err != nil {
		t.Error(err)
	}
	close(gate)
	finish(t, ctx, j)
}

func TestManyWaitForOneJob(t *testing.T) {
	const n = 50
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2})
	failure := errors.New("failure")
	gate := make(chan struct{})
	j := start(t, ctx, s, func(context.Context) error { <-gate; return failure })
	waits := [2]func(context.Context) error{j.Wait, func(ctx context.Context) error {
		inner, err := s.Go(ctx, j.Wait)
		if err != nil {
			return err
		}
		return inner.Wait(ctx)
	}}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if err := waits[i%2](ctx); !errors.Is(err, failure) {
				t.Errorf("waiter %d got %v", i, err)
			}
		})
	}
	close(gate)
	all.Wait()
}

// TestWaitingJobHoldsNoWorker chains jobs that wait for each other, far more
// than there are workers and spares.
func TestWaitingJobHoldsNoWorker(t *testing.T) {
	const depth = 500
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1})
	var chain func(level int) func(context.Context) error
	chain = func(level int) func(context.Context) error {
		return func(ctx context.Context) error {
			if level == 0 {
				return nil
			}
			next, err := s.Go(ctx, chain(level-1))
			if err != nil {
				return err
			}
			return next.Wait(ctx)
		}
	}
	finish(t, ctx, start(t, ctx, s, chain(depth)))
}
