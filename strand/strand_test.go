package strand_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

func TestEndsOfStrandsAreReported(t *testing.T) {
	ctx := guarded(t)
	sc := newScheduler(t, 2)
	for _, c := range []struct {
		name  string
		fn    func(s *strand.Strand) error
		check func(t *testing.T, err error)
	}{
		{"nil", func(*strand.Strand) error { return nil }, func(t *testing.T, err error) {
			if err != nil {
				t.Error(err)
			}
		}},
		{"error", func(*strand.Strand) error { return errBroken }, func(t *testing.T, err error) { is(t, err, errBroken) }},
		{"panic", func(s *strand.Strand) error { s.Yield(); panicHere(); return nil }, func(t *testing.T, err error) {
			var p *sched.PanicError
			if !errors.As(err, &p) || p.Value != "here" || !strings.Contains(string(p.Stack()), "panicHere") {
				t.Errorf("the error is %v, want a panic with its stack", err)
			}
		}},
		{"goexit", func(s *strand.Strand) error { s.Yield(); runtime.Goexit(); return nil }, func(t *testing.T, err error) { is(t, err, sched.ErrGoexit) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, ctx, c.fn, strand.On(sc))
			c.check(t, s.Join(ctx))
			c.check(t, s.Join(ctx)) // And again.
		})
	}
}

// TestAStrandIsSmall keeps it in the size class of the heap that is told in docs/strands.md.
func TestAStrandIsSmall(t *testing.T) {
	if strand.Size > 112 {
		t.Errorf("a strand's record takes %d bytes, which is more than 112", strand.Size)
	}
}

func panicHere() { panic("here") }

// TestStrandsOutliveTheirStarters has a strand end, and be cancelled, before one
// that it has started, and another that was given a context derived from it.
func TestStrandsOutliveTheirStarters(t *testing.T) {
	ctx := guarded(t)
	sc := newScheduler(t, 1)
	var equal, below *strand.Strand
	above := start(t, ctx, func(s *strand.Strand) (err error) {
		if equal, err = strand.Go(s, (*strand.Strand).Park); err != nil {
			return err
		}
		derived, cancel := context.WithCancel(s)
		context.AfterFunc(s, cancel)
		below, err = strand.Go(derived, (*strand.Strand).Park)
		return err
	}, strand.On(sc))
	join(t, ctx, above)
	is(t, below.Join(ctx), context.Canceled)
	above.Cancel(errBroken)
	if equal.Err() != nil {
		t.Error("a strand was cancelled with the one that has started it")
	}
	equal.Unpark(ctx)
	join(t, ctx, equal)
}

func TestContextEndsWithItsCause(t *testing.T) {
	ctx := guarded(t)
	sc := newScheduler(t, 1)
	for _, above := range []bool{false, true} {
		outer, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		var inner error
		waits := make(chan struct{})
		s := start(t, outer, func(s *strand.Strand) error {
			close(waits)
			err := s.Park()
			inner = context.Cause(s)
			return err
		}, strand.On(sc))
		<-waits
		if above {
			cancel(errBroken)
		} else {
			s.Cancel(errBroken)
		}
		is(t, s.Join(ctx), errBroken)
		is(t, inner, errBroken)
	}
}

func TestCancelledBeforeItBegins(t *testing.T) {
	ctx := guarded(t)
	sc := newScheduler(t, 1)
	gate := make(chan struct{})
	holds := start(t, ctx, func(*strand.Strand) error { <-gate; return nil }, strand.On(sc))
	s := start(t, ctx, func(*strand.Strand) error { t.Error("it ran"); return nil }, strand.On(sc))
	if got := s.Value(workers.FrameKey{}); got != nil {
		t.Errorf("a strand that has not begun is on a fiber: %v", got)
	}
	if !s.Cancel(errBroken) {
		t.Error("it was said to have ended")
	}
	if got := s.Value(workers.FrameKey{}); got != nil {
		t.Errorf("a strand that was cancelled before it began is on a fiber: %v", got)
	}
	close(gate)
	is(t, s.Join(ctx), errBroken, context.Canceled)
	join(t, ctx, holds)
}

func TestMisuseIsReported(t *testing.T) {
	ctx := guarded(t)
	sc := newScheduler(t, 1)
	nothing := func(*strand.Strand) error { return nil }
	for name, try := range map[string]func() error{
		"strand: the context is nil": func() error {
			_, err := strand.Go(nil, nothing) //nolint:staticcheck // That is the mistake.
			return err
		},
		"strand: the function is nil":                                   func() error { _, err := strand.Go(ctx, nil); return err },
		"strand: no scheduler":                                          func() error { _, err := strand.Go(ctx, nothing); return err },
		"strand: On was given a nil scheduler; make one with sched.New": func() error { _, err := strand.Go(ctx, nothing, strand.On(nil)); return err },
		"strand: option 0 is nil":                                       func() error { _, err := strand.Go(ctx, nothing, nil); return err },
		"strand: unknown priority 9":                                    func() error { _, err := strand.Go(ctx, nothing, strand.Priority(9)); return err },
		"strand: only the strand":                                       func() error { return start(t, ctx, nothing, strand.On(sc)).Park() },
		"sched: the handle is of no":                                    func() error { return (*strand.Strand)(nil).Join(ctx) },
		"strand: the channel is nil":                                    func() error { return (*strand.Chan[int])(nil).Send(ctx, 1) },
		"strand: Select was given no":                                   func() error { _, err := strand.Select(ctx); return err },
		"strand: Select was given a":                                    func() error { _, err := strand.Select(ctx, nil); return err },
		"strand: Unlock of a mutex":                                     func() error { return new(strand.Mutex).Unlock(ctx) },
		"strand: the counter of the":                                    func() error { return new(strand.WaitGroup).Done(ctx) },
		"sched: the work waits for its":                                 func() error { return selfJoin(t, ctx, sc) },
	} {
		if err := try(); err == nil || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("the error is %v, want %s...", err, name)
		}
	}
}

func selfJoin(t *testing.T, ctx context.Context, sc *sched.Scheduler) (err error) {
	join(t, ctx, start(t, ctx, func(s *strand.Strand) error {
		err = s.Join(s)
		return nil
	}, strand.On(sc)))
	return err
}

func TestStoppedSchedulerTakesNone(t *testing.T) {
	ctx := guarded(t)
	sc := newScheduler(t, 1)
	if err := sc.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	_, err := strand.Go(ctx, func(*strand.Strand) error { return nil }, strand.On(sc))
	is(t, err, sched.ErrStopped)
}

func TestCurrent(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		derived, cancel := context.WithCancel(s)
		defer cancel()
		if strand.Current(s) != s || strand.Current(derived) != s {
			t.Error("the strand does not know itself")
		}
		elsewhere := make(chan *strand.Strand)
		go func() { elsewhere <- strand.Current(s) }()
		if <-elsewhere != nil {
			t.Error("a goroutine takes itself for the strand that has started it")
		}
		var other *strand.Strand
		other, err := strand.Go(s, func(*strand.Strand) error { return nil })
		if err != nil {
			return err
		}
		if err := other.Join(s); err != nil {
			return err
		}
		if err := other.Park(); !errors.Is(err, strand.ErrNotRunning) {
			t.Errorf("a strand that has ended parks: %v", err)
		}
		return nil
	})
}

// TestDeepRecursion grows a stack to some 100 MB, and sees it shrink again while
// the strand waits.
func TestDeepRecursion(t *testing.T) {
	lane.Check(t)
	const depth = 400_000
	run(t, 1, func(s *strand.Strand) error {
		if got := recurse(depth); got != depth {
			t.Errorf("the recursion returned %d, want %d", got, depth)
		}
		for range 20 { // A collection halves a stack.
			s.Yield()
			runtime.GC()
		}
		var m runtime.MemStats
		if runtime.ReadMemStats(&m); m.StackInuse > 16<<20 {
			t.Errorf("the stacks have %d bytes", m.StackInuse)
		}
		return nil
	})
}

//go:noinline
func recurse(n int) int {
	var frame [160]byte
	if n == 0 {
		return int(frame[0])
	}
	frame[n%len(frame)] = 1
	return recurse(n-1) + int(frame[n%len(frame)])
}

func TestPriorities(t *testing.T) {
	var order []string
	run(t, 1, func(s *strand.Strand) error {
		var all strand.WaitGroup
		for _, p := range []sched.Priority{sched.Low, sched.Normal, sched.High} {
			for i := range 2 {
				if _, err := all.Go(s, func(s *strand.Strand) error {
					for range 2 {
						order = append(order, fmt.Sprintf("%v%d", s.Priority(), i))
						s.Yield()
					}
					return nil
				}, strand.Priority(p)); err != nil {
					return err
				}
			}
		}
		return all.Wait(s)
	})
	want := "[high0 high1 high0 high1 normal0 normal1 normal0 normal1 low0 low1 low0 low1]"
	if got := fmt.Sprint(order); got != want {
		t.Errorf("the order is %s,\nwant %s", got, want)
	}
}

func TestLocals(t *testing.T) {
	var user strand.Local[string]
	var count strand.Local[int]
	run(t, 1, func(s *strand.Strand) error {
		var all strand.WaitGroup
		for _, name := range []string{"ann", "bob"} {
			if _, err := all.Go(s, func(s *strand.Strand) error {
				if _, ok := user.Get(s); ok {
					t.Error("the variable is set from the beginning")
				}
				_ = user.Set(s, "somebody")
				_ = user.Set(s, name)
				_ = count.Set(s, 3)
				s.Yield()
				if got, ok := user.Get(s); got != name || !ok {
					t.Errorf("the variable of %s is %q", name, got)
				}
				return nil
			}); err != nil {
				return err
			}
		}
		if err := all.Wait(s); err != nil {
			return err
		}
		_, ok := user.Get(s)
		if ok {
			t.Error("the variable of one strand is another's")
		}
		return nil
	})
}

func TestCall(t *testing.T) {
	ctx := guarded(t)
	sc := newScheduler(t, 1)
	r, err := strand.Call(ctx, func(s *strand.Strand) (int, error) { s.Yield(); return 42, nil }, strand.On(sc), strand.Name("deep thought"))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := r.Join(ctx); v != 42 || err != nil || r.String() != "deep thought" {
		t.Errorf("%v returned %d, %v", r, v, err)
	}
	r, err = strand.Call(ctx, func(s *strand.Strand) (int, error) { return 42, errBroken }, strand.On(sc))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := r.Join(ctx); v != 0 || !errors.Is(err, errBroken) {
		t.Errorf("it returned %d, %v", v, err)
	}
}

// beyond is the variable that makes the test binary one that recurses without end.
const beyond = "TROUPE_TEST_BEYOND_THE_STACK"

// TestBeyondTheStackLimit is what the documentation says: the process ends, as with
// any goroutine, and says why.
func TestBeyondTheStackLimit(t *testing.T) {
	if os.Getenv(beyond) != "" {
		debug.SetMaxStack(1 << 20)
		run(t, 1, func(*strand.Strand) error { recurse(math.MaxInt); return nil })
		return
	}
	cmd := exec.CommandContext(guarded(t), os.Args[0], "-test.run=^TestBeyondTheStackLimit$")
	cmd.Env = append(os.Environ(), beyond+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "stack overflow") {
		t.Errorf("it ended with %v and said %.300s", err, out)
	}
}
