//go:build modelcheck

package modelcheck_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/modelcheck"
	"github.com/troupe-go/troupe/internal/xatomic"
)

var errLost = errors.New("an update was lost")

// lostUpdate has threads that count in two steps.
func lostUpdate(p *modelcheck.Program) {
	var n xatomic.Int32
	for _, name := range []string{"a", "b"} {
		p.Go(name, func() { n.Store(n.Load() + 1) })
	}
	p.Finally(func() error {
		if n.Load() != 2 {
			return errLost
		}
		return nil
	})
}

func TestLostUpdateIsFoundAndExplained(t *testing.T) {
	for name, cfg := range map[string]modelcheck.Config{
		"exhaustive": {}, "one preemption": {Preemptions: 1}, "random": {Random: 1000},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := modelcheck.Explore(cfg, lostUpdate)
			var f *modelcheck.Failure
			if !errors.Is(err, errLost) || !errors.As(err, &f) {
				t.Fatalf("got %v, want a lost update", err)
			}
			trace := strings.Join(f.Trace, "\n")
			for _, want := range []string{"a: Load at modelcheck_test.go", "b: Store at modelcheck_test.go"} {
				if !strings.Contains(trace, want) {
					t.Errorf("the trace lacks %q:\n%s", want, trace)
				}
			}
		})
	}
}

func TestNoPreemptionNoLostUpdate(t *testing.T) {
	report, err := modelcheck.Explore(modelcheck.Config{Preemptions: -1}, lostUpdate)
	if err != nil || !report.Complete || report.Schedules != 2 {
		t.Fatalf("got %+v, %v; want the two schedules in which one goes after the other", report, err)
	}
}

func TestDeadlockIsFound(t *testing.T) {
	_, err := modelcheck.Explore(modelcheck.Config{}, func(p *modelcheck.Program) {
		var x, y xatomic.Mutex
		inside := 0
		lock := func(first, second *xatomic.Mutex) func() {
			return func() { first.Lock(); second.Lock(); inside++; second.Unlock(); first.Unlock() }
		}
		p.Go("a", lock(&x, &y))
		p.Go("b", lock(&y, &x))
	})
	if err == nil || !strings.Contains(err.Error(), "deadlock: a, b wait for ever") {
		t.Fatalf("got %v, want a deadlock of a and b", err)
	}
}

func TestLivelockIsFound(t *testing.T) {
	_, err := modelcheck.Explore(modelcheck.Config{MaxSteps: 50}, func(p *modelcheck.Program) {
		var never xatomic.Bool
		p.Go("a", func() {
			for !never.Load() {
			}
		})
	})
	if err == nil || !strings.Contains(err.Error(), "livelock") {
		t.Fatalf("got %v, want a livelock", err)
	}
}

func TestPanicIsFound(t *testing.T) {
	_, err := modelcheck.Explore(modelcheck.Config{}, func(p *modelcheck.Program) {
		p.Go("a", func() { panic("oops") })
	})
	if err == nil || !strings.Contains(err.Error(), "thread a: panic: oops") {
		t.Fatalf("got %v, want the panic of a", err)
	}
}

// TestSleepSetsLoseNothing compares the final states that are reached with and
// without sleep sets, in programs that are made from a number.
func TestSleepSetsLoseNothing(t *testing.T) {
	const everything = 1 << 20 // A bound on preemptions so large that it bounds nothing, and no sleep sets.
	for shape := range 300 {
		final := func(cfg modelcheck.Config) (map[string]bool, modelcheck.Report) {
			states := map[string]bool{}
			report, err := modelcheck.Explore(cfg, func(p *modelcheck.Program) {
				var cells [2]xatomic.Int64
				var seen [3]int64
				for thread := range 2 + shape%2 {
					p.Go(fmt.Sprint(thread), func() {
						for step := range 3 - shape%2 {
							cell := &cells[shape>>(thread+step)&1]
							if shape>>(2*thread+step)%3 == 0 {
								seen[thread] = seen[thread]*10 + cell.Load()
							} else {
								cell.Store(cell.Load()*3 + int64(thread))
							}
						}
					})
				}
				p.Finally(func() error {
					states[fmt.Sprint(cells[0].Load(), cells[1].Load(), seen)] = true
					return nil
				})
			})
			if err != nil || !report.Complete {
				t.Fatalf("program %d: %+v, %v", shape, report, err)
			}
			return states, report
		}
		if shape%2 == 1 && shape > 12 {
			continue // Three threads take long without sleep sets.
		}
		all, full := final(modelcheck.Config{Preemptions: everything})
		reduced, report := final(modelcheck.Config{})
		if !maps.Equal(all, reduced) {
			t.Fatalf("program %d: %d schedules reach %d states, %d with sleep sets reach %d",
				shape, full.Schedules, len(all), report.Schedules, len(reduced))
		}
	}
}

func TestIndependentThreadsRunOnce(t *testing.T) {
	report, err := modelcheck.Explore(modelcheck.Config{}, func(p *modelcheck.Program) {
		var cells [3]xatomic.Int32
		for i := range cells {
			p.Go(fmt.Sprint(i), func() { cells[i].Store(1); cells[i].Store(2) })
		}
	})
	if got := report.Schedules - report.Pruned; err != nil || got != 1 {
		t.Fatalf("%d schedules ran to their end (%+v, %v), want 1", got, report, err)
	}
}

// An operation that does not go through the seam is announced; then both orders
// are run, though nothing else tells that they differ.
func TestOperationOutsideTheSeamConflictsWithAll(t *testing.T) {
	seen := map[bool]bool{}
	_, err := modelcheck.Explore(modelcheck.Config{}, func(p *modelcheck.Program) {
		var n xatomic.Int32
		ctx, cancel := context.WithCancel(context.Background())
		p.Go("a", func() {
			n.Store(1)
			seen[ctx.Err() != nil] = true
		})
		p.Go("b", func() { modelcheck.Outside(); cancel() })
	})
	if err != nil || len(seen) != 2 {
		t.Fatalf("a saw %v, %v; want that b was before and after it", seen, err)
	}
}

// The end of a context lets a thread go on that waits for it or for a token.
func TestSignalIsAwaitedUntilTheContextEnds(t *testing.T) {
	got := map[bool]int{}
	_, err := modelcheck.Explore(modelcheck.Config{}, func(p *modelcheck.Program) {
		s := xatomic.NewSignal()
		ctx, cancel := context.WithCancel(context.Background())
		p.Go("waits", func() { got[s.Await(ctx.Done())]++ })
		p.Go("offers", func() { s.Offer() })
		p.Go("cancels", func() { modelcheck.Outside(); cancel() })
	})
	if err != nil || got[true] == 0 || got[false] == 0 {
		t.Fatalf("Await returned %v, %v; want both true and false", got, err)
	}
}

// A thread that recovers from panics, as code does that contains its users' panics, does not
// go on when its run is over.
func TestRunIsOverForThreadsThatRecover(t *testing.T) {
	wentOn := false
	_, err := modelcheck.Explore(modelcheck.Config{}, func(p *modelcheck.Program) {
		var n xatomic.Int32
		p.Go("recovers", func() {
			func() {
				defer func() { _ = recover() }()
				n.Await(func(n int32) bool { return n != 0 })
			}()
			n.Load()
			wentOn = true
		})
		p.Go("fails", func() { n.Load(); panic("oops") })
	})
	if err == nil || wentOn {
		t.Fatalf("got %v; the other thread went on: %t", err, wentOn)
	}
}

func TestNondeterminismIsNoticed(t *testing.T) {
	runs := 0
	_, err := modelcheck.Explore(modelcheck.Config{}, func(p *modelcheck.Program) {
		var n xatomic.Int32
		runs++
		odd := runs%2 == 1
		p.Go("a", func() {
			n.Load()
			if odd {
				n.Store(1)
			}
			n.Load()
		})
		p.Go("b", func() { n.Store(2) })
	})
	if err == nil || !strings.Contains(err.Error(), "depends on something else than its schedule") {
		t.Fatalf("got %v, want a complaint about chance", err)
	}
}
