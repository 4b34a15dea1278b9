package sched_test

import (
	"context"
	"maps"
	"testing"

	"github.com/troupe-go/troupe/sched"
)

// liveIDs returns the ids of the jobs that are listed, each with how often.
func liveIDs(s *sched.Scheduler) map[uint64]int {
	ids := map[uint64]int{}
	for j := range s.Jobs() {
		ids[j.ID()]++
	}
	return ids
}

// What has begun and not ended is listed once, whatever it is doing; what waits in
// a queue, or has ended, is not.
func TestJobsAreThoseUnderWay(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1})
	const n = 700 // More than are looked at with one lock.
	fibers := make(chan *sched.Fiber, n)
	wait := func(ctx context.Context) error {
		f := sched.Current(ctx)
		fibers <- f
		f.Suspend()
		return nil
	}
	want := map[uint64]int{}
	for range n {
		want[start(t, ctx, s, wait, sched.WithKind("wait")).ID()] = 1
	}
	var all []*sched.Fiber
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
		case info.Kind == "wait" && (info.State == sched.JobWaiting || info.State == sched.JobRunning) && j.Goroutine != 0 && j.Body == nil:
			waits++
		case info.Kind == "" && info.State == sched.JobRunning:
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
		f.Resume(nil, sched.Normal)
	}
	eventually(t, ctx, "the end of all jobs", func() bool { return len(liveIDs(s)) == 0 })
}

// Several go through the list at a time, one of them slowly, while jobs end: none
// is held up, and each sees those that stay.
func TestJobsEndWhileTheyAreListed(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2})
	const n = 1500
	fibers := make(chan *sched.Fiber, n)
	stay := map[uint64]bool{}
	gone := make([]*sched.Fiber, 0, n/2)
	for i := range n {
		j := start(t, ctx, s, func(ctx context.Context) error {
			f := sched.Current(ctx)
			fibers <- f
			f.Suspend()
			return nil
		})
		f := receive(t, ctx, "a beginning", fibers)
		if i%2 == 0 {
			stay[j.ID()] = true
			t.Cleanup(func() { f.Resume(nil, sched.Normal) })
		} else {
			gone = append(gone, f)
		}
	}
	seen := map[uint64]int{}
	for j := range s.Jobs() {
		seen[j.ID()]++
		if len(gone) > 0 {
			gone[len(gone)-1].Resume(nil, sched.Normal)
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
	for range (*sched.Scheduler)(nil).Jobs() {
		t.Error("a nil scheduler has a job")
	}
}
