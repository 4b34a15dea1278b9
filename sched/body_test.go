package sched_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/sched"
)

// record is a job in a record of its own.
type record struct {
	sched.Job
	above context.Context
	do    func(ctx context.Context) error
	ended chan sched.JobState
}

func newRecord(above context.Context, do func(ctx context.Context) error) *record {
	return &record{above: above, do: do, ended: make(chan sched.JobState, 2)}
}

func (r *record) Parent() context.Context      { return r.above }
func (r *record) Do(ctx context.Context) error { return r.do(ctx) }
func (r *record) Ended(*sched.Fiber)           { r.ended <- r.State() }

// adopt makes r a job and queues it.
func adopt(tb testing.TB, s *sched.Scheduler, r *record, a sched.Admission) {
	tb.Helper()
	if err := s.Adopt(r, a); err != nil {
		tb.Fatal(err)
	}
	s.Enqueue(a.From, r)
}

func TestABodyIsAJob(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{JobTimeout: time.Nanosecond})
	broken := errors.New("broken")
	for _, test := range []struct {
		do   func(ctx context.Context) error
		want error
		then sched.JobState
	}{
		{func(ctx context.Context) error { return ctx.Err() }, nil, sched.JobCompleted}, // It has no timeout.
		{func(context.Context) error { return broken }, broken, sched.JobFailed},
		{func(context.Context) error { panic(broken) }, broken, sched.JobFailed},
	} {
		r := newRecord(ctx, test.do)
		adopt(t, s, r, sched.Admission{Kind: "body", Priority: sched.High})
		if err := r.Wait(ctx); !errors.Is(err, test.want) {
			t.Errorf("the result is %v, want %v", err, test.want)
		}
		if got := receive(t, ctx, "the end", r.ended); got != test.then {
			t.Errorf("Ended saw the state %v, want %v", got, test.then)
		}
		if r.ID() == 0 || r.Kind() != "body" || r.Priority() != sched.High || r.Info().Timeout != 0 {
			t.Errorf("the job is %+v", r.Info())
		}
	}
}

func TestFiberOfABody(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	var r *record
	r = newRecord(ctx, func(ctx context.Context) error {
		if f := sched.FiberOf(r); f == nil || f != sched.Current(ctx) {
			t.Errorf("the job is on %p, want %p", f, sched.Current(ctx))
		}
		return nil
	})
	if err := s.Adopt(r, sched.Admission{}); err != nil {
		t.Fatal(err)
	}
	if f := sched.FiberOf(r); f != nil {
		t.Error("a job has a fiber that has not begun")
	}
	s.Enqueue(nil, r)
	if err := r.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	never := newRecord(ctx, func(context.Context) error { return nil })
	if err := s.Adopt(never, sched.Admission{}); err != nil {
		t.Fatal(err)
	}
	never.Cancel(nil)
	s.Enqueue(nil, never)
	patience.Until(t, ctx, func() bool { return s.Stats().Jobs == 0 })
	if f := sched.FiberOf(never); f != nil {
		t.Error("a job has a fiber that was cancelled before it began")
	}
}

func TestABodyThatWasCancelledEndsOnceAndIsCountedOut(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	r := newRecord(ctx, func(context.Context) error { t.Error("it ran"); return nil })
	if err := s.Adopt(r, sched.Admission{}); err != nil {
		t.Fatal(err)
	}
	r.Cancel(nil)
	if got := receive(t, ctx, "the end", r.ended); got != sched.JobCancelled {
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
	ctx, s := guarded(t), newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1})
	release := occupy(t, ctx, s)
	r := newRecord(ctx, func(context.Context) error { return nil })
	adopt(t, s, r, sched.Admission{Priority: sched.Normal})
	if err := s.Stop(expired()); err == nil {
		t.Error("the stop did not give up")
	}
	receive(t, ctx, "the end", r.ended)
	if err := r.Wait(ctx); !errors.Is(err, sched.ErrStopped) {
		t.Errorf("the result is %v", err)
	}
	release()
}

func TestAdoptWhileStopping(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	nested := newRecord(ctx, func(context.Context) error { return nil })
	began, gate := make(chan struct{}), make(chan struct{})
	j := start(t, ctx, s, func(context.Context) error {
		close(began)
		<-gate
		adopt(t, s, nested, sched.Admission{Nested: true})
		return nil
	})
	receive(t, ctx, "the job", began)
	stopped := make(chan error)
	go func() { stopped <- s.Stop(ctx) }()
	patience.Until(t, ctx, func() bool {
		r := newRecord(ctx, func(context.Context) error { return nil })
		err := s.Adopt(r, sched.Admission{})
		if err == nil {
			s.Enqueue(nil, r)
		}
		return errors.Is(err, sched.ErrStopped) && errors.Is(r.Wait(ctx), sched.ErrNoJob)
	})
	close(gate)
	finish(t, ctx, j)
	if err := receive(t, ctx, "the stop", stopped); err != nil {
		t.Error(err)
	}
	if nested.State() != sched.JobCompleted {
		t.Errorf("the nested job is %v", nested.State())
	}
}

func TestAdoptRefusesAnUnknownPriority(t *testing.T) {
	s := newScheduler(t, sched.Config{})
	r := newRecord(t.Context(), func(context.Context) error { return nil })
	if err := s.Adopt(r, sched.Admission{Priority: 4}); err == nil {
		t.Error("it was accepted")
	}
}

// The bodies are stolen from the worker that they were queued on.
func TestStolenBodiesRun(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{Workers: 2})
	finish(t, ctx, start(t, ctx, s, func(inner context.Context) error {
		f := sched.Current(inner)
		var all []*record
		for range 100 {
			r := newRecord(inner, func(context.Context) error { return nil })
			adopt(t, s, r, sched.Admission{From: f, Priority: sched.Normal})
			all = append(all, r)
		}
		for _, r := range all {
			receive(t, ctx, "a body, on another worker", r.ended) // Holds this one.
		}
		return nil
	}))
}

func TestCauseOfAJob(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	broken := errors.New("broken")
	for _, asked := range []bool{false, true} { // For a context of package context.
		began, cancelled := make(chan struct{}), make(chan struct{})
		j := start(t, ctx, s, func(ctx context.Context) error {
			if asked {
				_ = ctx.Done()
			}
			if err := sched.Cause(ctx); err != nil {
				t.Errorf("the cause is %v before the end", err)
			}
			close(began)
			<-cancelled
			if sched.Cause(ctx) != broken || context.Cause(ctx) != broken { //nolint:errorlint // Exactly this one.
				t.Errorf("the causes are %v and %v", sched.Cause(ctx), context.Cause(ctx))
			}
			return nil
		})
		receive(t, ctx, "the job", began)
		j.Cancel(broken)
		close(cancelled)
		finish(t, ctx, j)
	}
	if err := sched.Cause(expired()); !errors.Is(err, context.Canceled) {
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
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	broken := errors.New("broken")
	parent := &silent{Context: ctx}
	parent.end(broken)
	r := newRecord(parent, func(ctx context.Context) error { return sched.Cause(ctx) })
	if err := s.Adopt(r, sched.Admission{Priority: sched.Normal}); err != nil {
		t.Fatal(err)
	}
	s.Enqueue(nil, r)
	if err := r.Wait(ctx); !errors.Is(err, broken) {
		t.Errorf("the cause is %v", err)
	}
}

func TestParentEnded(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{})
	broken := errors.New("broken")
	for name, wait := range map[string]func(ctx context.Context, began chan<- struct{}) error{
		"it waits": func(ctx context.Context, began chan<- struct{}) error {
			var w sched.Waiter
			w.Arm(ctx, s)
			defer w.Disarm()
			close(began)
			for w.Wait(ctx) {
			}
			return sched.Cause(ctx)
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
			if err := s.Adopt(r, sched.Admission{Priority: sched.Normal}); err != nil {
				t.Fatal(err)
			}
			if sched.ParentEnded(r) {
				t.Error("a job that has not begun was told")
			}
			s.Enqueue(nil, r)
			receive(t, ctx, "the job", began)
			if name == "it waits" {
				patience.Until(t, ctx, func() bool { return r.State() == sched.JobWaiting })
			}
			parent.end(broken)
			if !sched.ParentEnded(r) {
				t.Error("the job was not told")
			}
			if err := r.Wait(ctx); !errors.Is(err, broken) {
				t.Errorf("the result is %v, want the cause", err)
			}
			if sched.ParentEnded(r) {
				t.Error("a job that has ended was told")
			}
		})
	}
}
