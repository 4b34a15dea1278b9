package sched_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/sched"
)

func TestStatsOfQueuedWork(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1, MaxSpares: -1})
	release := occupy(t, ctx, s)
	want := [4]int{1, 2, 3, 4}
	for p, n := range want {
		for range n {
			start(t, ctx, s, func(context.Context) error { return nil }, sched.WithPriority(sched.Priority(p)))
		}
	}
	st := s.Stats()
	if st.Queued != want {
		t.Errorf("queued is %v, want %v", st.Queued, want)
	}
	if st.Jobs != 10 || st.Awake != 1 || len(st.Workers) != 1 {
		t.Errorf("%d jobs, %d awake of %d workers; want 10, 1 of 1", st.Jobs, st.Awake, len(st.Workers))
	}
	release()
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if st = s.Stats(); st.Queued != [4]int{} || st.Jobs != 0 {
		t.Errorf("queued is %v with %d jobs after the stop", st.Queued, st.Jobs)
	}
}

// TestStatsAddUp counts known work, on workers that sleep in the end.
func TestStatsAddUp(t *testing.T) {
	const jobs = 500
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 3})
	handles := make([]*sched.Job, jobs)
	for i := range handles {
		handles[i] = start(t, ctx, s, func(context.Context) error { return nil })
	}
	finish(t, ctx, handles...)
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		j, err := s.Go(ctx, func(context.Context) error { return nil })
		if err != nil {
			return err
		}
		return j.Wait(ctx)
	}))
	eventually(t, ctx, "the workers to sleep", func() bool {
		return inState(s, sched.WorkerSleeping) == len(s.Stats().Workers)
	})
	var sum sched.WorkerStats
	for i, w := range s.Stats().Workers {
		if w.ID != i || w.Spare != (i >= 3) {
			t.Errorf("worker %d calls itself %d, spare %t", i, w.ID, w.Spare)
		}
		if w.Parked == 0 {
			t.Errorf("worker %d sleeps and has never fallen asleep", i)
		}
		sum.Jobs += w.Jobs
		sum.Suspended += w.Suspended
	}
	// One job waited, if the other was not faster; its return is a piece of work.
	if sum.Suspended > 1 || sum.Jobs != jobs+2+sum.Suspended {
		t.Errorf("%d pieces of work and %d suspensions for %d jobs", sum.Jobs, sum.Suspended, jobs+2)
	}
}
