package coro_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/internal/coro"
	"github.com/troupe-go/troupe/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestResumeAndYieldAlternate(t *testing.T) {
	var got []string
	c := coro.New(func(c *coro.Coro) {
		got = append(got, "a")
		c.Yield()
		got = append(got, "b")
	})
	if !c.Resume() {
		t.Fatal("the coroutine ended at its yield")
	}
	got = append(got, "-")
	if c.Resume() {
		t.Fatal("the coroutine outlived its body")
	}
	if want := []string{"a", "-", "b"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestAnyGoroutineMayResume(t *testing.T) {
	sum := 0
	c := coro.New(func(c *coro.Coro) {
		for c.Yield() {
			sum++
		}
	})
	for range 100 {
		done := make(chan struct{})
		go func() { c.Resume(); close(done) }()
		<-done
	}
	c.Stop()
	if sum != 99 {
		t.Fatalf("the body went round %d times, want 99", sum)
	}
}

func TestStopUnwindsBody(t *testing.T) {
	unwound := false
	c := coro.New(func(c *coro.Coro) {
		defer func() { unwound = true }()
		for c.Yield() {
		}
	})
	c.Resume()
	c.Stop()
	if !unwound {
		t.Fatal("Stop returned before the body had")
	}
	coro.New(func(*coro.Coro) { t.Error("a stopped coroutine began") }).Stop()
}

// TestStoppedBodyCannotYield has a body that goes on to yield while it unwinds.
func TestStoppedBodyCannotYield(t *testing.T) {
	var told []bool
	c := coro.New(func(c *coro.Coro) {
		told = append(told, c.Yield(), c.Yield())
	})
	c.Resume()
	c.Stop()
	if want := []bool{false, false}; !slices.Equal(told, want) {
		t.Errorf("its yields said %v, want %v", told, want)
	}
	if c.Resume() {
		t.Error("it was resumed after its end")
	}
	c.Stop()
}

// record is what a coroutine lies in.
type record struct {
	co   coro.Coro
	seen []string
}

func (r *record) main(yield func(struct{}) bool) {
	if !r.co.Begin(yield) {
		r.seen = append(r.seen, "stopped")
		return
	}
	r.seen = append(r.seen, "begun")
	r.co.Yield()
	r.seen = append(r.seen, "ended")
}

func TestCoroutineInARecord(t *testing.T) {
	var one, two record
	one.co.Init(one.main)
	two.co.Init(two.main)
	if two.co.Stop(); len(two.seen) > 1 || len(two.seen) == 1 && two.seen[0] != "stopped" {
		t.Errorf("a stopped coroutine did %v", two.seen)
	}
	if !one.co.Resume() || one.co.Resume() {
		t.Error("it did not end at its second turn")
	}
	if want := []string{"begun", "ended"}; !slices.Equal(one.seen, want) {
		t.Errorf("it did %v, want %v", one.seen, want)
	}
}

func TestGoexitReachesResumer(t *testing.T) {
	c := coro.New(func(*coro.Coro) { runtime.Goexit() })
	returned := false
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Resume()
		returned = true
	}()
	<-done
	if returned {
		t.Fatal("Resume returned although the body called Goexit")
	}
}

func BenchmarkSwitch(b *testing.B) {
	b.ReportAllocs()
	c := coro.New(func(c *coro.Coro) {
		for c.Yield() {
		}
	})
	for b.Loop() {
		c.Resume()
	}
	c.Stop()
}
