package coro_test

import (
	"runtime"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/internal/coro"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
