package sched_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/sched"
)

// A job says the same of itself by each of its methods, in listings, and where it holds a
// worker.
func TestJobOfTheAPI(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1})
	begun, gate, on := make(chan struct{}), make(chan struct{}), -1
	j := start(t, ctx, s, func(ctx context.Context) error {
		on, _ = sched.WorkerOf(ctx)
		close(begun)
		<-gate
		return nil
	}, sched.WithKind("index"), sched.WithPriority(sched.High), sched.WithWorker(0))
	<-begun
	info := j.Info()
	if j.ID() == 0 || info.ID != j.ID() || j.Label() != (sched.Label{Class: "job", ID: j.ID(), Name: "index"}) {
		t.Errorf("job %d has the label %v and the info %+v", j.ID(), j.Label(), info)
	}
	if j.Kind() != "index" || j.Priority() != sched.High || j.State() != sched.JobRunning || !strings.HasSuffix(j.String(), "(index)") {
		t.Errorf("%v is of kind %q, %v, %v", j, j.Kind(), j.Priority(), j.State())
	}
	if on != 0 || info.Worker != 0 || info.State != sched.JobRunning {
		t.Errorf("the job is on worker %d by its context, and by its info %+v", on, info)
	}
	listed := slices.Collect(s.Jobs())
	if len(listed) != 1 || listed[0].Job != j || !strings.Contains(sched.StackOf(listed[0].Goroutine), "TestJobOfTheAPI") {
		t.Errorf("listed are %v", listed)
	}
	if !j.Cancel(errors.New("not needed")) {
		t.Error("it was cancelled too late")
	}
	close(gate)
	if err := j.Wait(ctx); err != nil {
		t.Error(err)
	}
	<-j.Done()
	if id, ok := sched.WorkerOf(ctx); ok {
		t.Errorf("the test is on worker %d", id)
	}
	if err := s.Stop(ctx); err != nil || !s.Stopping() {
		t.Errorf("stopping is %t: %v", s.Stopping(), err)
	}
}

// A job that blocks is named by its handle, with its stack on request.
func TestHeldOfTheAPI(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1})
	gate := make(chan struct{})
	j := start(t, ctx, s, func(context.Context) error { <-gate; return nil })
	var held []sched.Held
	for held = s.HeldStacks(); len(held) == 0 && ctx.Err() == nil; held = s.HeldStacks() {
		runtime.Gosched()
	}
	if len(held) != 1 || held[0].Job != j || held[0].Work != j.String() || !strings.Contains(held[0].Stack, "TestHeldOfTheAPI") {
		t.Errorf("held is %+v", held)
	}
	if now := s.Held(); len(now) != 1 || now[0].Job != j || now[0].Stack != "" {
		t.Errorf("without stacks it is %+v", now)
	}
	close(gate)
	if err := j.Wait(ctx); err != nil {
		t.Error(err)
	}
}

// A recorder tells of a panic with the handle of the job, and has its marks.
func TestRecorderOfTheAPI(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1})
	failed := make(chan *sched.Job, 1)
	r, err := s.Record(sched.RecorderConfig{OnFailure: func(j *sched.Job, _ error) { failed <- j }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Record(sched.RecorderConfig{}); !errors.Is(err, sched.ErrRecording) {
		t.Errorf("a second recorder got %v", err)
	}
	j := start(t, ctx, s, func(ctx context.Context) error {
		sched.Mark(ctx, "here")
		panic("on purpose")
	})
	var p *sched.PanicError
	if err := j.Wait(ctx); !errors.As(err, &p) || p.Value != "on purpose" {
		t.Errorf("the job ended with %v", err)
	}
	if told := <-failed; told != j {
		t.Errorf("the recorder told of %v, want %v", told, j)
	}
	marked := slices.ContainsFunc(r.Snapshot().Events, func(e sched.Event) bool { return e.Kind == sched.EventMark && e.Label.Name == "here" })
	if !marked {
		t.Error("the mark is not there")
	}
	r.Close()
	if events := r.Snapshot().Events; events != nil {
		t.Errorf("a closed recorder has %v", events)
	}
}

// Settings reach the workers, and figures come from them.
func TestSchedulerOfTheAPI(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 2, Steal: sched.StealSingle})
	if s.Workers() != 2 || s.StealStrategy() != sched.StealSingle {
		t.Errorf("%d workers steal %v", s.Workers(), s.StealStrategy())
	}
	if err := s.SetStealStrategy(sched.StealLocal); err != nil || s.StealStrategy() != sched.StealLocal {
		t.Errorf("they steal %v: %v", s.StealStrategy(), err)
	}
	if id, ok := s.LeastLoadedWorker(sched.Normal); !ok || id < 0 || id > 1 {
		t.Errorf("worker %d, %t, has least to do", id, ok)
	}
	if _, err := sched.New(sched.Config{Workers: -1}); err == nil {
		t.Error("a scheduler has -1 workers")
	}
	g, err := s.NewGroup(ctx)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := g.Go(func(ctx context.Context) error {
		budget := sched.NewBudget(ctx)
		for range 10_000 { // More than Config.Reductions, so it yields.
			budget.Spend(1)
		}
		sched.Checkpoint(ctx)
		sched.Yield(ctx)
		return broken
	}); err != nil {
		t.Fatal(err)
	}
	if err := g.Wait(ctx); !errors.Is(err, broken) {
		t.Errorf("the group returned %v", err)
	}
	if st := s.Stats(); len(st.Workers) < 2 || st.Awake < 1 {
		t.Errorf("the figures are %+v", st)
	}
}
