package simtest

import (
	"errors"
	"fmt"
	"time"
)

// ErrInjected is the value of the panics that [Sim.PanicAt] and [Sim.PanicRate]
// inject, and is wrapped by the reason of an actor that fails of them.
var ErrInjected = errors.New("simtest: an injected panic")

// faults are the failures that a body wants injected, by the actor's name.
type faults struct {
	s       *Sim
	handled map[string]int
	panicAt map[string]map[int]bool
	rates   map[string]float64
	slow    map[string]time.Duration
	full    map[string]int
}

func (s *Sim) faults() *faults {
	f, _ := s.engine.Faults().(*faults)
	if f == nil {
		f = &faults{
			s: s, handled: map[string]int{}, panicAt: map[string]map[int]bool{},
			rates: map[string]float64{}, slow: map[string]time.Duration{}, full: map[string]int{},
		}
		s.engine.Inject(f)
	}
	return f
}

// PanicAt makes the actor with the name panic instead of handling its n-th
// message from now on, the first being 1.
func (s *Sim) PanicAt(name string, n int) {
	if name == "" || n < 1 {
		s.Fatalf("simtest: PanicAt(%q, %d): it needs the name of an actor and a positive number", name, n)
	}
	f := s.faults()
	if f.panicAt[name] == nil {
		f.panicAt[name] = map[int]bool{}
	}
	f.panicAt[name][f.handled[name]+n] = true
}

// PanicRate makes the actor with the name panic instead of handling a message
// with the given probability, by the chance of the schedule. A rate of 0 ends
// that.
func (s *Sim) PanicRate(name string, rate float64) {
	if name == "" || !(rate >= 0 && rate <= 1) {
		s.Fatalf("simtest: PanicRate(%q, %v): it needs the name of an actor and a rate from 0 to 1", name, rate)
	}
	s.faults().rates[name] = rate
}

// Slow makes each message of the actor with the name take d of virtual time
// before its handler is called; other actors go on meanwhile. Zero ends that.
func (s *Sim) Slow(name string, d time.Duration) {
	if name == "" || d < 0 {
		s.Fatalf("simtest: Slow(%q, %v): it needs the name of an actor and a duration that is not negative", name, d)
	}
	s.faults().slow[name] = d
}

// Full makes the next n attempts of TrySend to the actor with the name find its
// lane full.
func (s *Sim) Full(name string, n int) {
	if name == "" || n < 0 {
		s.Fatalf("simtest: Full(%q, %d): it needs the name of an actor and a number that is not negative", name, n)
	}
	s.faults().full[name] = n
}

// Handling is called by the engine.
func (f *faults) Handling(name string) time.Duration {
	f.handled[name]++
	n := f.handled[name]
	if rate := f.rates[name]; f.panicAt[name][n] || rate > 0 && f.s.random.Float64() < rate {
		panic(fmt.Errorf("message %d of %s: %w", n, name, ErrInjected))
	}
	return f.slow[name]
}

// Full is called by the engine.
func (f *faults) Full(name string) bool {
	if f.full[name] == 0 {
		return false
	}
	f.full[name]--
	return true
}
