package workers_test

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

// liveIDs returns the ids of the jobs that are listed, each with how often.
func liveIDs(s *workers.Scheduler) map[uint64]int {
	ids := map[uint64]int{}
	for j := range s.Jobs() {
		ids[j.ID()]++
	}
	return ids
}

// A job that has begun and not ended is listed once, whatever it is doing. A job that waits in
// a queue, or has ended, is not listed.
func TestJobsListsRunningJobs(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	const n = 700 // More than are looked at with one lock.
	fibers := make(chan *workers.Fiber, n)
	wait := func(ctx context.Context) error {
		f := workers.Current(ctx)
		fibers <- f
		f.Suspend()
		return nil
	}
	want := map[uint64]int{}
	for range n {
		want[start(t, ctx, s, wait, workers.WithKind("wait")).ID()] = 1
	}
	var all []*workers.Fiber
	for range n {
		all = append(all, receive(t, ctx, "a beginning", fibers))
	}
	running, release := make(chan struct{}), make(chan struct{})
	start(t, ctx, s, func(context.Context) error { close(running); <-release; return nil })
	receive(t, ctx, "the start", running)
	start(t, ctx, s, func(context.Context) error { return nil }) // Is queued.
	waits, runs := 0, 0
	for j := range s.Jobs() {
		switch info := j.Info(); {
		case info.Kind == "wait" && (info.State == workers.JobWaiting || info.State == workers.JobRunning) && j.Goroutine != 0 && j.Body == nil:
			waits++
		case info.Kind == "" && info.State == workers.JobRunning:
			runs++
			want[info.ID] = 1
		default:
			t.Errorf("the job is %+v on goroutine %d", info, j.Goroutine)
		}
	}
	if waits != n || runs != 1 {
		t.Errorf("%d jobs wait and %d run, want %d and 1", waits, runs, n)
	}
	if got := liveIDs(s); !maps.Equal(got, want) {
		t.Errorf("%d jobs are listed, want %d, each once", len(got), len(want))
	}
	close(release)
	for _, f := range all {
		f.Resume(nil, workers.Normal)
	}
	eventually(t, ctx, "the end of all jobs", func() bool { return len(liveIDs(s)) == 0 })
}

// Several go through the list at a time, one of them slowly, while jobs end: none
// is held up, and each sees those that stay.
func TestJobsEndWhileTheyAreListed(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	const n = 1500
	fibers := make(chan *workers.Fiber, n)
	stay := map[uint64]bool{}
	gone := make([]*workers.Fiber, 0, n/2)
	for i := range n {
		j := start(t, ctx, s, func(ctx context.Context) error {
			f := workers.Current(ctx)
			fibers <- f
			f.Suspend()
			return nil
		})
		f := receive(t, ctx, "a beginning", fibers)
		if i%2 == 0 {
			stay[j.ID()] = true
			t.Cleanup(func() { f.Resume(nil, workers.Normal) })
		} else {
			gone = append(gone, f)
		}
	}
	seen := map[uint64]int{}
	for j := range s.Jobs() {
		seen[j.ID()]++
		if len(gone) > 0 {
			gone[len(gone)-1].Resume(nil, workers.Normal)
			gone = gone[:len(gone)-1]
		}
		if len(seen)%300 == 0 {
			for range s.Jobs() {
				break // Somebody else looks at the first only.
			}
		}
	}
	for id := range stay {
		if seen[id] != 1 {
			t.Fatalf("job %d, which stays, is listed %d times", id, seen[id])
		}
	}
}

func TestJobsOfNoScheduler(t *testing.T) {
	for range (*workers.Scheduler)(nil).Jobs() {
		t.Error("a nil scheduler has a job")
	}
}

// Fibers leave the list while somebody is on the way along it, among them the one
// that is next: by Goexit, since other fibers without work are kept.
func TestJobsWhoseFibersEndWhileTheyAreListed(t *testing.T) {
	for odd := range 2 { // One or the other has the fiber that is next among those that end.
		ctx := guarded(t)
		s := newScheduler(t, workers.Config{Workers: 2})
		const n = 600
		stay := map[uint64]int{}
		on := make([]*workers.Fiber, n)
		var gone []*workers.Job
		begun := make(chan *workers.Fiber, 1)
		for i := range n {
			j := start(t, ctx, s, func(ctx context.Context) error {
				f := workers.Current(ctx)
				begun <- f
				f.Suspend()
				if i%2 == odd {
					runtime.Goexit()
				}
				return nil
			})
			on[i] = receive(t, ctx, "a beginning", begun)
			if i%2 == odd {
				gone = append(gone, j)
			} else {
				stay[j.ID()] = 1
				t.Cleanup(func() { on[i].Resume(nil, workers.Normal) })
			}
		}
		seen := map[uint64]int{}
		for j := range s.Jobs() {
			if len(seen) == 0 {
				for i := odd; i < n; i += 2 {
					on[i].Resume(nil, workers.Normal)
				}
				for _, j := range gone {
					if err := j.Wait(ctx); !errors.Is(err, workers.ErrGoexit) {
						t.Fatal(err)
					}
				}
			}
			seen[j.ID()]++
		}
		for id := range stay {
			if seen[id] != 1 {
				t.Fatalf("job %d, which stays, is listed %d times", id, seen[id])
			}
		}
	}
}

// A fiber is known by its last job also while it runs other work; that job is over.
func TestAJobIsNotListedForWhatRunsAfterIt(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	runs, release := make(chan *workers.Fiber, 1), make(chan struct{})
	other := newWork(func(f *workers.Fiber, _ workers.Priority) { runs <- f; <-release })
	j := start(t, ctx, s, func(ctx context.Context) error {
		f := workers.Current(ctx)
		f.Submit(&other.Node, workers.Normal)
		runs <- f
		return nil
	})
	if receive(t, ctx, "the job", runs) != receive(t, ctx, "what runs after it", runs) {
		t.Error("what runs after the job is on another fiber; the test tests nothing")
	}
	if ids := liveIDs(s); len(ids) != 0 {
		t.Errorf("jobs %v are listed, and job %d has ended", ids, j.ID())
	}
	close(release)
}
