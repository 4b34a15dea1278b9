package workers_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

// goesOnAbove has work that was suspended go on above a dispatch loop: the work that has
// resumed it is done, and its fiber comes to it next. There is one worker for both. It returns
// the two jobs: host is the job that went on, which then runs the function then, and guest is
// the other.
func goesOnAbove(tb testing.TB, ctx context.Context, s *workers.Scheduler, then func(f *workers.Fiber) error) (host, guest *workers.Job) {
	tb.Helper()
	var resumed atomic.Bool
	on := make(chan *workers.Fiber, 1)
	guest = start(tb, ctx, s, func(ctx context.Context) error {
		f := workers.Current(ctx)
		on <- f
		for !resumed.Load() {
			f.Suspend()
		}
		return then(f)
	})
	f := receive(tb, ctx, "the guest", on)
	host = start(tb, ctx, s, func(ctx context.Context) error {
		resumed.Store(true)
		f.Resume(workers.Current(ctx), workers.Normal)
		return nil
	})
	return host, guest
}

func TestHostedWorkGoesOn(t *testing.T) {
	ends := map[string]func(f *workers.Fiber) error{
		"it ends":      func(*workers.Fiber) error { return nil },
		"it yields":    func(f *workers.Fiber) error { f.Yield(workers.Low); return nil },
		"it gives way": func(f *workers.Fiber) error { f.Checkpoint(); return nil },
		"it waits for other work": func(f *workers.Fiber) error {
			for range 10 {
				var over atomic.Bool
				f.Submit(&newWork(func(g *workers.Fiber, _ workers.Priority) { over.Store(true); f.Resume(g, workers.Normal) }).Node, workers.Normal)
				for !over.Load() {
					f.Suspend()
				}
			}
			return nil
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: 1})
			for range 20 {
				host, guest := goesOnAbove(t, ctx, s, end)
				finish(t, ctx, host, guest)
			}
		})
	}
}

// Work goes on above a loop, and waits again. The next work that the loop takes runs like any
// other.
func TestWorkAfterHostedWorkRuns(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	var again atomic.Bool
	on := make(chan *workers.Fiber, 1)
	host, guest := goesOnAbove(t, ctx, s, func(f *workers.Fiber) error {
		on <- f
		for !again.Load() {
			f.Suspend()
		}
		return nil
	})
	f := receive(t, ctx, "the guest to go on", on)
	eventually(t, ctx, "the guest to wait", func() bool { return guest.State() == workers.JobWaiting })
	entered, open := make(chan struct{}), make(chan struct{})
	next := start(t, ctx, s, func(context.Context) error { close(entered); <-open; return nil })
	receive(t, ctx, "the next job", entered)
	if got := next.State(); got != workers.JobRunning {
		t.Errorf("the job that runs is %v", got)
	}
	close(open)
	again.Store(true)
	f.Resume(nil, workers.Normal)
	finish(t, ctx, host, guest, next)
}

// TestStopBelowHostedWork has the worker leave from a loop that is above another.
func TestStopBelowHostedWork(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	host, guest := goesOnAbove(t, ctx, s, func(*workers.Fiber) error { return nil })
	finish(t, ctx, host, guest)
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func TestGoexitOfHostedWork(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	for range 100 {
		host, guest := goesOnAbove(t, ctx, s, func(*workers.Fiber) error { runtime.Goexit(); return nil })
		finish(t, ctx, host)
		if err := guest.Wait(ctx); !errors.Is(err, workers.ErrGoexit) {
			t.Fatalf("got %v, want ErrGoexit", err)
		}
	}
}

// TestPinnedSpareKnowsItsFibersAfterGoexit has the spare retire, which it does only
// when none of its fibers is away: neither what has ended above the loop, nor that.
func TestPinnedSpareKnowsItsFibersAfterGoexit(t *testing.T) {
	ctx := guarded(t)
	s := newPinned(t, 1, 1)
	release := occupyRegular(t, ctx, s)
	host, guest := goesOnAbove(t, ctx, s, func(*workers.Fiber) error { runtime.Goexit(); return nil })
	finish(t, ctx, host)
	if err := guest.Wait(ctx); !errors.Is(err, workers.ErrGoexit) {
		t.Fatalf("got %v, want ErrGoexit", err)
	}
	release()
	retireSpares(t, ctx, s, 1)
}
