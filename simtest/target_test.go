package simtest_test

import (
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// narrow fails if the message of a, which may be late by a second, comes in the
// microsecond before the timeout of b.
func narrow(s *simtest.Sim, targeted bool) {
	sys := s.System(actor.Config{})
	begun := s.Now()
	a := spawn(s, sys, "a", func(*actor.Context[int], int) error { return nil })
	b := spawn(s, sys, "b", func(*actor.Context[int], int) error {
		early := 700*time.Millisecond - s.Now().Sub(begun)
		if targeted {
			s.Target(early.Abs())
		}
		if early > 0 && early <= time.Microsecond {
			s.Error("b was about to expire")
		}
		return nil
	})
	s.Delay("a", time.Second)
	s.Delay("b", time.Second)
	_, _ = a.Send(bg, 1), b.Send(bg, 1)
	s.Advance(time.Minute)
}

// A window of a microsecond in a second is found where the body says how far it is.
func TestTarget(t *testing.T) {
	found := map[bool]int{}
	for search := range 5 {
		for _, targeted := range []bool{false, true} {
			cfg := simtest.Config{Schedules: 500, Seed: 1 + uint64(search)*10_000}
			f, err := simtest.Find(t, cfg, func(s *simtest.Sim) { narrow(s, targeted) })
			if err != nil {
				t.Fatal(err)
			}
			if f == nil {
				continue
			}
			found[targeted]++
			mustReplay(t, f, func(s *simtest.Sim) { narrow(s, targeted) })
		}
	}
	if found[true] != 5 || found[false] > 1 {
		t.Errorf("of 5 searches, %d have found the window with a target, and %d without", found[true], found[false])
	}
}
