package actor

import (
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/internal/kernel/hosts"
)

// Pump is a backend for actors that live inside a foreign event loop: the loop of
// a user interface, of a game, or one around epoll. Their handlers run
// nowhere but in [Pump.Run], which the loop calls on its own goroutine, so they
// may use whatever belongs to the loop, without locks.
//
// When there is something to do while the loop may be asleep, the pump rings the
// doorbell, a function that wakes it: by a write to an eventfd or a pipe, or by
// posting an event. It rings once for a batch of messages, however many senders
// there are, and not while Run is at work.
//
//	for {
//		hint, err := pump.Run(5 * time.Millisecond)
//		...
//		timeout := -1 // For ever.
//		if hint == actor.ParkPoll {
//			timeout = 0
//		}
//		events := wait(timeout) // Until something happens, or the doorbell rings.
//		...
//	}
type Pump struct {
	sys  *System
	loop *hosts.Loop[proc]
}

// ParkHint says to an event loop what to do next.
type ParkHint uint8

const (
	// ParkWait says that the loop may sleep: the doorbell will ring.
	ParkWait ParkHint = iota
	// ParkPoll says that there is more to do: the loop looks after its own events
	// without sleeping, and calls Run again.
	ParkPoll
)

// String returns the hint's name in lower case.
func (h ParkHint) String() string {
	switch h {
	case ParkWait:
		return "wait"
	case ParkPoll:
		return "poll"
	}
	return fmt.Sprintf("ParkHint(%d)", uint8(h))
}

// ErrPumping is returned by Pump.Run and System.RunMain while another call of it
// is at work, such as by one of its own handlers.
var ErrPumping = errors.New("actor: the pump is running already")

var errNoPump = errors.New("actor: the Pump is nil or zero; a valid one comes from NewPump")

// NewPump returns a pump for actors of s, which are spawned with [WithPump]. Senders
// call the doorbell, on any goroutine, also at the same time as
// Run, so it must neither wait nor panic.
//
// A handler that waits holds up the loop, and with it all actors of the pump. If it waits
// for one of those, by whatever way, that is a ring, see [CycleError]. The pump does not
// know the code of the loop outside of Run, which must not wait for them.
//
// There is nothing to be closed: a pump without actors is garbage. But its actors
// end only if Run is called until they have, which also a System.Stop waits for.
func NewPump(s *System, doorbell func()) (*Pump, error) {
	if s.missing() {
		return nil, ErrNoSystem
	}
	if doorbell == nil {
		return nil, errors.New("actor: NewPump was given a nil doorbell; the loop would not wake up")
	}
	return &Pump{sys: s, loop: hosts.NewLoop[proc](s.scheduler, doorbell)}, nil
}

// WithPump has the actor run where p does; see [Pump].
func WithPump(p *Pump) Option {
	return func(o *options) error {
		if p == nil || p.sys == nil {
			return fmt.Errorf("WithPump: %w", errNoPump)
		}
		o.host, o.pump = p.loop, p
		return nil
	}
}

// Run handles what waits for the actors of the pump, for up to about the given
// time: at least one actor gets its turn of up to [WithThroughput] messages, and
// none is begun when the time is over. With a budget of 0, one actor gets its
// turn. The hint says what to do next. No timer need be looked after: when one
// of an actor fires, the doorbell rings.
//
// Run returns [ErrPumping], with the hint ParkWait, if it is at work already. It may
// be called by one goroutine now and by another later. A handler that is killed
// while it runs is fenced off at once, but its actor ends, or is restarted, only
// in a later Run. If a handler calls runtime.Goexit, that ends the loop's
// goroutine, as it would without an actor, and the actor fails.
func (p *Pump) Run(budget time.Duration) (ParkHint, error) {
	if p == nil || p.sys == nil {
		return ParkWait, errNoPump
	}
	until := p.sys.clock.Now().Add(budget)
	more, ok := p.loop.Run(func() bool { return !p.sys.clock.Now().Before(until) })
	switch {
	case !ok:
		return ParkWait, ErrPumping
	case more:
		return ParkPoll, nil
	default:
		return ParkWait, nil
	}
}

// loop returns the event loop that p lives in, or nil.
func (p *proc) loop() *hosts.Loop[proc] {
	l, _ := p.opts.host.(*hosts.Loop[proc])
	return l
}

// Holder returns the actor whose handler keeps p from running, since it waits in the
// loop of both, or nil. It may have ceased to wait.
func (p *proc) Holder() *proc {
	if l := p.loop(); l != nil {
		return l.HeldFor(p)
	}
	return nil
}
