package simtest_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/supervise"
)

func TestPanicAt(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		var handled []int
		sup, err := supervise.Start(sys, supervise.Config{Intensity: 3})
		if err != nil {
			s.Fatal(err)
		}
		worker, err := supervise.Spawn(bg, sup, supervise.Child[int]{Name: "worker", New: func() actor.Actor[int] {
			return actor.Func(func(_ *actor.Context[int], m int) error { handled = append(handled, m); return nil })
		}})
		if err != nil {
			s.Fatal(err)
		}
		s.PanicAt("worker", 2)
		for i := range 4 {
			_ = worker.Send(bg, i)
		}
		s.RunUntilIdle()
		if len(handled) != 3 || handled[1] != 2 {
			s.Errorf("handled was %v", handled)
		}
	})
}

func TestPanicRate(t *testing.T) {
	panics := 0
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		a := counter(s, sys)
		s.PanicRate("counter", 0.5)
		if _, err := actor.Ask(bg, a, count); errors.Is(err, simtest.ErrInjected) {
			panics++
		}
	})
	if panics == 0 || panics == 22 {
		t.Errorf("of 22 runs %d had a panic", panics)
	}
}

// TestKillAt: the handler of the message is fenced off, the next incarnation
// handles the rest.
func TestKillAt(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 50}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		sup, err := supervise.Start(sys, supervise.Config{Intensity: 3})
		if err != nil {
			s.Fatal(err)
		}
		out := simtest.NewProbe[int](s, sys, "out")
		var fenced []error
		worker, err := supervise.Spawn(bg, sup, supervise.Child[int]{Name: "worker", New: func() actor.Actor[int] {
			return actor.Func(func(ctx *actor.Context[int], m int) error {
				err := out.Ref().Send(ctx, m)
				if errors.Is(err, actor.ErrFenced) {
					fenced = append(fenced, context.Cause(ctx))
				}
				return err
			})
		}})
		if err != nil {
			s.Fatal(err)
		}
		s.KillAt("worker", 2)
		for i := range 2 {
			_ = worker.Send(bg, i)
			s.RunUntilIdle()
		}
		for i := range 2 {
			_ = worker.Send(bg, i+2)
		}
		s.RunUntilIdle()
		if got := out.Received(); !slices.Equal(got, []int{0, 2, 3}) {
			s.Errorf("received was %v", got)
		}
		if len(fenced) != 1 || !errors.Is(fenced[0], actor.ErrKilled) {
			s.Errorf("fenced off: %v", fenced)
		}
	})
}

func TestKillRate(t *testing.T) {
	kills := 0
	simtest.Run(t, simtest.Config{Schedules: 40}, func(s *simtest.Sim) {
		a := counter(s, s.System(actor.Config{}))
		s.KillRate("counter", 0.5)
		if _, err := actor.Ask(bg, a, count); errors.Is(err, actor.ErrKilled) {
			kills++
		} else if err != nil {
			s.Error(err)
		}
	})
	if kills == 0 || kills == 42 {
		t.Errorf("of 42 runs %d had a kill", kills)
	}
}

// TestDelay: what is sent later to another actor may be handled earlier, but each
// actor's messages stay in order.
func TestDelay(t *testing.T) {
	overtaken := 0
	simtest.Run(t, simtest.Config{Schedules: 50}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		var order []int
		note := func(_ *actor.Context[int], m int) error { order = append(order, m); return nil }
		far, near := spawn(s, sys, "far", note), spawn(s, sys, "near", note)
		s.Delay("far", time.Minute)
		_, _, _ = far.Send(bg, 1), far.Send(bg, 2), near.Send(bg, 3)
		s.Advance(2 * time.Minute)
		switch fmt.Sprint(order) {
		case "[1 2 3]":
		case "[3 1 2]", "[1 3 2]":
			overtaken++
		default:
			s.Errorf("the order is %v", order)
		}
	})
	if overtaken == 0 {
		t.Error("nothing was ever late")
	}
}

func TestSlow(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		c, other := counter(s, sys), simtest.NewProbe[int](s, sys, "other")
		s.Slow("counter", time.Minute)
		begun := s.Now()
		if err := c.Send(bg, get{}); err != nil {
			s.Error(err)
		}
		_ = other.Ref().Send(bg, 1)
		other.Expect(0) // It is not held up.
		ask(bg, s, c, count)
		if took := s.Now().Sub(begun); took != 2*time.Minute {
			s.Errorf("two messages took %v", took)
		}
	})
}

func TestFull(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 5}, func(s *simtest.Sim) {
		c := counter(s, s.System(actor.Config{}))
		s.Full("counter", 1)
		if err := c.TrySend(bg, get{}); !errors.Is(err, actor.ErrFull) {
			s.Errorf("the first attempt: %v", err)
		}
		if err := c.TrySend(bg, get{}); err != nil {
			s.Errorf("the second attempt: %v", err)
		}
	})
}

func TestBadFaults(t *testing.T) {
	for _, inject := range []func(*simtest.Sim){
		func(s *simtest.Sim) { s.PanicAt("", 1) },
		func(s *simtest.Sim) { s.PanicAt("a", 0) },
		func(s *simtest.Sim) { s.PanicRate("a", math.NaN()) },
		func(s *simtest.Sim) { s.Slow("a", -1) },
		func(s *simtest.Sim) { s.Full("a", -1) },
		func(s *simtest.Sim) { s.KillAt("a", 0) },
		func(s *simtest.Sim) { s.KillRate("a", 2) },
		func(s *simtest.Sim) { s.Delay("a", -1) },
		func(s *simtest.Sim) { s.FailAt("", 1, errBroken) },
		func(s *simtest.Sim) { s.FailAt("a", 0, errBroken) },
		func(s *simtest.Sim) { s.FailAt("a", 1, nil) },
	} {
		find(t, simtest.Config{}, inject, "it needs the name of an actor")
	}
	find(t, simtest.Config{}, func(s *simtest.Sim) { s.FailActor(actor.PID{}, errBroken) }, "there is no actor with this PID")
	find(t, simtest.Config{}, func(s *simtest.Sim) { s.FailActor(actor.PID{}, nil) }, "needs an error as the reason")
}

var errBroken = errors.New("broken")

// failing is what an observer was told about the end of an actor.
type failing struct{ reasons []error }

func (f *failing) Receive(ctx *actor.Context[actor.PID], id actor.PID) error {
	return ctx.Link(id)
}

func (f *failing) Exited(_ *actor.Context[actor.PID], e actor.Exit) error {
	f.reasons = append(f.reasons, e.Reason)
	return nil
}

// supervised starts a worker that notes what it handles, and an observer that is linked to it.
func supervised(s *simtest.Sim, opts ...actor.Option) (actor.Ref[int], *[]int, *failing) {
	sys := s.System(actor.Config{})
	sup, err := supervise.Start(sys, supervise.Config{Intensity: 3})
	if err != nil {
		s.Fatal(err)
	}
	handled := &[]int{}
	worker, err := supervise.Spawn(bg, sup, supervise.Child[int]{Name: "worker", Options: opts, New: func() actor.Actor[int] {
		return actor.Func(func(_ *actor.Context[int], m int) error { *handled = append(*handled, m); return nil })
	}})
	if err != nil {
		s.Fatal(err)
	}
	return worker, handled, observe(s, sys, worker.PID())
}

// observe links an observer to an actor.
func observe(s *simtest.Sim, sys *actor.System, id actor.PID) *failing {
	f := &failing{}
	observer, err := actor.Spawn(sys, f, actor.WithName("observer"))
	if err != nil {
		s.Fatal(err)
	}
	_ = observer.Send(bg, id)
	s.RunUntilIdle()
	return f
}

// FailAt has one handler return the error; the next incarnation handles the rest.
func TestFailAt(t *testing.T) {
	for name, opts := range map[string][]actor.Option{"plain": nil, "readers": {actor.WithReadOnly(func(int) bool { return true })}} {
		t.Run(name, func(t *testing.T) {
			simtest.Run(t, simtest.Config{Schedules: 30}, func(s *simtest.Sim) {
				worker, handled, f := supervised(s, opts...)
				s.FailAt("worker", 2, errBroken)
				for i := range 4 {
					_ = worker.Send(bg, i)
					s.RunUntilIdle()
				}
				if !slices.Equal(*handled, []int{0, 2, 3}) || len(f.reasons) != 1 || !errors.Is(f.reasons[0], errBroken) {
					s.Errorf("handled was %v, and the reasons are %v", *handled, f.reasons)
				}
			})
		})
	}
}

// An ask of which the handler fails by FailAt gets the error, as from a handler.
func TestFailAtOfAnAsk(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		c := counter(s, s.System(actor.Config{}))
		s.FailAt("counter", 1, errBroken)
		if _, err := actor.Ask(bg, c, count); !errors.Is(err, actor.ErrNoReply) || !errors.Is(err, errBroken) {
			s.Errorf("the ask has failed with %v", err)
		}
	})
}

// FailActor ends an incarnation that waits for messages, and one in its handler.
func TestFailActor(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 30}, func(s *simtest.Sim) {
		worker, handled, f := supervised(s)
		_ = worker.Send(bg, 1)
		s.RunUntilIdle()
		s.FailActor(worker.PID(), errBroken)
		s.RunUntilIdle()
		_ = worker.Send(bg, 2)
		s.RunUntilIdle()
		if !slices.Equal(*handled, []int{1, 2}) || len(f.reasons) != 1 || !errors.Is(f.reasons[0], errBroken) {
			s.Errorf("handled was %v, and the reasons are %v", *handled, f.reasons)
		}
	})
	simtest.Run(t, simtest.Config{Schedules: 30}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		silent := spawn(s, sys, "silent", func(*actor.Context[get], get) error { return nil })
		a := spawn(s, sys, "a", func(ctx *actor.Context[int], _ int) error {
			_, err := actor.Ask(ctx, silent, count)
			return err
		})
		f := observe(s, sys, a.PID())
		_ = a.Send(bg, 1)
		s.RunUntilIdle()
		s.FailActor(a.PID(), errBroken)
		s.RunUntilIdle()
		if len(f.reasons) != 1 || !errors.Is(f.reasons[0], errBroken) {
			s.Errorf("it has ended with %v", f.reasons)
		}
	})
}

// Delays are choices: the failure needs one of half a second, so that is what is shown,
// and the others are none.
func TestDelaysShrink(t *testing.T) {
	f := find(t, simtest.Config{Schedules: 200}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		begun := s.Now()
		var late time.Duration
		a := spawn(s, sys, "a", func(*actor.Context[int], int) error { return nil })
		b := spawn(s, sys, "b", func(*actor.Context[int], int) error { late = max(late, s.Now().Sub(begun)); return nil })
		s.Delay("a", time.Minute)
		s.Delay("b", time.Minute)
		for range 4 {
			_ = a.Send(bg, 1)
		}
		_ = b.Send(bg, 1)
		s.Advance(time.Hour)
		if late >= 30*time.Second {
			s.Error("b is late")
		}
	}, "b is late", ", 1 choices other", "b<1.1> for 30s, as it was told")
	if again := strings.Count(f.String(), "to be slow"); again != 1 {
		t.Errorf("%d messages were late: %v", again, f)
	}
}

// An exhaustive search tries no delay, half of it and all of it.
func TestDelaysExhaustively(t *testing.T) {
	seen := map[time.Duration]bool{}
	simtest.Run(t, simtest.Config{Strategy: simtest.Exhaustive}, func(s *simtest.Sim) {
		begun := s.Now()
		a := spawn(s, s.System(actor.Config{}), "a", func(*actor.Context[int], int) error { seen[s.Now().Sub(begun)] = true; return nil })
		s.Delay("a", time.Minute)
		_ = a.Send(bg, 1)
		s.Advance(time.Hour)
	})
	if len(seen) != 3 || !seen[0] || !seen[30*time.Second] || !seen[time.Minute] {
		t.Errorf("the delays were %v", seen)
	}
}
