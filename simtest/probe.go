package simtest

import (
	"fmt"
	"strings"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Probe is an actor that keeps what it is sent, for the body to expect.
type Probe[M any] struct {
	s        *Sim
	ref      actor.Ref[M]
	received []M
}

// NewProbe spawns a probe in the system.
func NewProbe[M any](s *Sim, sys *actor.System, name string) *Probe[M] {
	p := &Probe[M]{s: s}
	ref, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[M], m M) error {
		p.received = append(p.received, m)
		return nil
	}), actor.WithName(name))
	if err != nil {
		s.Fatal(err)
	}
	p.ref = ref
	s.probes[ref.PID()] = true
	return p
}

// Ref is where to send to.
func (p *Probe[M]) Ref() actor.Ref[M] { return p.ref }

// Received returns what was received and not expected yet.
func (p *Probe[M]) Received() []M { return p.received }

// Expect returns the next message. It runs the program, and lets virtual time
// pass, until there is one; if that takes longer than within, the run fails.
func (p *Probe[M]) Expect(within time.Duration) M {
	return expect(p, within, "a message", func(m M) (M, bool) { return m, true })
}

// ExpectMatch is Expect for the next message that match accepts. Those before it
// are dropped.
func (p *Probe[M]) ExpectMatch(within time.Duration, match func(M) bool) M {
	return expect(p, within, "a message that matches", func(m M) (M, bool) { return m, match(m) })
}

// ExpectType is [Probe.Expect] for the next message of type T, where M is an
// interface. Those before it are dropped.
func ExpectType[T, M any](p *Probe[M], within time.Duration) T {
	return expect(p, within, fmt.Sprintf("a %T", *new(T)), func(m M) (T, bool) {
		t, ok := any(m).(T)
		return t, ok
	})
}

func expect[T, M any](p *Probe[M], within time.Duration, what string, match func(M) (T, bool)) T {
	deadline := p.s.Now().Add(within)
	var dropped []string
	for {
		p.s.RunUntilIdle()
		for len(p.received) > 0 {
			m := p.received[0]
			p.received = p.received[1:]
			if t, ok := match(m); ok {
				return t
			}
			dropped = append(dropped, fmt.Sprintf("%T %+v", m, m))
		}
		if left := deadline.Sub(p.s.Now()); left > 0 {
			p.s.AdvanceToNext(left)
			continue
		}
		got := "nothing came"
		if len(dropped) > 0 {
			got = "what came was " + strings.Join(dropped, ", ")
		}
		p.s.Fatalf("%s was expected by %s within %v; %s", what, p.ref, within, got)
	}
}

// ExpectNone fails the run if there is a message, or if one comes within that
// virtual time.
func (p *Probe[M]) ExpectNone(within time.Duration) {
	p.s.Advance(within)
	if len(p.received) > 0 {
		p.s.Fatalf("nothing was expected by %s within %v; what came was %T %+v", p.ref, within, p.received[0], p.received[0])
	}
}
