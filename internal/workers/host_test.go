package workers_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/workers"
)

// hosted is work that is given to a host.
type hosted struct {
	node  workers.Node
	frame workers.Frame
	do    func(ctx context.Context, f *workers.Fiber)
}

// hostedContext is what leads from the work to its fiber.
type hostedContext struct {
	context.Context
	h *hosted
}

func (c hostedContext) Value(key any) any {
	if _, ok := key.(workers.FrameKey); ok {
		return &c.h.frame
	}
	return c.Context.Value(key)
}

func (h *hosted) Run(f *workers.Fiber, _ workers.Priority) {
	h.frame.Enter(f)
	h.do(hostedContext{context.Background(), h}, f)
}

// A function on a host may wait, also locked to its thread, and submits like a goroutine
// outside.
func TestHost(t *testing.T) {
	ctx := patience.Context(t)
	s, err := workers.New(workers.Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	patience.StopAtEnd(t, s)
	host := s.NewHost()
	steps := 0
	h := &hosted{do: func(inner context.Context, f *workers.Fiber) {
		if workers.Current(inner) != f || f.Scheduler() != s {
			t.Error("the context does not lead to the fiber")
		}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		resumed := false
		go func() { resumed = true; f.Resume(nil, workers.Normal) }()
		f.Suspend()
		if !resumed {
			t.Error("Suspend returned before the resume")
		}
		j, err := s.Go(inner, func(ctx context.Context) error { steps++; return nil })
		if err != nil {
			t.Error(err)
			return
		}
		if err := j.Wait(inner); err != nil {
			t.Error(err)
		}
		f.Checkpoint()
		f.Yield(workers.Low)
		f.Resume(nil, workers.Normal) // A permit for the next one.
		f.Suspend()
		if x, y := workers.Join(inner, func(_ context.Context, n int) int { return n }, 1, 2); x != 1 || y != 2 {
			t.Errorf("Join returned %d, %d", x, y)
		}
		steps++
	}}
	h.node.Init(h)
	host.Enter()
	host.Run(&h.node, workers.Critical)
	host.Leave()
	if steps != 2 {
		t.Errorf("%d of 2 steps were done", steps)
	}
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// Critical work that waits for a worker does not concern a host.
func TestHostIsNotUrgent(t *testing.T) {
	ctx := patience.Context(t)
	s, err := workers.New(workers.Config{Workers: 1, MaxSpares: -1})
	if err != nil {
		t.Fatal(err)
	}
	patience.StopAtEnd(t, s)
	entered, open := make(chan struct{}), make(chan struct{})
	if _, err := s.Go(ctx, func(context.Context) error { close(entered); <-open; return nil }); err != nil {
		t.Fatal(err)
	}
	<-entered
	if _, err := s.Go(ctx, func(context.Context) error { return nil }, workers.WithPriority(workers.Critical)); err != nil {
		t.Fatal(err)
	}
	host := s.NewHost()
	h := &hosted{do: func(_ context.Context, f *workers.Fiber) {
		if f.Urgent() {
			t.Error("critical work makes a host give way")
		}
	}}
	h.node.Init(h)
	host.Enter()
	host.Run(&h.node, workers.Normal)
	host.Leave()
	close(open)
}

func TestNotesAndStacks(t *testing.T) {
	ctx := patience.Context(t)
	s, err := workers.New(workers.Config{})
	if err != nil {
		t.Fatal(err)
	}
	patience.StopAtEnd(t, s)
	entered, open := make(chan struct{}), make(chan struct{})
	if _, err := s.Go(ctx, func(ctx context.Context) error {
		f := workers.Current(ctx)
		f.SetNote("here")
		if f.Note() != "here" {
			t.Error("the note is lost")
		}
		close(entered)
		<-open
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	<-entered
	found := 0
	s.Notes(func(note any, goroutine uint64) {
		found++
		if note != "here" || workers.StackOf(goroutine) == "" {
			t.Errorf("the note is %v, of goroutine %d", note, goroutine)
		}
	})
	if found != 1 {
		t.Errorf("there are %d notes", found)
	}
	close(open)
	if workers.StackOf(0) != "" {
		t.Error("no goroutine has a stack")
	}
}
