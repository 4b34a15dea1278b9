package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

func TestJobReturnsWhatItsFunctionDoes(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
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
	s := newScheduler(t, workers.Config{Workers: 1})
	failure := errors.New("failure")
	for i, value := range []any{failure, "text", 7} {
		err := start(t, ctx, s, func(context.Context) error { explode(value); return nil }).Wait(ctx)
		var p *workers.PanicError
		if !errors.As(err, &p) {
			t.Fatalf("got %v, want a *PanicError", err)
		}
		if p.Value != value || err.Error() != fmt.Sprintf("panic: %v", value) {
			t.Errorf("error %q with value %v, want value %v", err, p.Value, value)
		}
		if !strings.Contains(string(p.Stack()), "explode") {
			t.Errorf("the stack does not show who panicked:\n%s", p.Stack())
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
	s := newScheduler(t, workers.Config{Workers: 2})
	var p *workers.PanicError
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
	s := newScheduler(t, workers.Config{Workers: 2, MaxSpares: -1})
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
			defer func() { _ = workers.Current(ctx) }()
			runtime.Goexit()
			return nil
		})
		if err := j.Wait(ctx); !errors.Is(err, workers.ErrGoexit) {
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
	s := newScheduler(t, workers.Config{Workers: 1})
	var p *workers.PanicError
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
	s := newScheduler(t, workers.Config{Workers: 1})
	_, err := s.Go(ctx, nil)
	checkSays(t, err, "sched: ", "nil function")
	_, err = s.Go(ctx, func(context.Context) error { return nil }, workers.WithPriority(200))
	checkSays(t, err, "sched: ", "priority 200", "use Critical, High, Normal or Low")
	for want, opt := range map[string]workers.JobOption{
		"timeout is -1s": workers.WithTimeout(-time.Second), "cost is -1ns": workers.WithCost(-1), "option 0 is nil": nil,
	} {
		_, err = s.Go(ctx, nothing, opt)
		checkSays(t, err, "sched: ", want)
	}
	_, err = s.Go(nil, nothing) //nolint:staticcheck // That is the test.
	checkSays(t, err, "sched: ", "nil context")
	checkSays(t, start(t, ctx, workers.NewStill(workers.Config{}), nothing).Wait(nil), "sched: ", "nil context") //nolint:staticcheck // Likewise.
	if n := s.Stats().Jobs; n != 0 {
		t.Errorf("%d jobs are counted although all were refused", n)
	}
}

func TestJobHasCallersContext(t *testing.T) {
	type key struct{}
	s := newScheduler(t, workers.Config{Workers: 1})
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
	s := newScheduler(t, workers.Config{Workers: 1})
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
	s := newScheduler(t, workers.Config{Workers: 2})
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
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
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

// TestJobMustNotWaitForItself tries it with every context that it may have.
func TestJobMustNotWaitForItself(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	handle := make(chan *workers.Job, 1)
	j := start(t, ctx, s, func(inner context.Context) error {
		self := <-handle
		derived, cancel := context.WithCancel(inner)
		defer cancel()
		for _, c := range []context.Context{inner, derived, context.Background()} {
			if err := self.Wait(c); !errors.Is(err, workers.ErrSelfWait) {
				return fmt.Errorf("waiting for itself gave %w", err)
			}
		}
		return nil
	})
	handle <- j
	finish(t, ctx, j)
}

// TestWaitForAJobOfAnotherScheduler suspends on its own.
func TestWaitForAJobOfAnotherScheduler(t *testing.T) {
	ctx := guarded(t)
	here := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	there := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	gate := make(chan struct{})
	foreign := start(t, ctx, there, func(context.Context) error { <-gate; return errors.New("foreign") })
	j := start(t, ctx, here, foreign.Wait)
	eventually(t, ctx, "the job to wait", func() bool { return j.State() == workers.JobWaiting })
	finish(t, ctx, start(t, ctx, here, nothing))
	close(gate)
	if err := j.Wait(ctx); err == nil || err.Error() != "foreign" {
		t.Errorf("got %v", err)
	}
	// And a job that submits to another scheduler, which then runs it.
	finish(t, ctx, start(t, ctx, here, func(ctx context.Context) error {
		other, err := there.Go(ctx, func(ctx context.Context) error { return onFiber(ctx) })
		return errors.Join(err, other.Wait(ctx))
	}))
}

// TestDoneIsForSelect waits for the first of two jobs.
func TestDoneIsForSelect(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	gate := make(chan struct{})
	slow, fast := start(t, ctx, s, func(context.Context) error { <-gate; return nil }), start(t, ctx, s, nothing)
	select {
	case <-fast.Done():
	case <-slow.Done():
		t.Error("the slow job is done")
	case <-ctx.Done():
		t.Error("no job is done")
	}
	close(gate)
	receive(t, ctx, "the slow job", slow.Done())
	receive(t, ctx, "an ended job", start(t, ctx, s, nothing).Done())
}
