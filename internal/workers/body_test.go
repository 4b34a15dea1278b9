package workers_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/workers"
)

// record is a job in a record of its own.
type record struct {
	workers.Job
	above context.Context
	do    func(ctx context.Context) error
	ended chan workers.JobState
}

func newRecord(above context.Context, do func(ctx context.Context) error) *record {
	return &record{above: above, do: do, ended: make(chan workers.JobState, 2)}
}

func (r *record) Parent() context.Context      { return r.above }
func (r *record) Do(ctx context.Context) error { return r.do(ctx) }
func (r *record) Ended(*workers.Fiber)         { r.ended <- r.State() }

// adopt makes r a job and queues it.
func adopt(tb testing.TB, s *workers.Scheduler, r *record, a workers.Admission) {
	tb.Helper()
	if err := s.Adopt(r, a); err != nil {
		tb.Fatal(err)
	}
	s.Enqueue(a.From, r)
}

func TestABodyIsAJob(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, workers.Config{JobTimeout: time.Nanosecond})
	broken := errors.New("broken")
	for _, test := range []struct {
		do   func(ctx context.Context) error
		want error
		then workers.JobState
	}{
		{func(ctx context.Context) error { return ctx.Err() }, nil, workers.JobCompleted}, // It has no timeout.
		{func(context.Context) error { return broken }, broken, workers.JobFailed},
		{func(context.Context) error { panic(broken) }, broken, workers.JobFailed},
	} {
		r := newRecord(ctx, test.do)
		adopt(t, s, r, workers.Admission{Kind: "body", Priority: workers.High})
		if err := r.Wait(ctx); !errors.Is(err, test.want) {
			t.Errorf("the result is %v, want %v", err, test.want)
		}
		if got := receive(t, ctx, "the end", r.ended); got != test.then {
			t.Errorf("Ended saw the state %v, want %v", got, test.then)
		}
		if r.ID() == 0 || r.Kind() != "body" || r.Priority() != workers.High || r.Info().Timeout != 0 {
			t.Errorf("the job is %+v", r.Info())
		}
	}
}

func TestFiberOfABody(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, workers.Config{})
	var r *record
	r = newRecord(ctx, func(ctx context.Context) error {
		if f := workers.FiberOf(r); f == nil || f != workers.Current(ctx) {
			t.Errorf("the job is on %p, want %p", f, workers.Current(ctx))
		}
		return nil
	})
	if err := s.Adopt(r, workers.Admission{}); err != nil {
		t.Fatal(err)
	}
	if f := workers.FiberOf(r); f != nil {
		t.Error("a job has a fiber that has not begun")
	}
	s.Enqueue(nil, r)
	if err := r.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	never := newRecord(ctx, func(context.Context) error { return nil })
	if err := s.Adopt(never, workers.Admission{}); err != nil {
		t.Fatal(err)
	}
	never.Cancel(nil)
	s.Enqueue(nil, never)
	patience.Until(t, ctx, func() bool { return s.Stats().Jobs == 0 })
	if f := workers.FiberOf(never); f != nil {
		t.Error("a job has a fiber that was cancelled before it began")
	}
}

func TestABodyThatWasCancelledEndsOnceAndIsCountedOut(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, workers.Config{})
	r := newRecord(ctx, func(context.Context) error { t.Error("it ran"); return nil })
	if err := s.Adopt(r, workers.Admission{}); err != nil {
		t.Fatal(err)
	}
	r.Cancel(nil)
	if got := receive(t, ctx, "the end", r.ended); got != workers.JobCancelled {
		t.Errorf("Ended saw the state %v", got)
	}
	if n := s.Stats().Jobs; n != 1 {
		t.Errorf("%d jobs are counted before the entry has come up, want 1", n)
	}
	s.Enqueue(nil, r)
	patience.Until(t, ctx, func() bool { return s.Stats().Jobs == 0 })
	if len(r.ended) != 0 {
		t.Error("Ended was called twice")
	}
}

func TestABodyIsGivenUpByAForcedStop(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	release := occupy(t, ctx, s)
	r := newRecord(ctx, func(context.Context) error { return nil })
	adopt(t, s, r, workers.Admission{Priority: workers.Normal})
	if err := s.Stop(expired()); err == nil {
		t.Error("the stop did not give up")
	}
	receive(t, ctx, "the end", r.ended)
	if err := r.Wait(ctx); !errors.Is(err, workers.ErrStopped) {
		t.Errorf("the result is %v", err)
	}
	release()
}

func TestAdoptWhileStopping(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, workers.Config{})
	nested := newRecord(ctx, func(context.Context) error { return nil })
	began, gate := make(chan struct{}), make(chan struct{})
	j := start(t, ctx, s, func(context.Context) error {
		close(began)
		<-gate
		adopt(t, s, nested, workers.Admission{Nested: true})
		return nil
	})
	receive(t, ctx, "the job", began)
	stopped := make(chan error)
	go func() { stopped <- s.Stop(ctx) }()
	patience.Until(t, ctx, func() bool {
		r := newRecord(ctx, func(context.Context) error { return nil })
		err := s.Adopt(r, workers.Admission{})
		if err == nil {
			s.Enqueue(nil, r)
		}
		return errors.Is(err, workers.ErrStopped) && errors.Is(r.Wait(ctx), workers.ErrNoJob)
	})
	close(gate)
	finish(t, ctx, j)
	if err := receive(t, ctx, "the stop", stopped); err != nil {
		t.Error(err)
	}
	if nested.State() != workers.JobCompleted {
		t.Errorf("the nested job is %v", nested.State())
	}
}

func TestAdoptRefusesAnUnknownPriority(t *testing.T) {
	s := newScheduler(t, workers.Config{})
	r := newRecord(t.Context(), func(context.Context) error { return nil })
	if err := s.Adopt(r, workers.Admission{Priority: 4}); err == nil {
		t.Error("it was accepted")
	}
}

// The bodies are stolen from the worker that they were queued on.
func TestStolenBodiesRun(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, workers.Config{Workers: 2})
	finish(t, ctx, start(t, ctx, s, func(inner context.Context) error {
		f := workers.Current(inner)
		var all []*record
		for range 100 {
			r := newRecord(inner, func(context.Context) error { return nil })
			adopt(t, s, r, workers.Admission{From: f, Priority: workers.Normal})
			all = append(all, r)
		}
		for _, r := range all {
			receive(t, ctx, "a body, on another worker", r.ended) // Holds this one.
		}
		return nil
	}))
}

func TestCauseOfAJob(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, workers.Config{})
	broken := errors.New("broken")
	for _, asked := range []bool{false, true} { // For a context of package context.
		began, cancelled := make(chan struct{}), make(chan struct{})
		j := start(t, ctx, s, func(ctx context.Context) error {
			if asked {
				_ = ctx.Done()
			}
			if err := workers.Cause(ctx); err != nil {
				t.Errorf("the cause is %v before the end", err)
			}
			close(began)
			<-cancelled
			if workers.Cause(ctx) != broken || context.Cause(ctx) != broken { //nolint:errorlint // Exactly this one.
				t.Errorf("the causes are %v and %v", workers.Cause(ctx), context.Cause(ctx))
			}
			return nil
		})
		receive(t, ctx, "the job", began)
		j.Cancel(broken)
		close(cancelled)
		finish(t, ctx, j)
	}
	if err := workers.Cause(expired()); !errors.Is(err, context.Canceled) {
		t.Errorf("the cause is %v", err)
	}
}

// silent is a context that ends without telling anybody.
type silent struct {
	context.Context
	cause atomic.Pointer[error]
}

func (c *silent) Done() <-chan struct{} { return nil }

func (c *silent) Err() error {
	if c.cause.Load() != nil {
		return context.Canceled
	}
	return nil
}

func (c *silent) Cause() error { return *c.cause.Load() }

func (c *silent) end(cause error) { c.cause.Store(&cause) }

// TestCauseBeforeTheJobIsTold has a job see the end of its parent by itself.
func TestCauseBeforeTheJobIsTold(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, workers.Config{})
	broken := errors.New("broken")
	parent := &silent{Context: ctx}
	parent.end(broken)
	r := newRecord(parent, func(ctx context.Context) error { return workers.Cause(ctx) })
	if err := s.Adopt(r, workers.Admission{Priority: workers.Normal}); err != nil {
		t.Fatal(err)
	}
	s.Enqueue(nil, r)
	if err := r.Wait(ctx); !errors.Is(err, broken) {
		t.Errorf("the cause is %v", err)
	}
}

func TestParentEnded(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, workers.Config{})
	broken := errors.New("broken")
	for name, wait := range map[string]func(ctx context.Context, began chan<- struct{}) error{
		"it waits": func(ctx context.Context, began chan<- struct{}) error {
			var w workers.Waiter
			w.Arm(ctx, s)
			defer w.Disarm()
			close(began)
			for w.Wait(ctx) {
			}
			return workers.Cause(ctx)
		},
		"it blocks": func(ctx context.Context, began chan<- struct{}) error {
			done := ctx.Done()
			close(began)
			<-done
			return context.Cause(ctx)
		},
		"it asks late": func(ctx context.Context, began chan<- struct{}) error {
			close(began)
			for ctx.Err() == nil {
				runtime.Gosched()
			}
			<-ctx.Done()
			return context.Cause(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			parent := &silent{Context: ctx}
			began := make(chan struct{})
			r := newRecord(parent, func(ctx context.Context) error { return wait(ctx, began) })
			if err := s.Adopt(r, workers.Admission{Priority: workers.Normal}); err != nil {
				t.Fatal(err)
			}
			if workers.ParentEnded(r) {
				t.Error("a job that has not begun was told")
			}
			s.Enqueue(nil, r)
			receive(t, ctx, "the job", began)
			if name == "it waits" {
				patience.Until(t, ctx, func() bool { return r.State() == workers.JobWaiting })
			}
			parent.end(broken)
			if !workers.ParentEnded(r) {
				t.Error("the job was not told")
			}
			if err := r.Wait(ctx); !errors.Is(err, broken) {
				t.Errorf("the result is %v, want the cause", err)
			}
			if workers.ParentEnded(r) {
				t.Error("a job that has ended was told")
			}
		})
	}
}
