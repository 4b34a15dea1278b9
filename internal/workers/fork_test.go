package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/gid"
	"github.com/troupe-go/troupe/internal/workers"
)

func fib(ctx context.Context, n int) int {
	if n < 2 {
		return n
	}
	x, y := workers.Join(ctx, fib, n-1, n-2)
	return x + y
}

func TestJoin(t *testing.T) {
	for _, width := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			ctx := guarded(t)
			s := newScheduler(t, workers.Config{Workers: width})
			var jobs []*workers.Job
			for range 3 {
				jobs = append(jobs, start(t, ctx, s, func(ctx context.Context) error {
					if got := fib(ctx, 18); got != 2584 {
						return fmt.Errorf("fib(18) = %d", got)
					}
					return nil
				}))
			}
			finish(t, ctx, jobs...)
		})
	}
}

// call is a branch as the tests want it: it says which, and what it shall do.
func call(_ context.Context, do func() string) string { return do() }

func TestJoinElsewhereIsSequential(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{})
	check := func(ctx context.Context) error {
		var order []string // Not guarded, as nothing is concurrent.
		note := func(name string) func() string {
			return func() string {
				order = append(order, name)
				return name
			}
		}
		x, y := workers.Join(ctx, call, note("a"), note("b"))
		if got := x + y + strings.Join(order, ""); got != "abab" {
			return fmt.Errorf("results and order are %q", got)
		}
		return nil
	}
	if err := check(ctx); err != nil {
		t.Error("with a context that knows no job:", err)
	}
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		result := make(chan error)
		go func() { result <- check(ctx) }()
		return <-result
	}))
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		inner := func(ctx context.Context, _ int) error {
			result := make(chan error)
			go func() { result <- check(ctx) }() // With the context of a branch.
			return <-result
		}
		x, y := workers.Join(ctx, inner, 0, 0)
		return errors.Join(x, y)
	}))
}

// joinStolen joins two calls. The first, a, does not go on before b has begun, so b must have
// been stolen.
func joinStolen(ctx context.Context, a, b func() string) (string, string) {
	begun := make(chan struct{})
	return workers.Join(ctx, call,
		func() string { <-begun; return a() },
		func() string { close(begun); return b() })
}

func TestJoinStolen(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	for range 200 {
		finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
			x, y := joinStolen(ctx, func() string { return "x" }, func() string { return "y" })
			if x+y != "xy" {
				return fmt.Errorf("%q and %q", x, y)
			}
			return nil
		}))
	}
}

// A branch that runs elsewhere has a context of its own, with which it can wait
// and fork.
func TestStolenBranchWaits(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		begun := make(chan struct{})
		work := func(ctx context.Context, i int) error {
			if i == 1 {
				close(begun)
			}
			<-begun
			if workers.Current(ctx) == nil {
				return errors.New("the context leads to no fiber")
			}
			j, err := s.Go(ctx, func(context.Context) error { return nil })
			if err != nil {
				return err
			}
			if got := fib(ctx, 10); got != 55 {
				return fmt.Errorf("fib(10) = %d", got)
			}
			return j.Wait(ctx)
		}
		x, y := workers.Join(ctx, work, 0, 1)
		return errors.Join(x, y)
	}))
}

var errBranch = errors.New("told to fail")

func TestJoinPanics(t *testing.T) {
	ok := func() string { return "ok" }
	fails := func() string { panic(errBranch) }
	plain := func(ctx context.Context, a, b func() string) (string, string) { return workers.Join(ctx, call, a, b) }
	for _, tc := range []struct {
		name    string
		workers int
		join    func(ctx context.Context, a, b func() string) (string, string)
		a, b    func() string
	}{
		{"first", 1, plain, fails, ok},
		{"second, in place", 1, plain, ok, fails},
		{"first, the second being elsewhere", 2, joinStolen, fails, ok},
		{"second, elsewhere", 2, joinStolen, ok, fails},
		{"both", 2, joinStolen, fails, fails},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx := guarded(t)
			s := newScheduler(t, workers.Config{Workers: tc.workers})
			err := start(t, ctx, s, func(ctx context.Context) error {
				tc.join(ctx, tc.a, tc.b)
				return errors.New("the Join returned")
			}).Wait(ctx)
			var p *workers.PanicError
			if !errors.As(err, &p) || !errors.Is(err, errBranch) {
				t.Fatalf("the job's error is %v", err)
			}
			if p.Value != any(errBranch) || !strings.Contains(string(p.Stack()), "TestJoinPanics") {
				t.Errorf("panic value %v, stack %s", p.Value, p.Stack())
			}
			finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
				if got := fib(ctx, 12); got != 144 {
					return fmt.Errorf("fib(12) = %d afterwards", got)
				}
				return nil
			}))
		})
	}
}

// A branch that nobody has begun when its sibling panics never runs.
func TestJoinDropsBranchAfterPanic(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1})
	ran := false
	err := start(t, ctx, s, func(ctx context.Context) error {
		workers.Join(ctx, call, func() string { panic(errBranch) }, func() string { ran = true; return "" })
		return nil
	}).Wait(ctx)
	if !errors.Is(err, errBranch) || ran {
		t.Errorf("error %v, the other branch ran: %t", err, ran)
	}
}

// A panic waits for what has begun: nothing of a job runs on after its end.
func TestJoinWaitsBeforePanic(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	var ended atomic.Bool
	panicking := make(chan struct{})
	err := start(t, ctx, s, func(ctx context.Context) error {
		joinStolen(ctx,
			func() string { close(panicking); panic(errBranch) },
			func() string { <-panicking; runtime.Gosched(); ended.Store(true); return "" })
		return nil
	}).Wait(ctx)
	if !errors.Is(err, errBranch) || !ended.Load() {
		t.Errorf("error %v, the other branch had ended: %t", err, ended.Load())
	}
}

func TestJoinGoexit(t *testing.T) {
	exits := func() string { runtime.Goexit(); return "" }
	ok := func() string { return "ok" }
	for name, calls := range map[string][2]func() string{"first": {exits, ok}, "elsewhere": {ok, exits}} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			s := newScheduler(t, workers.Config{Workers: 2})
			err := start(t, ctx, s, func(ctx context.Context) error {
				joinStolen(ctx, calls[0], calls[1])
				return errors.New("the Join returned")
			}).Wait(ctx)
			if !errors.Is(err, workers.ErrGoexit) {
				t.Fatalf("the job's error is %v", err)
			}
			finish(t, ctx, start(t, ctx, s, func(context.Context) error { return nil }))
		})
	}
}

// Recursion may be deeper than any queue.
func TestJoinDeep(t *testing.T) {
	deep := 10_000
	if gid.ByStack {
		deep = 1_000 // Each Join goes through the stack of all.
	}
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2, QueueCapacity: 4})
	var leaves atomic.Int64
	var spine func(ctx context.Context, depth int) int
	spine = func(ctx context.Context, depth int) int {
		if depth <= 0 {
			leaves.Add(1)
			return 1
		}
		x, y := workers.Join(ctx, spine, depth-1, 0)
		return x + y
	}
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		if got := spine(ctx, deep); got != deep+1 {
			return fmt.Errorf("%d leaves were summed up", got)
		}
		return nil
	}))
	if leaves.Load() != int64(deep+1) {
		t.Errorf("%d leaves ran", leaves.Load())
	}
}

// Branches of many types, more than a worker keeps lists for.
func TestJoinManyTypes(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2})
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		for range 50 {
			sum := twice[int8](ctx) + twice[int16](ctx) + twice[int32](ctx) + twice[int64](ctx) +
				twice[uint8](ctx) + twice[uint16](ctx) + twice[float32](ctx)
			if sum != 14 {
				return fmt.Errorf("the sum is %d", sum)
			}
		}
		return nil
	}))
}

func twice[T int8 | int16 | int32 | int64 | uint8 | uint16 | float32](ctx context.Context) int {
	x, y := workers.Join(ctx, func(_ context.Context, v T) T { return v }, 1, 1)
	return int(x + y)
}

// A forced stop gives up jobs that have not begun, not parts of one that has.
func TestForcedStopEndsForks(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	begun, goOn := make(chan struct{}), make(chan struct{})
	job := start(t, ctx, s, func(ctx context.Context) error {
		wait := func(ctx context.Context, i int) int {
			if i == 0 {
				close(begun)
				<-goOn
				workers.Current(ctx).Yield(workers.Low) // The other call is offered to thieves.
			}
			return i
		}
		if x, y := workers.Join(ctx, wait, 0, 1); x != 0 || y != 1 {
			return fmt.Errorf("results %d and %d", x, y)
		}
		return nil
	})
	other := start(t, ctx, s, func(context.Context) error { return nil }, workers.WithPriority(workers.Low))
	receive(t, ctx, "the beginning of the job", begun)
	if err := s.Stop(expired()); err == nil {
		t.Error("Stop did not give up")
	}
	close(goOn)
	finish(t, ctx, job)
	if err := other.Wait(ctx); !errors.Is(err, workers.ErrStopped) {
		t.Errorf("the job that had not begun ended with %v", err)
	}
}

// A forked tree with random waits in it gives the sum of its leaves, each of
// which runs once.
type forkedTree struct {
	s       *workers.Scheduler
	numbers []int // The action of each node, by its place.
	runs    []atomic.Int32
}

func (g *forkedTree) grow(ctx context.Context, at int) int {
	g.runs[at].Add(1)
	f := workers.Current(ctx)
	switch g.numbers[at] {
	case 1:
		f.Yield(workers.Low)
	case 2:
		f.Checkpoint()
	case 3:
		if j, err := g.s.Go(ctx, func(context.Context) error { return nil }); err == nil {
			_ = j.Wait(ctx)
		}
	case 4:
		go f.Resume(nil, workers.Normal)
		f.Suspend()
	case 5:
		runtime.Gosched()
	}
	sum := at
	if 2*at+2 < len(g.numbers) {
		x, y := workers.Join(ctx, g.grow, 2*at+1, 2*at+2)
		sum += x + y
	}
	return sum
}

func TestForkProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := guarded(rt)
		s := newScheduler(t, workers.Config{Workers: rapid.IntRange(1, 4).Draw(rt, "workers")})
		defer func() { _ = s.Stop(ctx) }()
		n := 1<<rapid.IntRange(1, 9).Draw(rt, "depth") - 1
		g := &forkedTree{
			s:       s,
			numbers: rapid.SliceOfN(rapid.IntRange(0, 12), n, n).Draw(rt, "does"),
			runs:    make([]atomic.Int32, n),
		}
		err := start(t, ctx, s, func(ctx context.Context) error {
			if got := g.grow(ctx, 0); got != n*(n-1)/2 {
				return fmt.Errorf("the sum is %d, not %d", got, n*(n-1)/2)
			}
			return nil
		}).Wait(ctx)
		if err != nil {
			rt.Fatal(err)
		}
		for i := range g.runs {
			if runs := g.runs[i].Load(); runs != 1 {
				rt.Fatalf("node %d ran %d times", i, runs)
			}
		}
	})
}

// A fork that nobody steals allocates nothing.
func TestForkAllocations(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1}) // A spare worker would steal.
	finish(t, ctx, start(t, ctx, s, func(ctx context.Context) error {
		fib(ctx, 15)
		if n := testing.AllocsPerRun(20, func() { fib(ctx, 15) }); n > 20 { // One is the outermost Join's.
			return fmt.Errorf("986 forks allocate %v times", n)
		}
		return nil
	}))
}
