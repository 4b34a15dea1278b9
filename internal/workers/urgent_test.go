package workers_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// maxUrgent is how many urgent workers there are at most.
const maxUrgent = 4

// exhaust returns a scheduler of which one worker and both spares are blocked, while a job
// waits, and that job. Release ends what blocks the workers.
func exhaust(t *testing.T, ctx context.Context, cfg workers.Config) (s *workers.Scheduler, waits *workers.Job, release func()) {
	t.Helper()
	cfg.Workers, cfg.MaxSpares = 1, 2
	s = newScheduler(t, cfg)
	var releases []func()
	for range 3 {
		releases = append(releases, occupyCommon(t, ctx, s))
	}
	waits = start(t, ctx, s, func(context.Context) error { return nil })
	eventually(t, ctx, "the spares to run out", s.Exhausted)
	return s, waits, func() {
		for _, release := range releases {
			release()
		}
	}
}

// TestCriticalWorkRunsWithoutSpares has every worker blocked, and no spare left. Critical
// work goes on, beside work that is not.
func TestCriticalWorkRunsWithoutSpares(t *testing.T) {
	ctx := guarded(t)
	s, waits, release := exhaust(t, ctx, workers.Config{})
	for range 200 {
		finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }, workers.WithPriority(workers.Critical)))
	}
	if waits.State() != workers.JobPending {
		t.Errorf("the normal job is %v; it was to wait for a spare", waits.State())
	}
	release()
	finish(t, ctx, waits)
	if s.Exhausted() {
		eventually(t, ctx, "the shortage to end", func() bool { return !s.Exhausted() })
	}
	checkAtRest(t, ctx, s)
}

// TestUrgentWorkersAreFew has critical work block them as well.
func TestUrgentWorkersAreFew(t *testing.T) {
	ctx := guarded(t)
	s, waits, release := exhaust(t, ctx, workers.Config{})
	gate := make(chan struct{})
	var begun atomic.Int32
	var jobs []*workers.Job
	for range 2 * maxUrgent {
		jobs = append(jobs, start(t, ctx, s, func(context.Context) error {
			begun.Add(1)
			<-gate
			return nil
		}, workers.WithPriority(workers.Critical)))
	}
	eventually(t, ctx, "the urgent workers to be blocked", func() bool { return begun.Load() == maxUrgent })
	for range 100 {
		runtime.Gosched()
	}
	if n := len(s.Stats().Workers); begun.Load() != maxUrgent || n != 3+maxUrgent {
		t.Errorf("%d critical jobs have begun, on %d workers; want %d on %d", begun.Load(), n, maxUrgent, 3+maxUrgent)
	}
	close(gate)
	finish(t, ctx, jobs...)
	release()
	finish(t, ctx, waits)
	checkAtRest(t, ctx, s)
}

// TestOldWorkLeavesUrgentWorkersAlone lets a job rise by its age until it is queued as
// critical, for which it was not submitted.
func TestOldWorkLeavesUrgentWorkersAlone(t *testing.T) {
	ctx := guarded(t)
	s, waits, release := exhaust(t, ctx, workers.Config{AgeAfter: 10 * time.Millisecond})
	eventually(t, ctx, "the job to rise again and again", func() bool {
		return s.Stats().Aged >= 6 || waits.State() != workers.JobPending
	})
	if waits.State() != workers.JobPending {
		t.Errorf("the old job is %v; it was to wait for a spare", waits.State())
	}
	release()
	finish(t, ctx, waits)
	checkAtRest(t, ctx, s)
}

// TestOrphanedWorkFreesSpares has the work that blocks the workers orphaned. They count no
// more, so others are started.
func TestOrphanedWorkFreesSpares(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: 2})
	gate := make(chan struct{})
	fibers := make(chan *workers.Fiber)
	for range 3 {
		submit(t, s, workers.Normal, func(f *workers.Fiber, _ workers.Priority) {
			f.SetNote(t) // As a layer above does that orphans work.
			fibers <- f
			<-gate
		})
	}
	blocked := []*workers.Fiber{<-fibers, <-fibers, <-fibers}
	waits := start(t, ctx, s, func(context.Context) error { return nil })
	eventually(t, ctx, "the spares to run out", s.Exhausted)
	for _, f := range blocked {
		f.SetOrphan(true)
	}
	finish(t, ctx, waits)
	close(gate)
	checkAtRest(t, ctx, s)
}

// TestUrgentWorkersAreNotReplaced blocks an urgent worker, then frees two spares and has
// one of them silent for long enough that the other is to relieve it.
func TestUrgentWorkersAreNotReplaced(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: 3})
	releases := []func(){occupyCommon(t, ctx, s), occupyCommon(t, ctx, s), occupyCommon(t, ctx, s), occupyCommon(t, ctx, s)}
	waits := start(t, ctx, s, func(context.Context) error { return nil })
	eventually(t, ctx, "the spares to run out", s.Exhausted)
	urgent := occupy(t, ctx, s)
	releases[3]()
	releases[2]()
	finish(t, ctx, waits)
	for range 10 {
		var critical *workers.Job
		finish(t, ctx, start(t, ctx, s, func(context.Context) error {
			for began := time.Now(); time.Since(began) < 2*time.Millisecond; { // Silent, and yet not blocked.
			}
			critical = start(t, ctx, s, func(context.Context) error { return nil }, workers.WithPriority(workers.Critical))
			return nil
		}))
		finish(t, ctx, critical)
	}
	for _, w := range s.Stats().Workers {
		if w.Tier == workers.Critical && w.Blocked > 0 {
			t.Errorf("the urgent worker %d was replaced by a spare", w.ID)
		}
	}
	urgent()
	releases[1]()
	releases[0]()
	checkAtRest(t, ctx, s)
}

// TestShortageIsReportedOnce has several workers find no spare.
func TestShortageIsReportedOnce(t *testing.T) {
	ctx := guarded(t)
	began := time.Now()
	s := newScheduler(t, workers.Config{Workers: 2, MaxSpares: 1})
	told := make(chan struct{}, 8)
	cancelled := s.OnSpareLimit(func() { t.Error("a report came after its end") })
	cancelled()
	defer s.OnSpareLimit(func() { told <- struct{}{} })()
	for range 3 {
		var releases []func()
		for range 3 {
			releases = append(releases, occupyCommon(t, ctx, s))
		}
		waits := start(t, ctx, s, func(context.Context) error { return nil })
		eventually(t, ctx, "the spares to run out", s.Exhausted)
		for _, release := range releases {
			release()
		}
		finish(t, ctx, waits)
	}
	receive(t, ctx, "a report", told)
	checkAtRest(t, ctx, s)
	took := time.Since(began)
	if n := 1 + len(told); n > 1+int(took/(10*time.Second)) {
		t.Errorf("the shortage was reported %d times in %v, want once in ten seconds at most", n, took)
	}
}
