package sched_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/sched"
)

// TestRoll has goroutines enter and leave the table in any order, some of them within
// others, of numbers that are near each other, as those of the runtime are. After each
// step its goroutine is found as what it is then; in the end all are, and nobody else.
func TestRoll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const kinds = 200
		type stay struct{ f, outer *sched.Fiber }
		var r sched.Roll
		there := map[uintptr][]stay{}
		far := uint64(0x9E3779B97F4A7C15 &^ 0xff) // Words of 32 bits keep its lower half.
		stride := rapid.SampledFrom([]uintptr{1, 512, uintptr(far)}).Draw(t, "stride")
		last := func(id uintptr) *sched.Fiber {
			if all := there[id]; len(all) > 0 {
				return all[len(all)-1].f
			}
			return nil
		}
		enters := 0
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			id := uintptr(rapid.IntRange(1, kinds).Draw(t, "goroutine")) * stride
			if all := there[id]; len(all) > 0 && rapid.IntRange(0, 3).Draw(t, "does") != 0 {
				of := all[len(all)-1]
				r.Leave(id, of.f, of.outer)
				there[id] = all[:len(all)-1]
			} else {
				enters++
				f, outer := r.Enter(id)
				if outer != last(id) {
					t.Fatalf("goroutine %#x is said to have been below %p, want %p", id, outer, last(id))
				}
				there[id] = append(all, stay{f, outer})
			}
			if r.Of(id) != last(id) {
				t.Fatalf("goroutine %#x is not found as what it is now", id)
			}
		}
		live := 0
		for i := range uintptr(kinds) {
			id := (i + 1) * stride
			if r.Of(id) != last(id) {
				t.Fatalf("goroutine %#x is below %p, want %p", id, r.Of(id), last(id))
			}
			live += min(1, len(there[id]))
		}
		if gotLive, used, found, places := r.Counts(); gotLive != live || used != found || enters > 0 && 4*used > 3*places {
			t.Fatalf("%d are counted of %d, %d places of %d, which are %d", gotLive, live, used, found, places)
		}
	})
}

// Each piece of work finds its own fiber without a context, also after it has waited,
// and with many others that begin and end meanwhile. A goroutine finds none.
func TestHere(t *testing.T) {
	s := newScheduler(t, sched.Config{Workers: 2})
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
		fibers := make([]*sched.Fiber, n)
		for i := range n {
			submit(t, s, sched.Normal, func(f *sched.Fiber, _ sched.Priority) {
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
			f.Resume(nil, sched.Normal)
		}
		done.Wait()
	}
	wantNone()
}

// What runs on a host finds its fiber, and what has left it does not.
func TestHereOnHosts(t *testing.T) {
	s := newScheduler(t, sched.Config{Workers: 1})
	var hosts sync.WaitGroup
	for range 50 {
		hosts.Go(func() {
			h := s.NewHost()
			for range 20 {
				h.Enter()
				h.Run(&newWork(func(f *sched.Fiber, _ sched.Priority) {
					if s.Here() != f {
						t.Error("work on a host does not find its fiber")
					}
				}).Node, sched.Normal)
				h.Leave()
				if s.Here() != nil {
					t.Error("a goroutine is on the host that it has left")
				}
			}
		})
	}
	hosts.Wait()
}

// Who waits with a context that does not lead to his fiber suspends all the same.
func TestWaitByAnotherContext(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, sched.Config{Workers: 1})
	var w sched.Waiter
	var happened atomic.Bool
	armed, done := make(chan struct{}), make(chan bool, 1)
	submit(t, s, sched.Normal, func(f *sched.Fiber, _ sched.Priority) {
		w.Arm(ctx, s)
		suspends := w.OnFiber() == f
		close(armed)
		for !happened.Load() && w.Wait(ctx) {
		}
		done <- suspends
	})
	<-armed
	happened.Store(true)
	w.Wake(nil, sched.Normal)
	if !<-done {
		t.Error("work that waits by another context holds its worker")
	}
}

// Work that enters a host is found on that, and afterwards on its own fiber again;
// and so are hosts within each other.
func TestHereOfAHostWithinWork(t *testing.T) {
	ctx, s := guarded(t), newScheduler(t, sched.Config{Workers: 1})
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

// A table that was large gives its room back when most have left.
func TestHereAfterMany(t *testing.T) {
	s := newScheduler(t, sched.Config{Workers: 1})
	var all, done sync.WaitGroup
	gate := make(chan struct{})
	for range 3000 {
		all.Add(1)
		done.Go(func() {
			h := s.NewHost()
			h.Enter()
			defer h.Leave()
			all.Done()
			<-gate
		})
	}
	all.Wait()
	large := s.Posts()
	close(gate)
	done.Wait()
	if small := s.Posts(); large < 4096 || small > large/8 {
		t.Errorf("the table has %d places for 3,000 goroutines, and then %d", large, small)
	}
}
