package simtest

import (
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/sim"
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
	failAt  map[string]map[int]error
	killAt  map[string]map[int]bool
	kills   map[string]float64
	slow    map[string]time.Duration
	delays  map[string]time.Duration
	full    map[string]int
}

func (s *Sim) faults() *faults {
	f, _ := s.engine.Faults().(*faults)
	if f == nil {
		f = &faults{
			s: s, handled: map[string]int{}, panicAt: map[string]map[int]bool{},
			failAt: map[string]map[int]error{}, killAt: map[string]map[int]bool{}, rates: map[string]float64{}, kills: map[string]float64{},
			slow: map[string]time.Duration{}, delays: map[string]time.Duration{}, full: map[string]int{},
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
	f.mark(f.panicAt, name, n)
}

// mark notes the n-th message of an actor from now on.
func (f *faults) mark(at map[string]map[int]bool, name string, n int) {
	if at[name] == nil {
		at[name] = map[int]bool{}
	}
	at[name][f.handled[name]+n] = true
}

// FailAt makes the actor with the name fail with the error, as if its handler had returned
// that, instead of handling its n-th message from now on, the first being 1. Its
// supervisor, its links and its monitors get the error as the reason.
func (s *Sim) FailAt(name string, n int, err error) {
	if name == "" || n < 1 || err == nil {
		s.Fatalf("simtest: FailAt(%q, %d, %v): it needs the name of an actor, a positive number and an error", name, n, err)
	}
	f := s.faults()
	if f.failAt[name] == nil {
		f.failAt[name] = map[int]error{}
	}
	f.failAt[name][f.handled[name]+n] = err
}

// FailActor ends the present incarnation of the actor with the PID now, whatever it is doing,
// as [actor.Ref.Kill] does, but for this reason: its supervisor, its links and its
// monitors get the error.
func (s *Sim) FailActor(pid actor.PID, err error) {
	if err == nil {
		s.Fatalf("simtest: FailActor(%v, nil): it needs an error as the reason", pid)
	}
	if !s.engine.Fail(pid, err) {
		s.Fatalf("simtest: FailActor(%v, %v): there is no actor with this PID any more", pid, err)
	}
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

// KillAt kills the actor with the name, as [actor.Ref.Kill] does, in the moment in which it
// begins to handle its n-th message from now on, the first being 1. The handler goes on as
// the handler of any killed actor does, fenced off.
func (s *Sim) KillAt(name string, n int) {
	if name == "" || n < 1 {
		s.Fatalf("simtest: KillAt(%q, %d): it needs the name of an actor and a positive number", name, n)
	}
	f := s.faults()
	f.mark(f.killAt, name, n)
}

// KillRate is [Sim.KillAt] for each message with the given probability, by the
// chance of the schedule. A rate of 0 ends that.
func (s *Sim) KillRate(name string, rate float64) {
	if name == "" || !(rate >= 0 && rate <= 1) {
		s.Fatalf("simtest: KillRate(%q, %v): it needs the name of an actor and a rate from 0 to 1", name, rate)
	}
	s.faults().kills[name] = rate
}

// Delay makes each message to the actor with the name wait for some virtual time,
// up to longest, by the chance of the schedule, as if the network or a busy machine
// lay between; other actors go on meanwhile. The messages of an actor stay in order.
// The natural schedule has no delay, and a failure is explained by the shortest ones that
// were found. Zero ends that.
func (s *Sim) Delay(name string, longest time.Duration) {
	if name == "" || longest < 0 {
		s.Fatalf("simtest: Delay(%q, %v): it needs the name of an actor and a duration that is not negative", name, longest)
	}
	s.faults().delays[name] = longest
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
func (f *faults) Handling(name string) sim.Fault {
	f.handled[name]++
	n := f.handled[name]
	if err := f.failAt[name][n]; err != nil {
		panic(sim.Injected{Err: err})
	}
	if f.panicAt[name][n] || f.happens(f.rates[name]) {
		panic(fmt.Errorf("message %d of %s: %w", n, name, ErrInjected))
	}
	fault := sim.Fault{Hold: f.slow[name], Kill: f.killAt[name][n] || f.happens(f.kills[name])}
	if longest := f.delays[name]; longest > 0 {
		fault.Hold += f.pick(longest)
	}
	return fault
}

// happens reports whether something of this probability does.
func (f *faults) happens(rate float64) bool { return rate > 0 && f.s.random.Float64() < rate }

// degrees is how many lengths of a delay there are, at most: 4 us apart where the longest is
// a minute.
const degrees = 1 << 24

// pick returns a time up to longest that the schedule picks.
func (f *faults) pick(longest time.Duration) time.Duration {
	last := int(min(longest, degrees))
	return time.Duration(float64(longest) * float64(f.s.engine.Pick(last+1)) / float64(last))
}

// Full is called by the engine.
func (f *faults) Full(name string) bool {
	if f.full[name] == 0 {
		return false
	}
	f.full[name]--
	return true
}
