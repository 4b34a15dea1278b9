package workers_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// backlog is usual work that is queued on the only worker, and counts how much of it has run.
type backlog struct{ ran atomic.Int64 }

const backlogSize = 200

// add submits the backlog from a job.
func (b *backlog) add(t *testing.T, ctx context.Context, s *workers.Scheduler) {
	for range backlogSize {
		start(t, ctx, s, func(context.Context) error { b.ran.Add(1); return nil })
	}
}

// seen reports, as an error of the work what, that the backlog has run before it.
func (b *backlog) seen(what string) error {
	if n := b.ran.Load(); n != 0 {
		return fmt.Errorf("%s came behind %d of %d pieces of usual work", what, n, backlogSize)
	}
	return nil
}

func TestAwaitedJobIsAsUrgentAsWhoWaits(t *testing.T) {
	for _, p := range []workers.Priority{workers.High, workers.Normal, workers.Low} {
		t.Run(p.String(), func(t *testing.T) {
			ctx := guarded(t)
			s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1, AgeAfter: -1})
			var usual backlog
			urgent := start(t, ctx, s, func(ctx context.Context) error {
				usual.add(t, ctx, s)
				awaited := start(t, ctx, s, func(ctx context.Context) error {
					for range 10 { // Also when it gives others their turn.
						workers.Yield(ctx)
					}
					return usual.seen("the awaited job")
				}, workers.WithPriority(p))
				return awaited.Wait(ctx)
			}, workers.WithPriority(workers.Critical))
			finish(t, ctx, urgent)
		})
	}
}

// TestUrgencyGoesAlongTheWaits has a job wait for one of low priority before a critical one
// waits for it. Both come before the backlog then, the second one when it is resumed.
func TestUrgencyGoesAlongTheWaits(t *testing.T) {
	ctx := guarded(t)
	outside := ctx // The jobs that the first one starts outlive it.
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1, AgeAfter: -1})
	var usual backlog
	var last, middle, urgent *workers.Job
	all := start(t, ctx, s, func(ctx context.Context) error {
		last = start(t, outside, s, func(context.Context) error { return usual.seen("the last job") }, workers.WithPriority(workers.Low))
		middle = start(t, outside, s, func(ctx context.Context) error {
			return errors.Join(last.Wait(ctx), usual.seen("the job in the middle"))
		})
		workers.Yield(ctx) // The job in the middle waits.
		if middle.State() != workers.JobWaiting {
			return fmt.Errorf("the job in the middle is %v", middle.State())
		}
		usual.add(t, ctx, s) // On the worker's own queue, where the job in the middle comes to lie.
		urgent = start(t, outside, s, middle.Wait, workers.WithPriority(workers.Critical))
		return nil
	})
	finish(t, ctx, all)
	finish(t, ctx, last, middle, urgent)
}

// TestUrgencyEndsWithTheWait has a critical job give up. The job that it has waited for is of
// low priority again, and comes behind all others.
func TestUrgencyEndsWithTheWait(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1, AgeAfter: -1})
	var usual backlog
	var gaveUp atomic.Bool
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	var awaited *workers.Job
	urgent := start(t, ctx, s, func(ctx context.Context) error {
		usual.add(t, ctx, s)
		awaited = start(t, ctx, s, func(ctx context.Context) error {
			if err := usual.seen("the awaited job"); err != nil {
				return err
			}
			cancel()
			for !gaveUp.Load() {
				workers.Yield(ctx)
				runtime.Gosched() // To the goroutine that resumes the critical job.
			}
			workers.Yield(ctx)
			if n := usual.ran.Load(); n != backlogSize {
				return fmt.Errorf("nobody critical waits, and it came behind %d of %d pieces of usual work only", n, backlogSize)
			}
			return nil
		}, workers.WithPriority(workers.Low))
		err := awaited.Wait(waiting)
		gaveUp.Store(true)
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("the wait ended with %w", err)
		}
		return nil
	}, workers.WithPriority(workers.Critical))
	finish(t, ctx, urgent)
	finish(t, ctx, awaited)
}

// TestPinnedJobStaysWhenLifted has a critical job on one worker wait for one that is pinned to
// the other.
func TestPinnedJobStaysWhenLifted(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2, MaxSpares: -1})
	for range 50 {
		urgent := start(t, ctx, s, func(ctx context.Context) error {
			there := 1 - workers.Current(ctx).Worker()
			awaited := start(t, ctx, s, func(ctx context.Context) error {
				if at := workers.Current(ctx).Worker(); at != there {
					return fmt.Errorf("it ran on worker %d, and is pinned to %d", at, there)
				}
				return nil
			}, workers.WithWorker(there), workers.WithPriority(workers.Low))
			return awaited.Wait(ctx)
		}, workers.WithPriority(workers.Critical))
		finish(t, ctx, urgent)
	}
}

// TestLiftedJobsRunOnce has many critical jobs wait for many others, along chains, and give up
// or cancel at any moment, on several workers.
func TestLiftedJobsRunOnce(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 4})
	const rounds, width = 60, 20
	for range rounds {
		var ran [width]atomic.Int32
		jobs := make([]*workers.Job, width)
		var mu sync.Mutex // Jobs are waited for by others while they are submitted.
		known := func(i int) *workers.Job {
			mu.Lock()
			defer mu.Unlock()
			return jobs[i]
		}
		for i := range width {
			p := workers.Priority(1 + rand.IntN(3))
			j := start(t, ctx, s, func(ctx context.Context) error {
				ran[i].Add(1)
				if i > 0 {
					_ = known(i - 1).Wait(ctx)
				}
				workers.Yield(ctx)
				return nil
			}, workers.WithPriority(p))
			mu.Lock()
			jobs[i] = j
			mu.Unlock()
		}
		var urgent []*workers.Job
		for range width {
			i, gives, cancels := rand.IntN(width), rand.IntN(2) == 0, rand.IntN(8) == 0
			urgent = append(urgent, start(t, ctx, s, func(ctx context.Context) error {
				if gives {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, time.Duration(rand.IntN(200))*time.Microsecond)
					defer cancel()
				}
				if cancels {
					known(i).Cancel(nil)
				}
				_ = known(i).Wait(ctx)
				return nil
			}, workers.WithPriority(workers.Critical)))
		}
		finish(t, ctx, urgent...)
		for i, j := range jobs {
			err := j.Wait(ctx)
			if n := ran[i].Load(); n > 1 || n == 0 && err == nil {
				t.Fatalf("job %d ran %d times and returned %v", i, n, err)
			}
		}
	}
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
	if left := s.Stats().Jobs; left != 0 {
		t.Errorf("%d jobs are left", left)
	}
}

// TestLiftedJobsAreGivenUpOnce stops a scheduler by force while jobs are queued twice.
func TestLiftedJobsAreGivenUpOnce(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1, AgeAfter: -1})
	const n = 20
	var ran atomic.Int32
	var awaited, urgent []*workers.Job
	ready, stopped := make(chan struct{}), make(chan struct{})
	all := start(t, ctx, s, func(ctx context.Context) error {
		for range n {
			j := start(t, ctx, s, func(context.Context) error { ran.Add(1); return nil }, workers.WithPriority(workers.Low))
			awaited = append(awaited, j)
			urgent = append(urgent, start(t, ctx, s, j.Wait, workers.WithPriority(workers.Critical)))
		}
		start(t, ctx, s, func(context.Context) error { // Behind the urgent ones, and before what they lift.
			close(ready)
			<-stopped
			return nil
		}, workers.WithPriority(workers.Critical))
		return nil
	})
	receive(t, ctx, "the jobs", ready)
	now, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.Stop(now); err == nil {
		t.Error("the stop was not forced")
	}
	close(stopped)
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
	finish(t, ctx, all)
	for i, j := range awaited {
		if err := j.Wait(ctx); !errors.Is(err, workers.ErrStopped) {
			t.Errorf("%v returned %v", j, err)
		}
		if err := urgent[i].Wait(ctx); err == nil {
			t.Errorf("%v has waited for a job that was given up, and returned no error", urgent[i])
		}
	}
	if got := ran.Load(); got != 0 {
		t.Errorf("%d of the jobs ran", got)
	}
}
