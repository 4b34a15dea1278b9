package leak_test

import (
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// tests is what testing.M is for Run.
type tests func() (code int)

func (f tests) Run() int { return f() }

// stay begins a goroutine that ends when end is closed, and returns once it runs.
func stay(end <-chan struct{}) {
	begun := make(chan struct{})
	go stayed(begun, end)
	<-begun
}

func stayed(begun chan<- struct{}, end <-chan struct{}) {
	close(begun)
	<-end
}

func TestALeakIsReported(t *testing.T) {
	end := make(chan struct{})
	defer close(end)
	var out strings.Builder
	code := leak.Run(tests(func() int { stay(end); return 0 }), &out, 0)
	if code != 1 || !strings.Contains(out.String(), "leak_test.stayed") {
		t.Errorf("status %d, want 1 and the stack of stayed:\n%s", code, &out)
	}
}

func TestAGoroutineThatWasThereBeforeIsNoLeak(t *testing.T) {
	end := make(chan struct{})
	defer close(end)
	stay(end)
	var out strings.Builder
	if code := leak.Run(tests(func() int { return 0 }), &out, 0); code != 0 {
		t.Errorf("status %d, want 0:\n%s", code, &out)
	}
}

// The goroutine ends after the first look.
func TestAGoroutineThatEndsSoonIsNoLeak(t *testing.T) {
	end := make(chan struct{})
	var out strings.Builder
	code := leak.Run(tests(func() int {
		stay(end)
		time.AfterFunc(20*time.Millisecond, func() { close(end) })
		return 0
	}), &out, time.Hour)
	if code != 0 {
		t.Errorf("status %d, want 0:\n%s", code, &out)
	}
}

func TestFailedTestsKeepTheirStatus(t *testing.T) {
	end := make(chan struct{})
	defer close(end)
	var out strings.Builder
	code := leak.Run(tests(func() int { stay(end); return 2 }), &out, 0)
	if code != 2 || out.Len() != 0 {
		t.Errorf("status %d, want 2 and no report:\n%s", code, &out)
	}
}

func TestTheGoroutineOfSignalsIsNoLeak(t *testing.T) {
	var out strings.Builder
	code := leak.Run(tests(func() int {
		c := make(chan os.Signal, 1)
		signal.Notify(c, os.Interrupt)
		signal.Stop(c)
		return 0
	}), &out, 0)
	if code != 0 {
		t.Errorf("status %d, want 0:\n%s", code, &out)
	}
}

func TestManyGoroutinesAreReadToTheLast(t *testing.T) {
	end := make(chan struct{})
	defer close(end)
	const many = 1000
	var out strings.Builder
	leak.Run(tests(func() int {
		for range many {
			stay(end)
		}
		return 0
	}), &out, 0)
	if n := strings.Count(out.String(), "leak_test.stayed("); n != many {
		t.Errorf("%d goroutines are reported, want %d", n, many)
	}
}

// failing is a test that notes its failure instead of having one.
type failing struct {
	testing.TB
	cleanup  func()
	failures int
}

func (f *failing) Helper()               {}
func (f *failing) Cleanup(fn func())     { f.cleanup = fn }
func (f *failing) Errorf(string, ...any) { f.failures++ }

func TestCheckFailsATestThatLeaks(t *testing.T) {
	end := make(chan struct{})
	defer close(end)
	for leaks, want := range map[bool]int{false: 0, true: 1} {
		f := &failing{TB: t}
		leak.CheckWithin(f, 0)
		if leaks {
			stay(end)
		}
		f.cleanup()
		if f.failures != want {
			t.Errorf("a test that leaks: %t; it has %d failures, want %d", leaks, f.failures, want)
		}
	}
}
