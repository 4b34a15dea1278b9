package simtest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
)

type get struct{ reply actor.Reply[int] }

// counter answers with how often it was asked.
func counter(s *simtest.Sim, sys *actor.System) actor.Ref[get] {
	n := 0
	return spawn(s, sys, "counter", func(ctx *actor.Context[get], m get) error {
		n++
		return m.reply.Send(ctx, n)
	})
}

func count(r actor.Reply[int]) get { return get{r} }

// find looks for a failure, and expects one that has all of want in it.
func find(t *testing.T, cfg simtest.Config, body func(*simtest.Sim), want ...string) *simtest.Failure {
	t.Helper()
	f, err := simtest.Find(t, cfg, body)
	if err != nil {
		t.Fatal(err)
	}
	if f == nil {
		t.Fatal("no failure was found")
	}
	for _, w := range want {
		if !strings.Contains(f.String(), w) {
			t.Fatalf("the failure lacks %q: %v", w, f)
		}
	}
	return f
}

func TestRunPasses(t *testing.T) {
	runs := 0
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		runs++
		c := counter(s, s.System(actor.Config{}))
		for i := range 3 {
			if got := ask(bg, s, c, count); got != i+1 {
				s.Errorf("answer %d is %d", i+1, got)
			}
		}
	})
	if runs < 20 {
		t.Errorf("the body was called %d times", runs)
	}
}

// A program may make its own system, and stop it.
func TestRunUnchangedProgram(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sys, err := actor.NewSystem(actor.Config{Workers: 3})
		if err != nil {
			s.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(bg, time.Minute)
		defer cancel()
		ask(ctx, s, counter(s, sys), count)
		if err := sys.Stop(ctx); err != nil {
			s.Error(err)
		}
	})
}

// Schedules differ: two messages are seen in both orders.
func TestRunExplores(t *testing.T) {
	for _, strategy := range []simtest.Strategy{simtest.Mixed, simtest.Random, simtest.PCT, simtest.Exhaustive} {
		t.Run(strategy.String(), func(t *testing.T) {
			seen := map[string]bool{}
			simtest.Run(t, simtest.Config{Strategy: strategy}, func(s *simtest.Sim) {
				order := ""
				sys := s.System(actor.Config{})
				note := func(ctx *actor.Context[int], _ int) error { order += ctx.Name(); return nil }
				a, b, c := spawn(s, sys, "a", note), spawn(s, sys, "b", note), spawn(s, sys, "c", note)
				_, _, _ = a.Send(bg, 1), b.Send(bg, 1), c.Send(bg, 1)
				s.RunUntilIdle()
				seen[order] = true
			})
			if len(seen) != 6 {
				t.Errorf("of 6 orders, %d were seen: %v", len(seen), seen)
			}
		})
	}
}

// An exhaustive search ends when there are no more schedules.
func TestExhaustiveEnds(t *testing.T) {
	runs := 0
	simtest.Run(t, simtest.Config{Strategy: simtest.Exhaustive, Schedules: 1000}, func(s *simtest.Sim) {
		runs++
		sc := s.Scheduler(sched.Config{})
		_, err := sc.Go(bg, func(ctx context.Context) error {
			for range 3 {
				if _, err := sc.Go(ctx, func(context.Context) error { return nil }); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			s.Error(err)
		}
		s.RunUntilIdle()
	})
	// Six orders, and the body waits its turn or not.
	if runs != 12 {
		t.Errorf("%d schedules of three jobs", runs)
	}
}

func TestFailures(t *testing.T) {
	lane.Short(t)
	for _, tc := range []struct {
		name string
		body func(s *simtest.Sim)
		want []string
	}{
		{"error", func(s *simtest.Sim) { s.Errorf("one: %d", 1); s.Error("two") }, []string{"one: 1", "two"}},
		{"fatal", func(s *simtest.Sim) { defer s.Error("after"); s.Fatalf("stop: %d", 1) }, []string{"stop: 1", "after"}},
		{"fail now", func(s *simtest.Sim) { s.FailNow() }, []string{"failed"}},
		{"panic", func(*simtest.Sim) { panic("oops") }, []string{"panic: oops", "run_test.go"}},
		{"cleanup", func(s *simtest.Sim) { s.Cleanup(func() { s.Error("late") }) }, []string{"late"}},
		{"panic in a cleanup", func(s *simtest.Sim) { s.Cleanup(func() { panic("late") }) }, []string{"panic: late"}},
		{"check", func(s *simtest.Sim) {
			n := 0
			sys := s.System(actor.Config{})
			a := spawn(s, sys, "a", func(*actor.Context[int], int) error { n++; return nil })
			s.Always(func() error {
				if n > 1 {
					return fmt.Errorf("n is %d", n)
				}
				return nil
			})
			_, _ = a.Send(bg, 1), a.Send(bg, 1)
			s.RunUntilIdle()
		}, []string{"n is 2", "handles"}},
		{"leaked system", func(s *simtest.Sim) {
			if _, err := actor.NewSystem(actor.Config{}); err != nil {
				s.Error(err)
			}
		}, []string{"leaked", "not stopped"}},
		{"leaked job", func(s *simtest.Sim) {
			sc, err := sched.New(sched.Config{})
			if err != nil {
				s.Fatal(err)
			}
			if _, err := sc.Go(bg, func(ctx context.Context) error { workers.Current(ctx).Suspend(); return nil }); err != nil {
				s.Error(err)
			}
			s.RunUntilIdle()
		}, []string{"leaked", "has not ended"}},
		{"goroutine", func(*simtest.Sim) { go func() { select {} }() }, []string{"goroutines that the program has started are blocked", "run_test.go"}},
		{"body blocked", func(*simtest.Sim) { select {} }, []string{"deadlock"}},
		{"handler blocked", func(s *simtest.Sim) {
			a := spawn(s, s.System(actor.Config{}), "stuck", func(*actor.Context[int], int) error { select {} })
			_ = a.Send(bg, 1)
			s.RunUntilIdle()
		}, []string{"deadlock: stuck<0.1> is blocked", "run_test.go"}},
		{"livelock", func(s *simtest.Sim) {
			a := spawn(s, s.System(actor.Config{}), "busy", func(ctx *actor.Context[int], n int) error {
				return ctx.Self().Send(ctx, n+1)
			})
			_ = a.Send(bg, 1)
			s.RunUntilIdle()
		}, []string{"livelock", "5000 steps", "handles  busy<0.1>"}},
		{"deadlock", func(s *simtest.Sim) {
			a := spawn(s, s.System(actor.Config{}), "silent", func(*actor.Context[get], get) error { return nil })
			ask(bg, s, a, count)
		}, []string{"deadlock"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			find(t, simtest.Config{Schedules: 1, Steps: 5000}, tc.body, tc.want...)
		})
	}
}

// Code that computes for ever, or blocks where a bubble can't tell, is named within a second
// or so.
func TestStuckInRealTime(t *testing.T) {
	lane.Short(t)
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	f := find(t, simtest.Config{}, func(s *simtest.Sim) {
		a := spawn(s, s.System(actor.Config{}), "locked", func(*actor.Context[int], int) error {
			mu.Lock()
			defer mu.Unlock()
			return nil
		})
		_ = a.Send(bg, 1)
		s.RunUntilIdle()
	}, "locked<0.1> is on one step", "TestStuckInRealTime")
	if f.Command != "" {
		t.Error("a schedule that hangs is offered for replay")
	}
}

// Code that computes for ever is named when the process has computed for a second.
func TestComputesForEver(t *testing.T) {
	lane.Check(t)
	var over atomic.Bool
	defer over.Store(true)
	find(t, simtest.Config{}, func(s *simtest.Sim) {
		a := spawn(s, s.System(actor.Config{}), "busy", func(*actor.Context[int], int) error {
			for !over.Load() {
			}
			return nil
		})
		_ = a.Send(bg, 1)
		s.RunUntilIdle()
	}, "busy<0.1> is on one step", "TestComputesForEver")
}

func TestNotDeterministic(t *testing.T) {
	run := 0
	find(t, simtest.Config{}, func(s *simtest.Sim) {
		run++
		a := spawn(s, s.System(actor.Config{}), "a", func(*actor.Context[int], int) error { return nil })
		_ = a.Send(bg, run)
		s.RunUntilIdle()
	}, "not deterministic", "int(1)", "int(2)", "range over a map")
}

// A failure that chance outside the simulation has caused is reported as such.
func TestFailureDoesNotRepeat(t *testing.T) {
	run := 0
	find(t, simtest.Config{}, func(s *simtest.Sim) {
		if run++; run == 5 {
			s.Error("the fifth")
		}
	}, "the fifth", "does not fail again")
}

// Goroutines of the program's own take part, one at a time.
func TestOwnGoroutines(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 50}, func(s *simtest.Sim) {
		c := counter(s, s.System(actor.Config{}))
		answers := make(chan int)
		for range 4 {
			go func() {
				v, err := actor.Ask(bg, c, count)
				if err != nil {
					s.Error(err)
				}
				answers <- v
			}()
		}
		var got []int
		for range 4 {
			got = append(got, <-answers)
		}
		slices.Sort(got)
		if fmt.Sprint(got) != "[1 2 3 4]" {
			s.Errorf("the answers are %v", got)
		}
	})
}

func TestVirtualTime(t *testing.T) {
	real := time.Now()
	simtest.Run(t, simtest.Config{Schedules: 10}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		probe := simtest.NewProbe[int](s, sys, "probe")
		begun := s.Now()
		for i, d := range []time.Duration{time.Hour, time.Minute, time.Second} {
			time.AfterFunc(d, func() { _ = probe.Ref().Send(bg, i) })
		}
		if !s.AdvanceToNext(24*time.Hour) || s.Now().Sub(begun) != time.Second {
			s.Errorf("the next timer came after %v", s.Now().Sub(begun))
		}
		if got := probe.Expect(0); got != 2 {
			s.Errorf("it was %d", got)
		}
		probe.ExpectNone(58 * time.Second)
		if got := probe.Expect(time.Second); got != 1 || s.Now().Sub(begun) != time.Minute {
			s.Errorf("%d after %v", got, s.Now().Sub(begun))
		}
		s.Advance(time.Hour)
		if got := probe.Received(); len(got) != 1 {
			s.Errorf("received is %v", got)
		}
		if probe.Expect(0); s.AdvanceToNext(time.Hour) {
			s.Error("there is another timer")
		}
		ctx, cancel := context.WithTimeout(bg, time.Hour)
		defer cancel()
		silent := spawn(s, sys, "silent", func(*actor.Context[get], get) error { return nil })
		if _, err := actor.Ask(ctx, silent, count); !errors.Is(err, context.DeadlineExceeded) {
			s.Errorf("the ask ended with %v", err)
		}
	})
	if took := time.Since(real); took > time.Hour {
		t.Errorf("hours of virtual time took %v", took)
	}
}

// Timers of several actors that are due in the same moment send in any order, but in the
// same one under the same schedule. Timers of one owner send in the order of creation.
func TestTimersOfOneMoment(t *testing.T) {
	for name, c := range map[string]struct{ owners, orders int }{"one owner": {1, 1}, "three owners": {3, 6}} {
		t.Run(name, func(t *testing.T) {
			seen := map[string]bool{}
			simtest.Run(t, simtest.Config{Schedules: 200}, func(s *simtest.Sim) {
				sys := s.System(actor.Config{})
				order := ""
				a := spawn(s, sys, "a", func(_ *actor.Context[string], m string) error { order += m; return nil })
				var owners []actor.Ref[string]
				for i := range c.owners {
					owners = append(owners, spawn(s, sys, strconv.Itoa(i), func(ctx *actor.Context[string], m string) error {
						_, err := actor.SendAfter(ctx, time.Second, a, m)
						return err
					}))
				}
				for i, m := range []string{"1", "2", "3"} {
					if err := owners[i%c.owners].Send(bg, m); err != nil {
						s.Fatal(err)
					}
				}
				s.Advance(time.Second)
				seen[order] = true
			})
			if len(seen) != c.orders {
				t.Errorf("of %d orders, %d were seen: %v", c.orders, len(seen), seen)
			}
		})
	}
}

func TestBadConfig(t *testing.T) {
	body := func(*simtest.Sim) {}
	for _, tc := range []struct {
		cfg  simtest.Config
		body func(*simtest.Sim)
		want string
	}{
		{simtest.Config{Schedules: -1}, body, "Schedules is -1"},
		{simtest.Config{Steps: -1}, body, "Steps is -1"},
		{simtest.Config{Depth: -1}, body, "Depth is -1"},
		{simtest.Config{Repeat: -2}, body, "Repeat is -2"},
		{simtest.Config{Forbid: 1 << 7}, body, "Forbid is 128"},
		{simtest.Config{Strategy: 9}, body, "unknown strategy 9"},
		{simtest.Config{}, nil, "body is nil"},
	} {
		if _, err := simtest.Find(t, tc.cfg, tc.body); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: the error is %v", tc.cfg, err)
		}
	}
	t.Setenv("TROUPE_SCHEDULES", "many")
	if _, err := simtest.Find(t, simtest.Config{}, body); err == nil || !strings.Contains(err.Error(), `"many"`) {
		t.Errorf("the error is %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("TROUPE_SCHEDULES", "7")
	runs := 0
	simtest.Run(t, simtest.Config{Schedules: 1000}, func(*simtest.Sim) { runs++ })
	if runs != 7+2 {
		t.Errorf("%d runs", runs)
	}
}

// A goroutine that polls for another's action sees it in the end, also under PCT.
func TestPCTIsFairInTheEnd(t *testing.T) {
	simtest.Run(t, simtest.Config{Strategy: simtest.PCT, Schedules: 200}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		done := false
		worker := spawn(s, sys, "worker", func(*actor.Context[int], int) error { done = true; return nil })
		for _, name := range []string{"x", "y"} {
			poller := spawn(s, sys, name, func(ctx *actor.Context[int], m int) error {
				if done {
					return nil
				}
				return ctx.Self().Send(ctx, m)
			})
			_ = poller.Send(bg, 0)
		}
		_ = worker.Send(bg, 0)
		s.RunUntilIdle()
	})
}

func TestReplayCommand(t *testing.T) {
	body := func(s *simtest.Sim) { lostUpdate(s, false) }
	f := find(t, simtest.Config{}, body, "TROUPE_REPLAY=", "-run '^TestReplayCommand$'")
	t.Setenv("TROUPE_REPLAY", f.Schedule)
	again := find(t, simtest.Config{}, body, "when replayed", "the balance is")
	if fmt.Sprint(again.Trace) != fmt.Sprint(f.Trace) {
		t.Error("the replayed trace is another one")
	}
	for _, damaged := range []string{"", "2.AQ", "1.", "1.AQ%", "1.AQA", "1.__________8"} {
		if damaged == "" {
			continue
		}
		t.Setenv("TROUPE_REPLAY", damaged)
		if _, err := simtest.Find(t, simtest.Config{}, body); err == nil || !strings.Contains(err.Error(), damaged) {
			t.Errorf("%q: the error is %v", damaged, err)
		}
	}
}

// A failure is explained by a schedule with few choices that are not natural.
func TestShrinks(t *testing.T) {
	f := find(t, simtest.Config{Schedules: 2000}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		order := ""
		note := func(ctx *actor.Context[int], _ int) error { order += ctx.Name(); return nil }
		var refs []actor.Ref[int]
		for i := range 8 {
			refs = append(refs, spawn(s, sys, string(rune('a'+i)), note))
		}
		for range 3 {
			for _, r := range refs {
				_ = r.Send(bg, 1)
			}
			s.RunUntilIdle()
		}
		if strings.Index(order, "h") < strings.Index(order, "a") {
			s.Error("h was before a")
		}
	})
	if !strings.Contains(f.String(), ", 1 choices other") {
		t.Errorf("one choice is enough: %v", f)
	}
}

func FuzzSchedule(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 3, 255})
	f.Fuzz(func(t *testing.T, schedule []byte) {
		simtest.Fuzz(t, simtest.Config{}, schedule, func(s *simtest.Sim) { lostUpdate(s, true) })
	})
}

// relay is work without a name, which hands on to a new one.
type relay struct {
	node workers.Node
	left *int
}

func newRelay(left *int) *relay {
	r := &relay{left: left}
	r.node.Init(r)
	return r
}

func (r *relay) Run(f *workers.Fiber, _ sched.Priority) {
	if *r.left--; *r.left > 0 {
		f.Submit(&newRelay(r.left).node, sched.Normal)
	}
}

// The watchdog of real time looks on while a long run goes on. Under the race
// detector this takes long enough for it to look several times.
func TestWatchdogDuringALongRun(t *testing.T) {
	lane.Check(t)
	simtest.Run(t, simtest.Config{Schedules: 1, Steps: 1_000_000}, func(s *simtest.Sim) {
		left := 100_000
		if err := (*workers.Scheduler)(s.Scheduler(sched.Config{})).Submit(&newRelay(&left).node, sched.Normal); err != nil {
			s.Fatal(err)
		}
		s.RunUntilIdle()
		if left != 0 {
			s.Errorf("%d steps are left", left)
		}
	})
}

// Failure.Schedules counts the natural schedule.
func TestSchedulesAreCounted(t *testing.T) {
	runs, failAt := 0, 0
	for want, first := range map[int]int{1: 1, 2: 3, 5: 6} {
		runs, failAt = 0, first // The natural schedule is run twice.
		f := find(t, simtest.Config{}, func(s *simtest.Sim) {
			if runs++; runs >= failAt {
				s.Error("fails")
			}
		})
		if f.Schedules != want {
			t.Errorf("of a failure in run %d, Schedules is %d, not %d", first, f.Schedules, want)
		}
	}
}

// Dead letters may come from several goroutines at once.
func TestDeadLettersFromGoroutines(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		gone := spawn(s, sys, "gone", func(*actor.Context[int], int) error { return nil })
		if err := gone.Stop(bg); err != nil {
			s.Fatal(err)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { _ = gone.Send(bg, 1) })
		}
		all.Wait()
		if n := len(s.DeadLetters()); n != 4 {
			s.Errorf("%d of 4 dead letters", n)
		}
	})
}
