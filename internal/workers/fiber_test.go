package workers_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

// TestSuspendResumePingPong has two jobs resume each other in turn, from their
// fibers, on whichever workers they are.
func TestSuspendResumePingPong(t *testing.T) {
	const rounds = 2000
	for _, width := range []int{1, 2, 4} {
		ctx := guarded(t)
		s := newScheduler(t, workers.Config{Workers: width})
		var turn atomic.Int64
		var fibers [2]atomic.Pointer[workers.Fiber]
		player := func(me int64) func(context.Context) error {
			return func(ctx context.Context) error {
				f := workers.Current(ctx)
				fibers[me].Store(f)
				for {
					now := turn.Load()
					if now >= rounds {
						return nil
					}
					if now%2 != me {
						f.Suspend()
						continue
					}
					turn.Add(1)
					if other := fibers[1-me].Load(); other != nil {
						other.Resume(f, workers.Normal)
					}
				}
			}
		}
		finish(t, ctx, start(t, ctx, s, player(0)), start(t, ctx, s, player(1)))
	}
}

// TestResumeFromOutsideIsNeverLost resumes suspended jobs from goroutines, at
// random moments: before the suspension, in its midst, after it, or twice.
func TestResumeFromOutsideIsNeverLost(t *testing.T) {
	const jobs, rounds = 16, 200
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	var all sync.WaitGroup
	var handles []*workers.Job
	for range jobs {
		events := make(chan struct{}, 1)
		fibers := make(chan *workers.Fiber, 1)
		var seen atomic.Int64
		handles = append(handles, start(t, ctx, s, func(ctx context.Context) error {
			f := workers.Current(ctx)
			fibers <- f
			for seen.Load() < rounds {
				select {
				case <-events:
					seen.Add(1)
				default:
					f.Suspend()
				}
			}
			return nil
		}))
		all.Go(func() {
			f := <-fibers
			for i := range rounds {
				events <- struct{}{}
				for range rand.IntN(4) {
					runtime.Gosched()
				}
				f.Resume(nil, workers.Priority(i%4))
				if rand.IntN(8) == 0 {
					f.Resume(nil, workers.Normal) // Once too often; Suspend may return early.
				}
			}
		})
	}
	finish(t, ctx, handles...)
	all.Wait()
}

func TestResumeBeforeSuspendMakesItReturn(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		f := workers.Current(ctx)
		f.Resume(nil, workers.Normal)
		f.Resume(f, workers.Normal) // Permits don't add up.
		f.Suspend()
		return nil
	}))
	if st := s.Stats(); st.Workers[0].Suspended != 0 {
		t.Errorf("the permit was not used: %d suspensions", st.Workers[0].Suspended)
	}
}

// TestContextLeadsToFiberOnlyThere hands a job's context to goroutines, and
// keeps it after the job has ended in each possible way.
func TestContextLeadsToFiberOnlyThere(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	elsewhere := func(ctx context.Context) (f *workers.Fiber) {
		done := make(chan struct{})
		go func() { defer close(done); f = workers.Current(ctx) }()
		<-done
		return f
	}
	if workers.Current(ctx) != nil {
		t.Error("a context of no job leads to a fiber")
	}
	for name, end := range map[string]func() error{
		"return": func() error { return nil },
		"panic":  func() error { panic("x") },
		"goexit": func() error { runtime.Goexit(); return nil },
	} {
		var leaked context.Context
		j := start(t, ctx, s, func(ctx context.Context) error {
			leaked = ctx
			if f := workers.Current(ctx); f == nil || f.Scheduler() != s {
				t.Errorf("%s: Current is %v inside the job", name, f)
			}
			if f := workers.Current(context.WithoutCancel(ctx)); f != workers.Current(ctx) {
				t.Errorf("%s: a derived context leads to %v", name, f)
			}
			if f := elsewhere(ctx); f != nil {
				t.Errorf("%s: the context leads a goroutine to %v", name, f)
			}
			return end()
		})
		_ = j.Wait(ctx)
		for range 50 { // Goroutines' descriptors are used again after a Goexit.
			if f := elsewhere(leaked); f != nil {
				t.Fatalf("%s: the context leads to %v after the job has ended", name, f)
			}
		}
		if _, err := s.Go(leaked, func(context.Context) error { return nil }); err != nil {
			t.Errorf("%s: the leaked context is of no use: %v", name, err)
		}
	}
}

// TestDeadFiberKeepsNoIdentity ends a fiber by Goexit. Another goroutine may get the
// identity of the one that is gone, so the fiber must not keep it.
func TestDeadFiberKeepsNoIdentity(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	var f *workers.Fiber
	j := start(t, ctx, s, func(ctx context.Context) error {
		f = workers.Current(ctx)
		runtime.Goexit()
		return nil
	})
	if err := j.Wait(ctx); !errors.Is(err, workers.ErrGoexit) {
		t.Fatalf("got %v, want ErrGoexit", err)
	}
	eventually(t, ctx, "the fiber to forget its goroutine", func() bool { return !f.HasGoroutine() })
}

func TestOwnerAndPriorityBelongToTheFiber(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	errs := make(chan error, 1)
	submit(t, s, workers.High, func(f *workers.Fiber, p workers.Priority) {
		err := errors.New("wrong owner or priority")
		if p == workers.High && f.Owner() == nil && f.SetOwner(s) == nil && f.Owner() == s && f.SetOwner(nil) == s &&
			f.SetPriority(workers.Low) == workers.High && f.SetPriority(p) == workers.Low {
			err = nil
		}
		errs <- err
	})
	if err := receive(t, ctx, "the work", errs); err != nil {
		t.Error(err)
	}
}

// TestManySuspendedAtOnce suspends more jobs than any pool holds.
func TestManySuspendedAtOnce(t *testing.T) {
	const n = 2000
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	gate := start(t, ctx, s, func(ctx context.Context) error {
		for s.Stats().Jobs < n+1 {
			workers.Current(ctx).Yield(workers.Low)
		}
		return nil
	})
	var jobs []*workers.Job
	for range n {
		jobs = append(jobs, start(t, ctx, s, func(ctx context.Context) error { return gate.Wait(ctx) }))
	}
	finish(t, ctx, jobs...)
}

func deep(n int) int {
	var frame [128]byte
	if n == 0 {
		return int(frame[0])
	}
	return deep(n-1) + 1
}

func TestDeepRecursionGrowsTheStack(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		if got := deep(100_000); got != 100_000 {
			t.Errorf("recursion came to %d", got)
		}
		workers.Current(ctx).Yield(workers.Normal)
		return nil
	}))
}
