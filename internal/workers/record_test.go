package workers_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/recording"
)

func newRecorder(tb testing.TB, s *workers.Scheduler, cfg workers.RecorderConfig) *workers.Recorder {
	tb.Helper()
	r, err := s.Record(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(r.Close)
	return r
}

// of returns the events about the job, and the marks between them.
func of(r *workers.Recorder, j *workers.Job) (kinds []recording.Kind) {
	mine := map[int]bool{} // The workers that the job is on.
	for _, e := range r.Snapshot().Events {
		switch about := e.Label.Class == "job" && e.Label.ID == j.ID(); {
		case about:
			mine[e.Worker] = e.Kind == recording.Run || e.Kind == recording.Resume
			kinds = append(kinds, e.Kind)
		case (e.Kind == recording.Mark || e.Kind == recording.Failure) && mine[e.Worker]:
			kinds = append(kinds, e.Kind)
		case e.Kind == recording.Blocked:
		default:
			mine[e.Worker] = false
		}
	}
	return kinds
}

func TestRecorderTellsOfAJob(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	var failed error
	r := newRecorder(t, s, workers.RecorderConfig{OnFailure: func(_ *workers.Job, err error) { failed = err }})
	other := start(t, ctx, s, func(context.Context) error { return nil })
	j := start(t, ctx, s, func(ctx context.Context) error {
		workers.Mark(ctx, "here")
		inner := start(t, ctx, s, func(context.Context) error { return nil })
		if err := inner.Wait(ctx); err != nil { // Suspends, unless a thief is faster.
			return err
		}
		panic(errors.New("oops"))
	}, workers.WithKind("testing"))
	finish(t, ctx, other)
	if err := j.Wait(ctx); err == nil {
		t.Fatal("the job does not fail")
	}
	kinds := of(r, j)
	kinds = slices.DeleteFunc(kinds, func(k recording.Kind) bool { return k == recording.Suspend || k == recording.Resume })
	if want := []recording.Kind{recording.Run, recording.Mark, recording.Failure}; !slices.Equal(kinds, want) {
		t.Errorf("got %v, want %v", kinds, want)
	}
	if failed == nil || !strings.Contains(failed.Error(), "oops") {
		t.Errorf("OnFailure was told %v", failed)
	}
	events := r.Snapshot().Events
	if !slices.ContainsFunc(events, func(e recording.Event) bool { return e.Label.Name == "testing" }) {
		t.Error("the job's kind is not recorded")
	}
	if !slices.IsSortedFunc(events, func(a, b recording.Event) int { return int(a.At - b.At) }) {
		t.Error("the events are not in order")
	}
}

func TestRecorderTellsOfWaits(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1}) // A spare would take what is waited for, on a slow machine.
	r := newRecorder(t, s, workers.RecorderConfig{})
	j := start(t, ctx, s, func(ctx context.Context) error {
		later, err := s.Go(ctx, func(context.Context) error { return nil })
		if err != nil {
			return err
		}
		return later.Wait(ctx)
	})
	finish(t, ctx, j)
	if got, want := of(r, j), []recording.Kind{recording.Run, recording.Suspend, recording.Resume}; !slices.Equal(got, want) {
		t.Errorf("a job that waits: got %v, want %v", got, want)
	}
	urgent := start(t, ctx, s, func(ctx context.Context) error {
		if _, err := s.Go(ctx, func(context.Context) error { return nil }, workers.WithPriority(workers.Critical)); err != nil {
			return err
		}
		workers.Checkpoint(ctx)
		return nil
	})
	finish(t, ctx, urgent)
	if got, want := of(r, urgent), []recording.Kind{recording.Run, recording.Preempt, recording.Resume}; !slices.Equal(got, want) {
		t.Errorf("a job that gives way: got %v, want %v", got, want)
	}
	eventually(t, ctx, "the worker parks", func() bool { return has(r, recording.Park) })
	finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }))
	for _, k := range []recording.Kind{recording.Search, recording.Unpark} {
		if !has(r, k) {
			t.Errorf("there is no event %v", k)
		}
	}
}

func has(r *workers.Recorder, k recording.Kind) bool {
	return slices.ContainsFunc(r.Snapshot().Events, func(e recording.Event) bool { return e.Kind == k })
}

func TestRecorderTellsOfSteals(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2, MaxSpares: -1})
	r := newRecorder(t, s, workers.RecorderConfig{})
	taken := make(chan struct{}, 4)
	j := start(t, ctx, s, func(ctx context.Context) error {
		for range 4 { // More than one, so that they may be taken.
			if _, err := s.Go(ctx, func(context.Context) error { taken <- struct{}{}; return nil }); err != nil {
				return err
			}
		}
		<-taken // Holds the worker: only a thief can end this.
		return nil
	})
	finish(t, ctx, j)
	for _, e := range r.Snapshot().Events {
		if e.Kind == recording.Steal && e.Arg != e.Worker {
			return
		}
	}
	t.Error("there is no steal")
}

// A spare worker is recorded too, and so is what made it necessary.
func TestRecorderTellsOfBlockedWorkers(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	r := newRecorder(t, s, workers.RecorderConfig{})
	open := make(chan struct{})
	blocked := start(t, ctx, s, func(context.Context) error { <-open; return nil })
	other := start(t, ctx, s, func(context.Context) error { return nil })
	finish(t, ctx, other)
	close(open)
	finish(t, ctx, blocked)
	on := map[recording.Kind]int{}
	for _, e := range r.Snapshot().Events {
		if e.Kind == recording.Blocked || e.Kind == recording.Run && e.Label.ID == other.ID() {
			on[e.Kind] = e.Worker
		}
	}
	if worker, ok := on[recording.Blocked]; !ok || worker != 0 || on[recording.Run] != 1 {
		t.Errorf("got %v, want worker 0 blocked, and the other job on worker 1", on)
	}
}

// The ring keeps the last events, counts those that it has not, and is as long
// as was asked for.
func TestRecorderIsBounded(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1}) // A spare has a ring of its own.
	r := newRecorder(t, s, workers.RecorderConfig{Events: 100})
	for range 1000 {
		finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error { workers.Mark(ctx, strings.Repeat("é", 1000)); return nil }))
	}
	last := start(t, ctx, s, func(context.Context) error { return nil })
	finish(t, ctx, last)
	rec := r.Snapshot()
	if len(rec.Events) > 128 || len(rec.Events) < 100 || rec.Missing < 1000 {
		t.Errorf("got %d events, and %d missing", len(rec.Events), rec.Missing)
	}
	if !slices.Equal(of(r, last), []recording.Kind{recording.Run}) {
		t.Error("the last job is not among them")
	}
	for _, e := range rec.Events {
		if len(e.Label.Name) > 200 {
			t.Fatalf("a mark has %d bytes", len(e.Label.Name))
		}
	}
}

// Snapshots are taken, and recorders come and go, while workers write.
func TestRecorderUnderLoad(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 4})
	var all sync.WaitGroup
	over := make(chan struct{})
	for range 2 {
		all.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				j, err := s.Go(ctx, func(ctx context.Context) error { workers.Mark(ctx, "x"); workers.Yield(ctx); return nil })
				if err != nil {
					t.Error(err)
					return
				}
				if err := j.Wait(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 20 {
		r, err := s.Record(workers.RecorderConfig{Events: 64})
		if err != nil {
			t.Fatal(err)
		}
		var readers sync.WaitGroup
		for range 2 {
			readers.Go(func() {
				for range 20 {
					for _, e := range r.Snapshot().Events {
						if e.Kind == recording.Mark && e.Label.Name != "x" || e.Worker < 0 {
							t.Errorf("got a torn event %+v", e)
						}
					}
				}
			})
		}
		readers.Wait()
		r.Close()
		if n := len(r.Snapshot().Events); n > 64 {
			t.Errorf("a closed recorder has %d events", n)
		}
	}
	close(over)
	all.Wait()
}

func TestRecorderRefuses(t *testing.T) {
	s := newScheduler(t, workers.Config{Workers: 1})
	for _, n := range []int{-1, 1, 1<<20 + 1} {
		if _, err := s.Record(workers.RecorderConfig{Events: n}); err == nil || !strings.Contains(err.Error(), "RecorderConfig.Events") {
			t.Errorf("Events %d: got %v", n, err)
		}
	}
	first := newRecorder(t, s, workers.RecorderConfig{})
	if _, err := s.Record(workers.RecorderConfig{}); !errors.Is(err, workers.ErrRecording) {
		t.Errorf("a second recorder: got %v", err)
	}
	first.Close()
	first.Close()
	second := newRecorder(t, s, workers.RecorderConfig{})
	first.Close() // That is not the second's end.
	finish(t, guarded(t), start(t, guarded(t), s, func(context.Context) error { return nil }))
	if len(second.Snapshot().Events) == 0 {
		t.Error("the second recorder has nothing")
	}
	for k := recording.Run; k <= recording.Failure; k++ {
		if back, err := recording.ParseKind(k.String()); err != nil || back != k {
			t.Errorf("%v becomes %v, %v", k, back, err)
		}
	}
	if _, err := recording.ParseKind("dance"); err == nil {
		t.Error("a kind that does not exist is parsed")
	}
	workers.Mark(context.Background(), "nowhere")
}
