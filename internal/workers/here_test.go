package workers_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/workers"
)

// Each piece of work finds its own fiber without a context, also after it has waited,
// and with many others that begin and end meanwhile. A goroutine finds none.
func TestHere(t *testing.T) {
	s := newScheduler(t, workers.Config{Workers: 2})
	wantNone := func() {
		if s.Here() != nil {
			t.Error("a goroutine runs on a fiber")
		}
	}
	wantNone()
	for n := 1; n <= 1000; n *= 10 {
		var released atomic.Bool
		var waiting, done sync.WaitGroup
		waiting.Add(n)
		done.Add(n)
		fibers := make([]*workers.Fiber, n)
		for i := range n {
			submit(t, s, workers.Normal, func(f *workers.Fiber, _ workers.Priority) {
				defer done.Done()
				fibers[i] = f
				waiting.Done()
				for !released.Load() {
					if s.Here() != f {
						t.Error("work that is about to wait does not find its fiber")
					}
					f.Suspend()
				}
				if s.Here() != f {
					t.Error("work that has waited does not find its fiber")
				}
			})
		}
		waiting.Wait()
		wantNone()
		released.Store(true)
		for _, f := range fibers {
			f.Resume(nil, workers.Normal)
		}
		done.Wait()
	}
	wantNone()
}

// A function on a host finds its fiber. Code that has left the host does not.
func TestHereOnHosts(t *testing.T) {
	s := newScheduler(t, workers.Config{Workers: 1})
	var hosts sync.WaitGroup
	for range 50 {
		hosts.Go(func() {
			h := s.NewHost()
			for range 20 {
				h.Enter()
				h.Run(&newWork(func(f *workers.Fiber, _ workers.Priority) {
					if s.Here() != f {
						t.Error("work on a host does not find its fiber")
					}
				}).Node, workers.Normal)
				h.Leave()
				if s.Here() != nil {
					t.Error("a goroutine is on the host that it has left")
				}
			}
		})
	}
	hosts.Wait()
}

// A wait suspends even with a context that does not lead to the waiter's fiber.
func TestWaitByAnotherContext(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	var w workers.Waiter
	var happened atomic.Bool
	armed, done := make(chan struct{}), make(chan bool, 1)
	submit(t, s, workers.Normal, func(f *workers.Fiber, _ workers.Priority) {
		w.Arm(ctx, s)
		suspends := w.OnFiber() == f
		close(armed)
		for !happened.Load() && w.Wait(ctx) {
		}
		done <- suspends
	})
	<-armed
	happened.Store(true)
	w.Wake(nil, workers.Normal)
	if !<-done {
		t.Error("work that waits by another context holds its worker")
	}
}

// Work that enters a host is found on that, and afterwards on its own fiber again;
// and so are hosts within each other.
func TestHereOfAHostWithinWork(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, workers.Config{Workers: 1})
	within := func(what string) {
		outer, h := s.Here(), s.NewHost()
		h.Enter()
		inner := s.Here()
		if inner == outer || inner == nil {
			t.Errorf("within %s the host is not found", what)
		}
		second := s.NewHost()
		second.Enter()
		if f := s.Here(); f == inner || f == outer || f == nil {
			t.Errorf("within %s a host in a host is not found", what)
		}
		second.Leave()
		if s.Here() != inner {
			t.Errorf("within %s the first host is not found again", what)
		}
		h.Leave()
		if s.Here() != outer {
			t.Errorf("within %s it is not found again", what)
		}
	}
	within("a goroutine")
	finish(t, ctx, start(t, ctx, s, func(context.Context) error { within("a job"); return nil }))
}
