package actor

import (
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/internal/xatomic"
	"github.com/troupe-go/troupe/sched"
)

// Pump is a backend for actors that live inside somebody else's event loop: that
// of a user interface, of a game, or one around epoll. Their handlers run
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
	ring func()
	host *sched.Host

	mu    xatomic.Mutex
	queue entries
	// Rung is set by the first who puts an entry into the queue, who then rings, and
	// cleared by Run, together with the look at the queue that finds it empty, just
	// before it returns ParkWait. Both hold mu. So whatever comes after that look rings,
	// and whatever came before has been handled; while Run has returned ParkPoll, rung
	// stays set, since the loop is about to come again.
	rung bool
	busy bool // Run is at work.

	// holder is the actor whose handler waits, and so holds up the loop, or has done so last.
	// Written by that before its wait is known, and read by who looks for rings.
	holder xatomic.Pointer[proc]
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

// NewPump returns a pump for actors of s, which are spawned with [WithPump]. The
// doorbell is called by whoever sends, on any goroutine, also at the same time as
// Run, so it must neither wait nor panic.
//
// A handler that waits holds up the loop, and with it all actors of the pump. If it waits
// for one of those, by whatever way, that is a ring, see [CycleError]. What the loop does
// outside of Run is not known here, and must not wait for them.
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
	return &Pump{sys: s, ring: doorbell, host: s.scheduler.NewHost()}, nil
}

// WithPump has the actor run where p does; see [Pump].
func WithPump(p *Pump) Option {
	return func(o *options) error {
		if p == nil || p.sys == nil {
			return fmt.Errorf("WithPump: %w", errNoPump)
		}
		o.host = p
		return nil
	}
}

func (p *Pump) submit(n *sched.Node, prio sched.Priority) {
	p.mu.Lock()
	p.queue.push(entry{n, prio})
	ring := !p.rung && !p.busy
	p.rung = true
	p.mu.Unlock()
	if ring {
		p.ring()
	}
}

func (p *Pump) abandon() {}
func (p *Pump) end()     {}

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
	p.mu.Lock()
	if p.busy {
		p.mu.Unlock()
		return ParkWait, ErrPumping
	}
	p.busy, p.rung = true, true
	p.mu.Unlock()
	p.host.Enter()
	defer p.stop()
	until := p.sys.clock.Now().Add(budget)
	for {
		e, ok := p.next()
		if !ok {
			return ParkWait, nil
		}
		p.runOne(e)
		if !p.sys.clock.Now().Before(until) {
			return p.hint(), nil
		}
	}
}

// next takes an entry. If there is none, whoever comes next rings.
func (p *Pump) next() (entry, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ok := p.queue.pop()
	if !ok {
		p.rung = false
		p.leaveLocked()
	}
	return e, ok
}

// hint ends a Run whose time is over.
func (p *Pump) hint() ParkHint {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaveLocked()
	if p.queue.empty() {
		p.rung = false
		return ParkWait
	}
	return ParkPoll
}

func (p *Pump) leaveLocked() {
	if p.busy {
		p.host.Leave()
		p.busy = false
		p.holder.Store(nil)
	}
}

// stop ends a Run that a Goexit has ended, whatever is left; the loop that comes
// next has to look at it.
func (p *Pump) stop() {
	p.mu.Lock()
	left := p.busy
	if left {
		p.leaveLocked()
		p.rung = !p.queue.empty()
		left = p.rung
	}
	p.mu.Unlock()
	if left {
		p.ring()
	}
}

// loop returns the pump that p lives in, or nil.
func (p *proc) loop() *Pump {
	l, _ := p.opts.host.(*Pump)
	return l
}

// loopHolder returns the actor whose handler keeps p from running, since it waits in the
// loop of both, or nil. It may have ceased to wait.
func (p *proc) loopHolder() *proc {
	if l := p.loop(); l != nil {
		return l.heldFor(p)
	}
	return nil
}

// heldFor returns who holds up p, if somebody else does.
//
//go:noinline
func (l *Pump) heldFor(p *proc) *proc {
	if h := l.holder.Load(); h != p {
		return h
	}
	return nil
}

// vanished is what an activation panics with that has lost its actor, where a
// Goexit would end the goroutine of the loop.
type vanished struct{}

// runOne gives one actor its turn.
func (p *Pump) runOne(e entry) {
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(vanished); !ok {
				panic(v)
			}
		}
	}()
	p.host.Run(e.n, e.p)
}
