package hosts_test

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/internal/kernel/hosts"
	"github.com/troupe-go/troupe/internal/workers"
)

// work is a function as what a host runs.
type work func()

func (f work) Run(*workers.Fiber, workers.Priority) { f() }

func node(f func()) *workers.Node {
	n := &workers.Node{}
	n.Init(work(f))
	return n
}

// site is a site of a scheduler that stops with the test, or when end is called: then no work is left.
func site(t *testing.T) (s *workers.Scheduler, at *hosts.Site, end func()) {
	t.Helper()
	s, err := workers.New(workers.Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	empty := make(chan struct{})
	at = hosts.NewSite(s, empty)
	return s, at, func() {
		close(empty)
		at.Wait()
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

var _ = []hosts.Host{(*hosts.Pool)(nil), (*hosts.Thread)(nil), (*hosts.Loop[int])(nil), (*hosts.Main[int])(nil)}

// A pool has as many goroutines as its limit says. They end when they have been idle for long.
func TestPoolLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, at, end := site(t)
		pool := hosts.NewPool(at, 2)
		running, most, ran := 0, 0, 0
		gate := make(chan struct{}, 1)
		gate <- struct{}{}
		count := func(by int) {
			<-gate
			running += by
			most = max(most, running)
			if by < 0 {
				ran++
			}
			gate <- struct{}{}
		}
		for range 5 {
			pool.Submit(node(func() {
				count(1)
				time.Sleep(time.Second) //nolint:forbidigo // In a bubble.
				count(-1)
			}), workers.Normal)
		}
		synctest.Wait()
		if n := pool.Goroutines(); n != 2 {
			t.Errorf("there are %d goroutines for 5 entries, want 2", n)
		}
		time.Sleep(time.Minute) //nolint:forbidigo // In a bubble.
		synctest.Wait()
		if ran != 5 || most != 2 {
			t.Errorf("%d entries ran, %d at a time, want 5 and 2", ran, most)
		}
		if n := pool.Goroutines(); n != 0 {
			t.Errorf("%d goroutines are left after a minute without work", n)
		}
		end()
	})
}

// The idle goroutines of a pool end at once when no work can come any more.
func TestPoolEndsWithItsSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, at, end := site(t)
		hosts.NewPool(at, -1).Submit(node(func() {}), workers.Normal)
		synctest.Wait()
		begun := time.Now()
		end()
		if d := time.Since(begun); d != 0 {
			t.Errorf("the end took %v", d)
		}
	})
}

// A kill abandons a goroutine, and the killed handler goes on. A new goroutine runs the work
// that was submitted before the kill. Work that is submitted after the end is void.
func TestThreadIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, at, end := site(t)
		thread := hosts.NewThread(at)
		came := make(chan struct{})
		over := false
		thread.Submit(node(func() {
			thread.Submit(node(func() { close(came) }), workers.Critical)
			thread.Abandon()
			<-came
			over = true
		}), workers.Normal)
		synctest.Wait()
		thread.End()
		thread.Submit(node(func() { t.Error("an entry ran after the end") }), workers.Normal)
		synctest.Wait()
		if !over {
			t.Error("the handler that was killed does not go on")
		}
		end()
	})
}

// A kill that comes late abandons a thread which has nothing to do any more. Its goroutine ends nevertheless: the stop of a
// system waits for it.
func TestThreadIsAbandonedWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, at, end := site(t)
		thread := hosts.NewThread(at)
		ran := false
		thread.Submit(node(func() { ran = true }), workers.Normal)
		synctest.Wait()
		thread.Abandon()
		thread.End()
		if !ran {
			t.Error("the thread was idle before it has run anything")
		}
		end()
	})
}

// A handler that ends its goroutine does not end the thread.
func TestThreadSurvivesGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, at, end := site(t)
		thread := hosts.NewThread(at)
		thread.Submit(node(runtime.Goexit), workers.Normal)
		ran := false
		thread.Submit(node(func() { ran = true }), workers.Normal)
		synctest.Wait()
		if !ran {
			t.Error("what was queued behind a Goexit did not run")
		}
		thread.End()
		end()
	})
}

// A loop rings once for a batch, runs urgent entries first, and says whether there is more.
func TestLoop(t *testing.T) {
	s, _, end := site(t)
	defer end()
	rung := 0
	loop := hosts.NewLoop[int](s, func() { rung++ })
	var order []string
	submit := func(name string, p workers.Priority) {
		loop.Submit(node(func() { order = append(order, name) }), p)
	}
	check := func(over, more, ok bool, rings int) {
		t.Helper()
		m, o := loop.Run(func() bool { return over })
		if m != more || o != ok || rung != rings {
			t.Errorf("more %v, ok %v, rung %d times, want %v, %v, %d", m, o, rung, more, ok, rings)
		}
	}
	check(false, false, true, 0)
	submit("normal", workers.Normal)
	submit("critical", workers.Critical)
	check(true, true, true, 1)
	submit("another", workers.Normal) // The loop is about to come again.
	check(false, false, true, 1)
	if want := []string{"critical", "normal", "another"}; !slices.Equal(order, want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
	loop.Submit(node(func() { check(false, false, false, 2) }), workers.Normal)
	check(false, false, true, 2)
}

// The holder of a loop holds up all others, until Run returns.
func TestLoopHolder(t *testing.T) {
	s, _, end := site(t)
	defer end()
	loop := hosts.NewLoop[int](s, func() {})
	var one, other int
	loop.Submit(node(func() {
		loop.Hold(&one)
		if loop.HeldFor(&one) != nil || loop.HeldFor(&other) != &one {
			t.Error("one does not hold up the other")
		}
	}), workers.Normal)
	_, _ = loop.Run(func() bool { return false })
	if loop.HeldFor(&other) != nil {
		t.Error("one holds up the other when Run has returned")
	}
}

// Main runs entries until it is told that all is over, or its context has ended, and is free afterwards.
func TestMainLoop(t *testing.T) {
	s, _, end := site(t)
	defer end()
	m := hosts.NewMain[int](s, time.Now)
	if !m.Acquire() || m.Acquire() {
		t.Fatal("not one goroutine alone gets the loop")
	}
	over := make(chan struct{})
	m.Submit(node(func() { close(over) }), workers.Normal)
	if err := m.RunUntil(t.Context(), over); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(context.Canceled)
	m.Submit(node(func() {}), workers.Normal)
	<-m.Free()
	if err := m.RunUntil(ctx, nil); err != context.Canceled { //nolint:errorlint // It is that one.
		t.Errorf("RunUntil returned %v", err)
	}
	<-m.Free()
}
