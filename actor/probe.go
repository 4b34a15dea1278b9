package actor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/bits"
	"slices"
	"sync"
	"time"
)

// Probe has functions that are called at the events of a system; see [System.Observe].
// Nil functions are not called.
//
// The functions are called where it happens, on a worker, also at the same time
// by several. They must not wait, and cost the actor the time that they take. A
// panic in one is contained, and reported to Config.Logger; a Goexit is as one in
// Config.OnDeadLetter.
type Probe struct {
	// SampleEvery says that, of the messages in each lane, one in so many is
	// measured for Handled. It is rounded up to a power of two. Defaults to 64; 1
	// means all of them.
	SampleEvery int
	// SampleGap says how far apart in time the measured messages of a lane should be
	// at least: where they come more densely, fewer are measured, down to one in 256
	// times SampleEvery. So a busy actor is not slowed down, and of a quiet one
	// enough is known. Defaults to 0, which measures one in SampleEvery whatever
	// comes; of several probes that want samples the shortest counts.
	SampleGap time.Duration
	// Handled is called after the handling of a message that was measured, and after each hook.
	Handled func(Sample)
	// Yielded is called when an actor has used up its throughput, or the time of its
	// turn, while messages wait, and gives others their turn; see [WithThroughput].
	Yielded func(Subject)
	// Ended is called when an actor has stopped for good, and when an incarnation
	// has ended whose parent decides.
	Ended func(Ending)
	// Restarted is called when a new incarnation begins in place of one that has
	// ended.
	Restarted func(Subject)
	// DeadLetter is called with each message that is not handled; see
	// Config.OnDeadLetter.
	DeadLetter func(DeadLetter)
	// Slow, Blocked and TimedOut are called as Config.OnSlow, OnBlocked and
	// OnTimeout are, at most 50 times a second each.
	Slow, Blocked, TimedOut func(HandlerReport)
	// SlowAfter is how long a handler may take before it is slow, if there is a Slow
	// or Blocked, for actors about which neither Config nor an option says
	// otherwise. Defaults to 10 ms.
	SlowAfter time.Duration
	// Serving is called before the handler of a message that was asked with a context
	// that says something, see [Context]. Ctx has the values of that context, and
	// no end. The Context of the handler has the values of the one that Serving
	// returns, unless that is nil, and passes them on with its own asks; and when the
	// handler has returned, end is called with its error, unless it is nil: also with an error
	// if the handler has not returned, but panicked, or called Goexit. Of several
	// probes each is given what the one before has returned. It costs every message
	// some 3 ns, whether it is such an ask or not.
	Serving func(ctx context.Context, s Serving) (values context.Context, end func(err error))
	// Marks says that, while there is a [sched.Recorder], each message that is
	// handled is an event of its recording, with its type. Defaults to false.
	Marks bool
}

// Subject says which actor it is about.
type Subject struct {
	PID  PID
	Name string // Of WithName, or "".
	Kind string // See [Info].
}

// Sample is what was measured of one message, or of one call of a hook.
type Sample struct {
	Subject
	// Handler says what was measured: "ask", "send", "timer", or what else [HandlerReport] names.
	Handler string
	Lane    Lane // Data for a hook.
	// Latency is the time from when the message was sent until its handler began,
	// the wait for room in the lane included. It is -1 if the message was not
	// stamped: it came before the probe, or from the stash, or others that are
	// measured were still before it; or it is a hook.
	Latency time.Duration
	// Duration is how long the handler took, its waits included.
	Duration time.Duration
	// Err is what the handler or hook returned. Of one that panics there is no sample.
	Err error
}

// Ending tells of the end of an actor, or of one of its incarnations.
type Ending struct {
	Exit
	Kind string // See [Info].
	// Handled counts the messages that the actor handled, in all its incarnations.
	Handled uint64
}

// defaultSampleEvery makes three looks at the clock (24 ns each) and a lock as
// dear as 2 ns for each message.
const defaultSampleEvery = 64

// maxSampleEvery keeps the mask within an int32.
const maxSampleEvery = 1 << 30

// Observe adds p to the probes of the system: from now on p learns what happens, until
// the returned function is called. A call of p that has begun by then may still end
// later. Without probes the price is a load for each activation of an actor, and a
// comparison for each message. Samples and counts cost 2 ns more for each message, and
// some 300 bytes for an actor with a measured message; each handler that is watched
// costs 3 ns.
//
// Observe returns an error for a nil Probe, a SampleEvery that is negative or more
// than 2^30, and a SampleGap or SlowAfter that is negative.
func (s *System) Observe(p *Probe) (stop func(), err error) {
	if s.missing() {
		return nil, ErrNoSystem
	}
	if p == nil {
		return nil, errors.New("actor: Observe was given a nil Probe")
	}
	if p.SampleEvery < 0 || p.SampleEvery > maxSampleEvery {
		return nil, fmt.Errorf("actor: Probe.SampleEvery is %d; it must be 1 to %d, or 0 for the default", p.SampleEvery, maxSampleEvery)
	}
	if p.SampleGap < 0 {
		return nil, fmt.Errorf("actor: Probe.SampleGap is %v; it must be positive, or 0 to measure however dense", p.SampleGap)
	}
	if p.SlowAfter < 0 {
		return nil, fmt.Errorf("actor: Probe.SlowAfter is %v; it must be positive, or 0 for the default", p.SlowAfter)
	}
	own := *p
	s.changeProbes(func(all []*Probe) []*Probe { return append(all, &own) })
	return sync.OnceFunc(func() {
		s.changeProbes(func(all []*Probe) []*Probe {
			return slices.DeleteFunc(all, func(other *Probe) bool { return other == &own })
		})
	}), nil
}

func (s *System) changeProbes(change func([]*Probe) []*Probe) {
	s.probesMu.Lock()
	defer s.probesMu.Unlock()
	var all []*Probe
	if old := s.probes.Load(); old != nil {
		all = slices.Clone(old.all)
	}
	if all = change(all); len(all) == 0 {
		s.probes.Store(nil)
		return
	}
	s.probes.Store(newProbes(s, all))
}

// probes are the probes of a system. They are not changed.
type probes struct {
	sys     *System
	all     []*Probe
	mask    int64         // A message whose number has none of these bits is measured; -1 if none is.
	rarity  int8          // The bits of mask.
	gap     time.Duration // See Probe.SampleGap.
	letters bool          // Somebody wants to know of dead letters.
	marks   bool          // Messages are to be recorded.
	serving bool          // Somebody wants to know of asks before they are handled.
	each    bool          // So no message is to be passed by: marks or serving.
	// timing says what is watched of actors about which nothing else is said; nil
	// if nothing is.
	timing *timing
}

func newProbes(s *System, all []*Probe) *probes {
	o := &probes{sys: s, all: all, mask: -1}
	for _, p := range all {
		o.letters = o.letters || p.DeadLetter != nil
		o.marks = o.marks || p.Marks
		o.serving = o.serving || p.Serving != nil
		o.each = o.marks || o.serving
		if slow := cmp.Or(p.SlowAfter, defaultSlowAfter); p.Slow != nil || p.Blocked != nil {
			if o.timing == nil || slow < o.timing.slow {
				o.timing = &timing{slow: slow}
			}
			s.watchdog.refine(slow)
		}
		if p.Handled == nil {
			continue
		}
		every := int64(1)
		for every < int64(cmp.Or(p.SampleEvery, defaultSampleEvery)) {
			every *= 2
		}
		if o.mask < 0 || p.SampleGap < o.gap {
			o.gap = p.SampleGap
		}
		if o.mask < 0 || every-1 < o.mask {
			o.mask, o.rarity = every-1, int8(bits.Len64(uint64(every-1)))
		}
	}
	return o
}

// tell calls what one of the probes has for an occasion.
func (o *probes) tell(call func(*Probe)) {
	for _, p := range o.all {
		o.contain(p, call)
	}
}

func (o *probes) contain(p *Probe, call func(*Probe)) {
	defer func() {
		if v := recover(); v != nil {
			o.sys.log().Error("a Probe panicked", slog.Any("panic", v))
		}
	}()
	call(p)
}

// tellEnded tells of the end of p, or of its incarnation if that is held.
func (o *probes) tellEnded(p *proc, reason error, held bool) {
	var i Info
	p.mu.Lock()
	p.describeMailbox(&i)
	p.mu.Unlock()
	e := Ending{Exit{PID: p.pid, Name: p.opts.name, Reason: reason, Held: held}, i.Kind, i.Handled}
	o.tell(func(p *Probe) {
		if p.Ended != nil {
			p.Ended(e)
		}
	})
}

// tellReport hands a report to those that want reports of this kind.
func (o *probes) tellReport(want func(*Probe) func(HandlerReport), r HandlerReport) {
	o.tell(func(p *Probe) {
		if f := want(p); f != nil {
			f(r)
		}
	})
}

func (o *probes) tellRestarted(s Subject) {
	o.tell(func(p *Probe) {
		if p.Restarted != nil {
			p.Restarted(s)
		}
	})
}

func (o *probes) tellYielded(s Subject) {
	o.tell(func(p *Probe) {
		if p.Yielded != nil {
			p.Yielded(s)
		}
	})
}

func (o *probes) tellDeadLetter(d DeadLetter) {
	o.tell(func(p *Probe) {
		if p.DeadLetter != nil {
			p.DeadLetter(d)
		}
	})
}

func (o *probes) tellHandled(s Sample) {
	o.tell(func(p *Probe) {
		if p.Handled != nil {
			p.Handled(s)
		}
	})
}
