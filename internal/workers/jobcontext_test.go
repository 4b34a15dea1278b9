package workers_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// TestContextEndsWithTheJob keeps the context of a job that has ended, whether
// or not somebody has asked for Done before.
func TestContextEndsWithTheJob(t *testing.T) {
	type key struct{}
	outer := context.WithValue(guarded(t), key{}, "value")
	s := newScheduler(t, workers.Config{Workers: 1})
	for _, asked := range []bool{true, false} {
		var kept context.Context
		j := start(t, outer, s, func(ctx context.Context) error {
			kept = ctx
			if asked && ctx.Done() == nil {
				t.Error("Done is nil")
			}
			if err := ctx.Err(); err != nil {
				t.Errorf("the context of a running job has ended: %v", err)
			}
			return nil
		})
		finish(t, outer, j)
		if err := kept.Err(); !errors.Is(err, context.Canceled) {
			t.Errorf("after the job its context says %v", err)
		}
		receive(t, outer, "the context's end", kept.Done())
		if v := kept.Value(key{}); v != "value" {
			t.Errorf("after the job the caller's value is %v", v)
		}
		if f := workers.Current(kept); f != nil {
			t.Errorf("after the job its context leads to %p", f)
		}
		if err := context.WithoutCancel(kept).Err(); err != nil {
			t.Errorf("what shall outlive the job does not: %v", err)
		}
		finish(t, outer, start(t, context.WithoutCancel(kept), s, func(ctx context.Context) error { return ctx.Err() }))
	}
}

// TestContextSeesTheCallersEnd looks at Err alone; Done was never asked for.
func TestContextSeesTheCallersEnd(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	cause := errors.New("cause")
	outer, cancel := context.WithCancelCause(ctx)
	j := start(t, outer, s, func(ctx context.Context) error {
		inner, err := s.Go(ctx, func(ctx context.Context) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			cancel(cause)
			if err := ctx.Err(); !errors.Is(err, context.Canceled) {
				t.Errorf("Err is %v", err)
			}
			return context.Cause(ctx)
		})
		return errors.Join(err, inner.Wait(context.WithoutCancel(ctx)))
	})
	if err := j.Wait(ctx); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

func TestContextHasADeadline(t *testing.T) {
	ctx := context.Background()
	s := newScheduler(t, workers.Config{Workers: 1, JobTimeout: time.Hour})
	none := newScheduler(t, workers.Config{Workers: 1, JobTimeout: -1})
	soon, cancel := context.WithDeadline(ctx, time.Now().Add(time.Minute))
	defer cancel()
	for name, c := range map[string]struct {
		s    *workers.Scheduler
		ctx  context.Context
		opts []workers.JobOption
		want time.Duration // 0 means none.
	}{
		"the default":             {s, ctx, nil, time.Hour},
		"none by default":         {none, ctx, nil, 0},
		"its own":                 {s, ctx, []workers.JobOption{workers.WithTimeout(2 * time.Hour)}, 2 * time.Hour},
		"its own, of none":        {none, ctx, []workers.JobOption{workers.WithTimeout(2 * time.Hour)}, 2 * time.Hour},
		"none of its own":         {s, ctx, []workers.JobOption{workers.WithTimeout(0)}, 0},
		"the caller's":            {s, soon, nil, time.Minute},
		"the caller's, with none": {none, soon, nil, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			finish(t, ctx, start(t, c.ctx, c.s, func(ctx context.Context) error {
				derived, cancel := context.WithCancel(ctx)
				defer cancel()
				for _, ctx := range []context.Context{ctx, derived} {
					at, ok := ctx.Deadline()
					off := time.Until(at) - c.want
					if ok != (c.want != 0) || ok && (off > 20*time.Millisecond || off < -30*time.Second) {
						t.Errorf("deadline in %v, %t; want %v", time.Until(at), ok, c.want)
					}
				}
				return nil
			}, c.opts...))
		})
	}
}

// TestContextDerivedCostsNoGoroutine derives contexts of a job's.
func TestContextDerivedCostsNoGoroutine(t *testing.T) {
	const n = 100
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		_ = ctx.Done()
		for range n {
			_, cancel := context.WithCancel(ctx)
			defer cancel()
		}
		// Of those that others have left, some may go and come meanwhile.
		stacks := make([]byte, 8<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		if more := bytes.Count(stacks, []byte("created by context.(*cancelCtx).propagateCancel")); more > n/2 {
			t.Errorf("%d goroutines for %d derived contexts", more, n)
		}
		return nil
	}))
}
