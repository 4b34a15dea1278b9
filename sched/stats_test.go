package sched_test

import (
	"context"
	"reflect"
	"testing"
	"time"

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
		return inState(s, sched.WorkerIdle, sched.WorkerRetired) == len(s.Stats().Workers)
	})
	st := s.Stats()
	for i, w := range st.Workers {
		if w.ID != i || w.Spare != (i >= 3) {
			t.Errorf("worker %d calls itself %d, spare %t", i, w.ID, w.Spare)
		}
		if w.State == sched.WorkerIdle && w.Parked == 0 { // A spare may retire before it falls asleep.
			t.Errorf("worker %d sleeps and has never fallen asleep", i)
		}
		if w.State == sched.WorkerRetired && !w.Spare {
			t.Errorf("worker %d has retired, and is no spare", i)
		}
	}
	sum := st.Total()
	// One job waited, if the other was not faster; its return is a piece of work.
	if sum.Suspended > 1 || sum.Jobs != jobs+2+sum.Suspended {
		t.Errorf("%d pieces of work and %d suspensions for %d jobs", sum.Jobs, sum.Suspended, jobs+2)
	}
}

// TestTotalAddsUp fills every figure of two workers with a number of its own, so
// that a field which is forgotten shows.
func TestTotalAddsUp(t *testing.T) {
	var st sched.Stats
	st.Workers = make([]sched.WorkerStats, 2)
	for i := range st.Workers {
		fill(reflect.ValueOf(&st.Workers[i]).Elem())
	}
	sum := st.Total()
	if sum.ID != -1 {
		t.Errorf("the sum calls itself worker %d", sum.ID)
	}
	checkDoubled(t, "", reflect.ValueOf(st.Workers[0]), reflect.ValueOf(sum))
}

func fill(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Uint64:
			f.SetUint(uint64(7 + i))
		case reflect.Array:
			for j := range f.Len() {
				f.Index(j).SetInt(int64(3 + j))
			}
		case reflect.Struct:
			fill(f)
		}
	}
}

func checkDoubled(t *testing.T, name string, one, sum reflect.Value) {
	t.Helper()
	for i := range one.NumField() {
		field := name + one.Type().Field(i).Name
		switch f := sum.Field(i); f.Kind() {
		case reflect.Uint64:
			if f.Uint() != 2*one.Field(i).Uint() {
				t.Errorf("the sum of %s is %d, want %d", field, f.Uint(), 2*one.Field(i).Uint())
			}
		case reflect.Array:
			for j := range f.Len() {
				if f.Index(j).Int() != 2*one.Field(i).Index(j).Int() {
					t.Errorf("the sum of %s[%d] is wrong", field, j)
				}
			}
		case reflect.Struct:
			checkDoubled(t, field+".", one.Field(i), f)
		}
	}
}

// TestPaceFollowsTheWork measures work of 1 ms, then of next to nothing.
func TestPaceFollowsTheWork(t *testing.T) {
	var clock sched.Clock
	s := sched.NewStill(sched.Config{Workers: 1})
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
