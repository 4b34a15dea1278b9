package groups_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/groups"
)

func newGroup(tb testing.TB, ctx context.Context, s *workers.Scheduler) *groups.Group {
	tb.Helper()
	g, err := groups.New(ctx, s)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// TestGroupRunsEachOnce submits from several goroutines, in rounds.
func TestGroupRunsEachOnce(t *testing.T) {
	const rounds, submitters, each = 5, 3, 2000
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	g := newGroup(t, ctx, s)
	for range rounds {
		ran := make([]atomic.Int32, submitters*each)
		var all sync.WaitGroup
		for i := range submitters {
			all.Go(func() {
				for k := range each {
					if err := g.Go(func(context.Context) error { ran[i*each+k].Add(1); return nil }); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if err := g.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		for i := range ran {
			if n := ran[i].Load(); n != 1 {
				t.Fatalf("function %d ran %d times", i, n)
			}
		}
	}
	eventually(t, ctx, "the count", func() bool { return s.Stats().Jobs == 0 })
}

// TestGroupWhoseFunctionsBlock has each wait for the next in its batch.
func TestGroupWhoseFunctionsBlock(t *testing.T) {
	const n = 40
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	g := newGroup(t, ctx, s)
	release := occupy(t, ctx, s)
	release2 := occupy(t, ctx, s)
	var next [n + 1]chan struct{}
	for i := range next {
		next[i] = make(chan struct{})
	}
	close(next[n])
	for i := range n {
		if err := g.Go(func(context.Context) error { <-next[i+1]; close(next[i]); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	release()
	release2()
	if err := g.Wait(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestGroupWhoseFunctionsWait does the same with suspensions, on one worker.
func TestGroupWhoseFunctionsWait(t *testing.T) {
	const n = 200
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		last := start(t, ctx, s, nothing, workers.WithPriority(workers.Low))
		g := newGroup(t, ctx, s)
		for range n {
			if err := g.Go(func(ctx context.Context) error {
				if err := onFiber(ctx); err != nil {
					return err
				}
				return last.Wait(ctx)
			}); err != nil {
				return err
			}
		}
		return g.Wait(ctx)
	}))
}

// TestGroupContainsFailures panics, leaves and fails.
func TestGroupContainsFailures(t *testing.T) {
	ctx := guarded(t)
	failure := errors.New("failure")
	for name, bad := range map[string]func(context.Context) error{
		"error":  func(context.Context) error { return failure },
		"panic":  func(context.Context) error { panic(failure) },
		"goexit": func(context.Context) error { runtime.Goexit(); return nil },
	} {
		s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
		g := newGroup(t, ctx, s)
		release := occupy(t, ctx, s)
		var ran atomic.Int32
		for i := range 200 {
			fn := func(context.Context) error { ran.Add(1); return nil }
			if i%50 == 10 {
				fn = bad
			}
			if err := g.Go(fn); err != nil {
				t.Fatal(err)
			}
		}
		release()
		err := g.Wait(ctx)
		var p *workers.PanicError
		if !errors.Is(err, failure) && !errors.Is(err, workers.ErrGoexit) || errors.As(err, &p) != (name == "panic") {
			t.Errorf("%s: Wait returned %v", name, err)
		}
		if n := ran.Load(); n != 196 {
			t.Errorf("%s: %d of 196 others ran", name, n)
		}
	}
}

// TestGroupLetsCriticalWorkPass submits it from a function in a batch.
func TestGroupLetsCriticalWorkPass(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	g := newGroup(t, ctx, s)
	release := occupy(t, ctx, s)
	var after int
	var passed atomic.Int64
	passed.Store(-1)
	for i := range 60 {
		if err := g.Go(func(ctx context.Context) error {
			if i == 10 {
				_, err := s.Go(ctx, func(context.Context) error { passed.Store(int64(after)); return nil },
					workers.WithPriority(workers.Critical))
				return err
			}
			after++
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	release()
	if err := g.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if n := passed.Load(); n != 10 {
		t.Errorf("the critical job ran after %d functions, not 10", n)
	}
}

// TestStoppedGroup stops while functions are queued, run and wait.
func TestStoppedGroup(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	g := newGroup(t, ctx, s)
	event, gate := make(chan *workers.Fiber, 1), make(chan struct{})
	begun := make(chan struct{})
	steps := []func(ctx context.Context) error{
		func(ctx context.Context) error {
			event <- workers.Current(ctx)
			workers.Current(ctx).Suspend()
			return nil
		},
		func(context.Context) error { close(begun); <-gate; return nil },
	}
	release := occupy(t, ctx, s)
	for i := range 200 {
		fn := func(context.Context) error { t.Error("a function that was given up ran"); return nil }
		if i < len(steps) {
			fn = steps[i]
		}
		if err := g.Go(fn); err != nil {
			t.Fatal(err)
		}
	}
	release()
	receive(t, ctx, "the second function", begun)
	if err := s.Stop(expired()); err == nil {
		t.Error("the stop did not give up")
	}
	if err := g.Go(nothing); !errors.Is(err, workers.ErrStopped) {
		t.Errorf("after the stop Go returned %v", err)
	}
	close(gate)
	receive(t, ctx, "the first function", event).Resume(nil, workers.Normal)
	if err := g.Wait(ctx); !errors.Is(err, workers.ErrStopped) {
		t.Errorf("Wait returned %v", err)
	}
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestStopWaitsForAGroup stops a scheduler whose group is all suspended.
func TestStopWaitsForAGroup(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	g := newGroup(t, ctx, s)
	event := make(chan *workers.Fiber, 1)
	if err := g.Go(func(ctx context.Context) error {
		event <- workers.Current(ctx)
		workers.Current(ctx).Suspend()
		return onFiber(ctx)
	}); err != nil {
		t.Fatal(err)
	}
	f := receive(t, ctx, "the function", event)
	eventually(t, ctx, "the workers to sleep", func() bool { return inState(s, workers.WorkerIdle) == 2 })
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(ctx) }()
	eventually(t, ctx, "the stop to begin", s.Stopping)
	select {
	case err := <-stopped:
		t.Fatalf("the stop is over while a function waits: %v", err)
	default: // If the workers leave nevertheless, nobody ends the function below.
	}
	f.Resume(nil, workers.Normal)
	if err := receive(t, ctx, "the stop", stopped); err != nil {
		t.Fatal(err)
	}
	if err := g.Wait(ctx); err != nil {
		t.Error(err)
	}
}

func TestGroupRefusesWhatIsWrong(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	_, err := groups.New(nil, s) //nolint:staticcheck // That is the test.
	checkSays(t, err, "sched: ", "nil context")
	g := newGroup(t, ctx, s)
	checkSays(t, g.Go(nil), "sched: ", "nil function")
	checkSays(t, g.Wait(nil), "sched: ", "nil context") //nolint:staticcheck // Likewise.
	for _, none := range []*groups.Group{nil, {}} {
		checkSays(t, none.Go(nothing), "sched: ", "NewGroup")
		checkSays(t, none.Wait(ctx), "sched: ", "NewGroup")
	}
	if err := g.Wait(ctx); err != nil {
		t.Errorf("waiting for an empty group: %v", err)
	}
	self := newGroup(t, ctx, s)
	if err := self.Go(func(ctx context.Context) error {
		derived, cancel := context.WithCancel(ctx)
		defer cancel()
		if err := g.Wait(derived); err != nil {
			return err
		}
		return self.Wait(derived)
	}); err != nil {
		t.Fatal(err)
	}
	if err := self.Wait(ctx); !errors.Is(err, workers.ErrSelfWait) {
		t.Errorf("a function that waits for its group got %v", err)
	}
	gate := make(chan struct{})
	if err := g.Go(func(context.Context) error { <-gate; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := g.Wait(expired()); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait whose context has ended returned %v", err)
	}
	close(gate)
	if err := g.Wait(ctx); err != nil {
		t.Error(err)
	}
}
