package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

func TestStatsOfQueuedWork(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	release := occupy(t, ctx, s)
	want := [4]int{1, 2, 3, 4}
	for p, n := range want {
		for range n {
			start(t, ctx, s, func(context.Context) error { return nil }, workers.WithPriority(workers.Priority(p)))
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
	s := newScheduler(t, workers.Config{Workers: 3})
	handles := make([]*workers.Job, jobs)
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
		return inState(s, workers.WorkerIdle, workers.WorkerRetired) == len(s.Stats().Workers)
	})
	st := s.Stats()
	for i, w := range st.Workers {
		if w.ID != i || w.Spare != (i >= 3) {
			t.Errorf("worker %d calls itself %d, spare %t", i, w.ID, w.Spare)
		}
		if w.State == workers.WorkerIdle && w.Parked == 0 { // A spare may retire before it falls asleep.
			t.Errorf("worker %d sleeps and has never fallen asleep", i)
		}
		if w.State == workers.WorkerRetired && !w.Spare {
			t.Errorf("worker %d has retired, and is no spare", i)
		}
	}
	sum := (*sched.Scheduler)(s).Stats().Total()
	// One job waited, if the other was not faster; its return is a piece of work.
	if sum.Suspended > 1 || sum.Jobs != jobs+2+sum.Suspended {
		t.Errorf("%d pieces of work and %d suspensions for %d jobs", sum.Jobs, sum.Suspended, jobs+2)
	}
}

// TestPaceFollowsTheWork measures work of 1 ms, then of next to nothing.
func TestPaceFollowsTheWork(t *testing.T) {
	var clock workers.Clock
	s := workers.NewStill(workers.Config{Workers: 1})
	s.SetClock(&clock)
	w := s.Worker(0)
	clock.Advance(time.Millisecond) // The worker takes time 0 for none.
	for range 10 {
		w.Tick()
		clock.Advance(time.Millisecond)
	}
	if pace := s.Stats().Workers[0].Pace; pace != time.Millisecond {
		t.Errorf("the pace of work of 1 ms is %v", pace)
	}
	for range 2000 {
		w.Tick()
		clock.Advance(time.Microsecond)
	}
	if pace := s.Stats().Workers[0].Pace; pace < 700*time.Nanosecond || pace > 1300*time.Nanosecond {
		t.Errorf("the pace of work of 1 us is %v", pace)
	}
}
