package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

// event is a one-off event made with Waiters, as layers above make theirs.
type event struct {
	s        *workers.Scheduler
	mu       sync.Mutex
	happened bool
	waiters  []*workers.Waiter
}

func (e *event) wait(ctx context.Context) error {
	e.mu.Lock()
	if e.happened {
		e.mu.Unlock()
		return nil
	}
	var w workers.Waiter
	w.Arm(ctx, e.s)
	known := w
	e.waiters = append(e.waiters, &known)
	e.mu.Unlock()
	defer w.Disarm()
	for {
		goOn := w.Wait(ctx)
		e.mu.Lock()
		happened := e.happened
		e.mu.Unlock()
		if happened {
			return nil
		}
		if !goOn {
			return context.Cause(ctx)
		}
	}
}

func (e *event) happen(from *workers.Fiber) {
	e.mu.Lock()
	e.happened = true
	waiters := e.waiters
	e.mu.Unlock()
	for _, w := range waiters {
		w.Wake(from, workers.Normal)
	}
}

// TestEventReachesEveryWaiter has jobs and goroutines wait for events that come
// from jobs and goroutines, early and late.
func TestEventReachesEveryWaiter(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	for round := range 300 {
		e := event{s: s}
		var all sync.WaitGroup
		var jobs []*workers.Job
		for range 3 {
			jobs = append(jobs, start(t, ctx, s, e.wait))
			all.Go(func() {
				if err := e.wait(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		for range round % 5 {
			runtime.Gosched()
		}
		if round%2 == 0 {
			e.happen(nil)
		} else {
			finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
				e.happen(workers.Current(ctx))
				return nil
			}))
		}
		finish(t, ctx, jobs...)
		all.Wait()
	}
}

// TestCancellationRacesWithEvent lets contexts end while the event happens. Each waiter comes
// back with one of the two, and a late wake-up of one wait does not end the next one of the
// same fiber or channel.
func TestCancellationRacesWithEvent(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	cause := errors.New("cause")
	var happened, cancelled atomic.Int64
	wait := func(ctx context.Context, e, next *event) error {
		inner, cancel := context.WithCancelCause(ctx)
		go func() { runtime.Gosched(); cancel(cause) }()
		switch err := e.wait(inner); {
		case err == nil:
			happened.Add(1)
		case errors.Is(err, cause):
			cancelled.Add(1)
		default:
			return fmt.Errorf("the first wait: %w", err)
		}
		if err := next.wait(ctx); err != nil {
			return fmt.Errorf("the second wait: %w", err)
		}
		next.mu.Lock()
		defer next.mu.Unlock()
		if !next.happened {
			return errors.New("the second wait ended without its event")
		}
		return nil
	}
	const rounds = 200
	for round := range rounds {
		e, next := event{s: s}, event{s: s}
		j := start(t, ctx, s, func(ctx context.Context) error { return wait(ctx, &e, &next) })
		outside := make(chan error, 1)
		go func() { outside <- wait(ctx, &e, &next) }()
		for range round % 8 {
			runtime.Gosched()
		}
		e.happen(nil)
		next.happen(nil)
		finish(t, ctx, j)
		if err := receive(t, ctx, "the goroutine", outside); err != nil {
			t.Fatal(err)
		}
	}
	if n := happened.Load() + cancelled.Load(); n != 2*rounds {
		t.Errorf("%d waits ended, want %d", n, 2*rounds)
	}
}

// TestEndedContextIsSeenAtOnce waits on a context that has ended before.
func TestEndedContextIsSeenAtOnce(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	never := event{s: s}
	wait := func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		if err := never.wait(ctx); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("waited with an ended context: %w", err)
		}
		return nil
	}
	finish(t, ctx, start(t, ctx, s, wait))
	if err := wait(ctx); err != nil {
		t.Error(err)
	}
}

// endless is a job's context that does not end, and says that its end would
// resume the fiber.
type endless struct {
	context.Context
	asked *atomic.Int64
}

func (endless) Done() <-chan struct{} { return make(chan struct{}) }
func (c endless) ResumesFiber(*workers.Fiber) bool {
	c.asked.Add(1)
	return true
}

func TestResumerDoesNotAskTheContext(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	e := event{s: s}
	var asked atomic.Int64
	j := start(t, ctx, s, func(ctx context.Context) error { return e.wait(endless{ctx, &asked}) })
	eventually(t, ctx, "the wait", func() bool { return asked.Load() > 0 })
	e.happen(nil)
	finish(t, ctx, j)
}

func TestZeroWaiterCantBeWoken(t *testing.T) {
	var w workers.Waiter
	w.Wake(nil, workers.Normal)
	if w.Wait(expired()) {
		t.Error("the zero Waiter was woken")
	}
	w.Disarm()
}

// TestDisarmTakesTheSignalBack gives a signal to a Waiter that no longer waits;
// the next one, which may get the same channel, must not find it.
func TestDisarmTakesTheSignalBack(t *testing.T) {
	s := newScheduler(t, workers.Config{Workers: 1})
	for range 100 {
		var w workers.Waiter
		w.Arm(context.Background(), s)
		w.Wake(nil, workers.Normal)
		w.Disarm()
		var next workers.Waiter
		next.Arm(context.Background(), s)
		if next.Wait(expired()) {
			t.Fatal("a signal was left in the channel")
		}
		next.Disarm()
	}
}

// A Waiter that was laid aside has the channel that it had: nobody else gets that, what
// wakes it late wakes its next wait, and what woke it before does not.
func TestReusedWaiterKeepsItsChannel(t *testing.T) {
	ctx := guarded(t)
	over, cancel := context.WithCancel(ctx)
	cancel()
	s := workers.NewStill(workers.Config{Workers: 1})
	var w, other workers.Waiter
	w.ArmOn(nil, s)
	known := w
	for range 20 { // If the event has come and the context has ended, Wait takes either.
		known.Wake(nil, workers.Normal)
		w.Lay()
		w.ArmOn(nil, s)
		if w.Wait(over) {
			t.Fatal("what woke the Waiter before it was laid aside has woken it again")
		}
	}
	other.ArmOn(nil, s)
	known.Wake(nil, workers.Normal)
	if !w.Wait(ctx) {
		t.Error("the wait has ended with its context, and not by the late Wake")
	}
	if other.Wait(over) {
		t.Error("another Waiter was woken")
	}
	other.Disarm()
	w.Lay()
	w.Disarm()
	if w != (workers.Waiter{}) {
		t.Error("something is left of a Waiter that was disarmed")
	}
}
