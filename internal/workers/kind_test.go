package workers_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// TestKindsAreCounted runs jobs of several kinds, some of which fail.
func TestKindsAreCounted(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	want := map[string]workers.KindStats{"": {Jobs: 5}, "parse": {Jobs: 40, Failed: 10}, "store": {Jobs: 20, Failed: 20}}
	for name, k := range want {
		for i := range k.Jobs {
			j := start(t, ctx, s, func(context.Context) error {
				switch {
				case i >= k.Failed:
					return nil
				case i%2 == 0:
					panic("no")
				}
				return errors.New("no")
			}, workers.WithKind(name))
			if err := j.Wait(ctx); (err != nil) != (i < k.Failed) {
				t.Fatal(err)
			}
			if j.Kind() != name {
				t.Fatalf("a job of kind %q is of kind %q", name, j.Kind())
			}
		}
	}
	if err := s.Stop(ctx); err != nil { // The figures are exact when all workers have left.
		t.Fatal(err)
	}
	got := s.Stats().Kinds
	if len(got) != len(want) {
		t.Fatalf("kinds are %+v", got)
	}
	for i, k := range got {
		if w := want[k.Name]; k.Jobs != w.Jobs || k.Failed != w.Failed || k.MeanCost <= 0 {
			t.Errorf("%+v, want %+v and a cost", k, w)
		}
		if i > 0 && got[i-1].Name >= k.Name {
			t.Errorf("kinds are not in order: %+v", got)
		}
	}
}

// TestKindsAreBounded makes up a name for each job.
func TestKindsAreBounded(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	for i := range workers.MaxKinds + 100 {
		j := start(t, ctx, s, func(context.Context) error { return nil }, workers.WithKind(fmt.Sprint("kind ", i)))
		if other := j.Kind() == "other"; other != (i >= workers.MaxKinds) {
			t.Fatalf("job %d is of kind %q", i, j.Kind())
		}
	}
	if k := start(t, ctx, s, func(context.Context) error { return nil }, workers.WithKind("kind 7")).Kind(); k != "kind 7" {
		t.Errorf("a known kind is %q now", k)
	}
	if n := len(s.Stats().Kinds); n > workers.MaxKinds+2 {
		t.Errorf("%d kinds are told apart", n)
	}
}

// TestCostOfQueuedJobs asks as a thief does.
func TestCostOfQueuedJobs(t *testing.T) {
	ctx := guarded(t)
	s := workers.NewStill(workers.Config{Workers: 1})
	fn := func(context.Context) error { return nil }
	cost := func(opts ...workers.JobOption) time.Duration { return start(t, ctx, s, fn, opts...).Node().Cost() }
	if got := cost(workers.WithKind("new")); got != 0 {
		t.Errorf("a new kind costs %v", got)
	}
	for range 100 {
		s.Learn("known", time.Millisecond)
	}
	if got := cost(workers.WithKind("known")); got != time.Millisecond {
		t.Errorf("what always took 1 ms is said to cost %v", got)
	}
	for range 8 {
		s.Learn("known", 9*time.Millisecond)
	}
	if got := cost(workers.WithKind("known")); got < 5*time.Millisecond || got > 8*time.Millisecond {
		t.Errorf("after 8 times 9 ms it is %v", got)
	}
	if got := cost(workers.WithKind("known"), workers.WithCost(time.Hour)); got != time.Hour {
		t.Errorf("the hint of 1 h gives %v", got)
	}
	if got := (&newWork(nil).Node).Cost(); got != 0 {
		t.Errorf("what is no job costs %v", got)
	}
}

// TestCostIsMeasuredWithoutWaits has jobs that work for 1 ms and wait for long.
func TestCostIsMeasuredWithoutWaits(t *testing.T) {
	ctx := guarded(t)
	var clock workers.Clock
	s, err := workers.NewWithClock(workers.Config{Workers: 1, JobTimeout: -1}, &clock)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		event := make(chan *workers.Fiber, 1)
		j := start(t, ctx, s, func(ctx context.Context) error {
			clock.Advance(time.Millisecond)
			f := workers.Current(ctx)
			event <- f
			f.Suspend()
			return nil
		}, workers.WithKind("mixed"))
		f := receive(t, ctx, "the suspension", event)
		eventually(t, ctx, "the suspension", func() bool { return j.State() == workers.JobWaiting })
		clock.Advance(time.Hour)
		f.Resume(nil, workers.Normal)
		finish(t, ctx, j)
	}
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	kinds := s.Stats().Kinds
	if len(kinds) != 1 || kinds[0].MeanCost < time.Millisecond || kinds[0].MeanCost > 2*time.Millisecond {
		t.Errorf("1 ms of work was measured as %+v", kinds)
	}
}

// TestJobThatWaitsForEverIsMeasuredOnce has a job work for 1 ms before each of many
// waits, and for an hour after those for which it is measured.
func TestJobThatWaitsForEverIsMeasuredOnce(t *testing.T) {
	ctx := guarded(t)
	var clock workers.Clock
	s, err := workers.NewWithClock(workers.Config{Workers: 1, JobTimeout: -1}, &clock)
	if err != nil {
		t.Fatal(err)
	}
	event := make(chan *workers.Fiber)
	work := func(ctx context.Context, times int, each time.Duration) {
		for f := workers.Current(ctx); times > 0; times-- {
			clock.Advance(each)
			event <- f
			f.Suspend()
		}
	}
	for range 20 { // Of those that begin after a look at the clock, the first perhaps not.
		j := start(t, ctx, s, func(ctx context.Context) error {
			work(ctx, workers.MaxPauses, time.Millisecond)
			work(ctx, 3, time.Hour)
			return nil
		}, workers.WithKind("patient"))
		for range workers.MaxPauses + 3 {
			f := receive(t, ctx, "the suspension", event)
			eventually(t, ctx, "the suspension", func() bool { return j.State() == workers.JobWaiting })
			f.Resume(nil, workers.Normal)
		}
		finish(t, ctx, j)
	}
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	kinds := s.Stats().Kinds
	if want := workers.MaxPauses * time.Millisecond; len(kinds) != 1 || kinds[0].MeanCost != want {
		t.Errorf("%v of work until the last pause that is measured was measured as %+v", want, kinds)
	}
}
