package workers_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/settings"
)

// TestInfoFollowsTheJob looks at a job at each step of its life.
func TestInfoFollowsTheJob(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	release := occupy(t, ctx, s)
	steps, goOn := make(chan string), make(chan struct{})
	event := make(chan *workers.Fiber, 1)
	before := time.Now()
	j := start(t, ctx, s, func(ctx context.Context) error {
		steps <- "running"
		<-goOn
		event <- workers.Current(ctx)
		workers.Current(ctx).Suspend()
		if _, err := s.Go(ctx, func(context.Context) error { steps <- "preempted"; <-goOn; return nil },
			workers.WithPriority(workers.Critical)); err != nil {
			return err
		}
		workers.Current(ctx).Checkpoint()
		steps <- "again"
		<-goOn
		return nil
	}, workers.WithKind("walk"), workers.WithCost(time.Second), workers.WithTimeout(time.Hour), workers.WithPriority(workers.High))
	want := workers.JobInfo{
		ID: j.ID(), Kind: "walk", Priority: workers.High, Cost: time.Second, Timeout: time.Hour, Worker: -1,
	}
	check := func(st workers.JobState, worker int) {
		t.Helper()
		info := j.Info()
		if begun := st != workers.JobPending; begun != !info.Started.IsZero() || begun && info.Started.Before(before) {
			t.Errorf("%v: it started at %v", st, info.Started)
		}
		info.Started = time.Time{}
		want.State, want.Worker = st, worker
		switch { // It passes one checkpoint, where it gives way first.
		case st == workers.JobPending || st.Ended():
			want.Reductions, want.ReductionsLeft = 0, 0
		case st == workers.JobRunning && want.Preemptions == 1:
			want.Reductions, want.ReductionsLeft = 1, 3999
		default:
			want.ReductionsLeft = 4000
		}
		if info != want || j.State() != st {
			t.Errorf("info is %+v, want %+v", info, want)
		}
	}
	check(workers.JobPending, -1)
	release()
	receive(t, ctx, "the start", steps)
	check(workers.JobRunning, 0)
	goOn <- struct{}{}
	f := receive(t, ctx, "the suspension", event)
	eventually(t, ctx, "the suspension", func() bool { return j.State() == workers.JobWaiting })
	check(workers.JobWaiting, 0)
	f.Resume(nil, workers.Normal)
	receive(t, ctx, "the critical job", steps)
	want.Preemptions = 1
	check(workers.JobPreempted, 0)
	goOn <- struct{}{}
	receive(t, ctx, "the return", steps)
	check(workers.JobRunning, 0)
	goOn <- struct{}{}
	finish(t, ctx, j)
	check(workers.JobCompleted, -1)
	if j.Kind() != "walk" || j.Priority() != workers.High || j.ID() == 0 {
		t.Errorf("%q %v %d", j.Kind(), j.Priority(), j.ID())
	}
	next := start(t, ctx, s, func(context.Context) error { // On the same fiber.
		steps <- "running"
		<-goOn
		return nil
	})
	receive(t, ctx, "the next job's start", steps)
	if n := next.Info().Preemptions; n != 0 {
		t.Errorf("a job that has just begun gave way %d times", n)
	}
	if info := next.Info(); info.Reductions != 0 || info.ReductionsLeft != 4000 {
		t.Errorf("a job that has just begun: %+v", info)
	}
	goOn <- struct{}{}
	finish(t, ctx, next)
}

func TestJobsHaveIDsOfTheirOwn(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	const n = 200
	ids := make(chan uint64, 2*n)
	for range n {
		ids <- start(t, ctx, s, func(ctx context.Context) error {
			j, err := s.Go(ctx, func(context.Context) error { return nil })
			ids <- j.ID()
			return err
		}).ID()
	}
	seen := map[uint64]bool{}
	for range 2 * n {
		id := receive(t, ctx, "an id", ids)
		if id == 0 || seen[id] {
			t.Fatalf("id %d is zero or taken", id)
		}
		seen[id] = true
	}
}

// TestStolenJobCountsIt has a worker steal what another can't come to.
func TestStolenJobCountsIt(t *testing.T) {
	s := workers.NewStill(workers.Config{Workers: 2, Steal: settings.StealBatched})
	ctx := guarded(t)
	var jobs []*workers.Job
	for range 20 {
		j := start(t, ctx, s, func(context.Context) error { return nil })
		jobs = append(jobs, j)
	}
	// The first worker runs one and takes the others into its own queue.
	if n, _ := s.Worker(0).Poll(); n != jobs[0].Node() {
		t.Fatal("the first worker did not take the first job")
	}
	if n, _ := s.Worker(1).SearchOnce(0); n != jobs[1].Node() {
		t.Fatal("the second worker did not steal the second job")
	}
	if st, steals := jobs[1].State(), jobs[1].Info().Steals; st != workers.JobStolen || steals != 1 {
		t.Errorf("what the thief holds is %v with %d steals", st, steals)
	}
	for _, j := range jobs[2:] {
		if st := j.State(); st != workers.JobPending {
			t.Errorf("a queued job is %v", st)
		}
	}
	more := 0
	for _, j := range jobs[2:] {
		more += j.Info().Steals
	}
	if more == 0 || more > 10 {
		t.Errorf("%d were stolen with it", more)
	}
}

// TestHandleOfNoJob uses handles that Go did not return.
func TestHandleOfNoJob(t *testing.T) {
	ctx := guarded(t)
	for name, j := range map[string]*workers.Job{"nil": nil, "zero": {}} {
		if err := j.Wait(ctx); !errors.Is(err, workers.ErrNoJob) {
			t.Errorf("%s: Wait returned %v", name, err)
		}
		receive(t, ctx, "Done of no job", j.Done())
		if j.Cancel(nil) || j.ID() != 0 || j.Kind() != "" || j.State() != workers.JobPending || j.Priority() != workers.Normal {
			t.Errorf("%s: it is more than nothing: %+v", name, j.Info())
		}
		if info := j.Info(); info != (workers.JobInfo{Worker: -1}) {
			t.Errorf("%s: info is %+v", name, info)
		}
	}
}

// TestQueuedJobsAreSmall measures the memory of many.
func TestQueuedJobsAreSmall(t *testing.T) {
	want := uintptr(80)
	if strconv.IntSize == 32 {
		want = 56
	}
	if workers.JobSize != want {
		t.Errorf("a handle takes %d bytes, which is not %d", workers.JobSize, want)
	}
	n := 250_000 // The ring is as full as with a million.
	if testing.Short() {
		n = 1 << 16
	}
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	release := occupy(t, ctx, s)
	background := context.Background()
	done := make(chan struct{})
	left := n
	fn := func(context.Context) error {
		if left--; left == 0 {
			close(done)
		}
		return nil
	}
	before := heap()
	for range n {
		if _, err := s.Go(background, fn); err != nil {
			t.Fatal(err)
		}
	}
	each := float64(int64(heap()-before)) / float64(n)
	t.Logf("%.1f bytes each", each)
	if each > 100 || math.IsNaN(each) {
		t.Errorf("a queued job takes %.1f bytes", each)
	}
	release()
	receive(t, ctx, "all jobs", done)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestGoAllocatesOnce counts the allocations of a job without options.
func TestGoAllocatesOnce(t *testing.T) {
	ctx := context.Background()
	s := newScheduler(t, workers.Config{Workers: 1})
	ran := make(chan struct{}, 1)
	fn := func(ctx context.Context) error {
		if ctx.Err() == nil {
			ran <- struct{}{}
		}
		return nil
	}
	if n := testing.AllocsPerRun(1000, func() {
		if _, err := s.Go(ctx, fn); err != nil {
			t.Error(err)
		}
		<-ran
	}); n > 1.1 {
		t.Errorf("%v allocations", n)
	}
}
