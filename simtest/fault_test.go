package simtest_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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
	} {
		find(t, simtest.Config{}, inject, "it needs the name of an actor")
	}
}
