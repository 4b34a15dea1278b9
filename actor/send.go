package actor

import (
	"context"
	"fmt"
	"reflect"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// sendMode says what a send does with a message that is not accepted at once.
type sendMode uint8

const (
	mayWait     sendMode = 1 << iota // For room in the lane.
	mayKeep                          // If the actor has stopped, the message stays the sender's.
	hasLingered                      // Has hoped for room once.
	isAsk                            // The caller asks, and has the limit of asks while it waits for room.
	comesBack                        // If the actor has stopped, the message comes back to a stand-in, which sends it once more.
)

// maySend does what comes before a send in a simulation, or where some
// incarnation was killed, and checks the lane.
func (p *proc) maySend(ctx context.Context, which Lane, mode sendMode) error {
	if p.sys.simulated {
		p.sys.interleave(ctx)
		if mode&mayWait == 0 && which < numLanes && p.opts.buffer(which) == Fixed && p.sys.scheduler.PretendsFull(p.opts.name) {
			return p.full(which)
		}
		p.traceSend(which)
	}
	if which >= numLanes {
		return fmt.Errorf("actor: unknown lane %d; use Data, Management or Control", which)
	}
	if err := fenced(ctx); err != nil {
		return p.notSent(err)
	}
	return nil
}

// notSent says where a message was to be sent to that was refused.
//
//go:noinline
func (p *proc) notSent(reason error) error { return fmt.Errorf("send to %s: %w", p, reason) }

// laneLocked returns a lane, which is made on first use. The caller holds mu.
func (p *proc) laneLocked(which Lane) *lane {
	l := p.lanes[which].Load()
	if l == nil {
		l = newLane(p.impl, p.opts.capacity[which], p.opts.tight(which))
		p.settleLane(l)
		if v := p.opts.overflow; v != nil && v.limit.isSet() {
			l.meter = &meter{of: v}
		}
		if which == Data && p.pocketed() != 0 {
			p.fillFromPocket(l)
		}
		if o := p.sys.probes.Load(); o != nil {
			if l.stamp = newStamp(o, p.pid); l.stamp != nil {
				p.moveStamp(l)
				l.aim()
			}
		}
		p.lanes[which].Store(l)
	}
	return l
}

// whyNotWait returns why a sender can't wait for room in a full lane, or nil.
func (p *proc) whyNotWait(ctx context.Context, l *lane, which Lane, mode sendMode) error {
	if mode&mayWait == 0 {
		return p.full(which)
	}
	if p.reentrancy != FullReentrancy && p.isCaller(ctx) {
		return fmt.Errorf("send to %s from its own handler, with %d messages in the %v lane: %w", p, l.capacity, which, ErrFull)
	}
	return nil
}

// Linger is how long a sender looks for room in a full lane before it goes to
// sleep: while the actor handles 1/lingerShare of the capacity, but no longer than
// lingerRounds pauses, some us. To sleep and be woken takes as long, and leaves
// the actor without work in between: without, a goroutine that sends to an actor
// that does nothing but count took twice as long for its messages.
const (
	lingerShare  = 8
	lingerRounds = 48
)

// linger waits a moment for room in a full lane, if the actor is running, or about
// to, on another processor. It returns false if it has not waited; else it has given
// back mu, which the caller holds.
func (p *proc) linger(ctx context.Context, l *lane) bool {
	if _, gathers := ctx.(*queuePlace); gathers {
		return false
	}
	if xatomic.Checked || p.sys.simulated || p.mu.Load()&(running|queuedNormal|queuedUrgent) == 0 || l.queue.Load() > 0 || l.capacity < strides ||
		p.sys.scheduler.Workers() == 1 {
		return false
	}
	if f, _ := p.sys.caller(ctx); f != nil {
		return false
	}
	rest := l.rest.Load()
	p.mu.Unlock()
	for range lingerRounds {
		if n := l.rest.Load(); n > rest || n <= rest-l.capacity/lingerShare {
			break
		}
		xatomic.Pause()
	}
	return true
}

// awaitRoom sends the message of w to a lane that is full, when there is room.
// The caller holds mu, which awaitRoom unlocks.
func (p *proc) awaitRoom(ctx context.Context, l *lane, which Lane, w *sendWaiter, mode sendMode) error {
	f, asker := p.sys.caller(ctx)
	if l.stamp != nil {
		w.since = p.sys.uptime()
	}
	if place, ok := ctx.(*queuePlace); ok {
		return p.queueUp(place, f, l, which, w)
	}
	var waiter workers.Waiter
	waiter.ArmOn(f, p.sys.scheduler)
	defer waiter.Disarm()
	w.wake = waiter
	if asker != nil || isUrgent(f, nil) {
		var up address
		if asker != nil {
			up = askedIn(ctx, f, asker)
		}
		w.wait = newWait(waiter, asker, p, up, SendWait, which)
		defer w.wait.endLift()
		defer w.endWait()
	}
	if !p.queueLocked(f, l, which, w) {
		return nil
	}
	if asker != nil {
		if err := asker.enterWait(f, p, w.wait, onlyRound); err != nil {
			return p.leaveQueue(w, which, mode, err)
		}
	}
	if w.wait != nil {
		w.wait.lift(f, asker, onlyRound)
	}
	if p.sys.simulated {
		p.sys.explain(ctx, func() string { return fmt.Sprintf("for room in the %v lane of %s", which, p) })
	}
	if mode&isAsk != 0 {
		var cancel context.CancelFunc
		ctx, cancel = p.sys.LimitAsk(ctx)
		defer cancel()
	}
	for {
		goOn := waiter.Wait(ctx)
		p.mu.Lock()
		done := w.done
		p.mu.Unlock()
		switch {
		case done, !goOn:
			return p.leaveQueue(w, which, mode, p.sys.explainLate(context.Cause(ctx)))
		case w.wait != nil && w.wait.isAnswered(onlyRound):
			return p.leaveQueue(w, which, mode, w.wait.err)
		}
	}
}

// queueLocked puts w behind the senders that wait. It returns false if there was
// room after all, and the message has been sent. The caller holds mu, which
// queueLocked unlocks.
func (p *proc) queueLocked(f *workers.Fiber, l *lane, which Lane, w *sendWaiter) (waits bool) {
	moved := p.entrust(w.asked)
	if waits = l.await(w); !waits {
		l.accept(w)
		l.show()
		if l.stamp != nil && w.timer == nil {
			p.stampLast(l)
		}
	}
	p.mu.Unlock()
	if !waits {
		p.announce(f, which.bit())
	}
	if moved.slot != nil {
		p.breakRing(moved)
	}
	return waits
}

// queuePlace is a context with which a send does not wait for room itself: it leaves
// its place among the waiting senders to a gathering.
type queuePlace struct {
	context.Context
	wake workers.Waiter
	w    *sendWaiter // Nil if there was room.
	lane Lane
}

// queueUp takes the place. The caller holds mu, which queueUp unlocks.
func (p *proc) queueUp(place *queuePlace, f *workers.Fiber, l *lane, which Lane, w *sendWaiter) error {
	w.wake = place.wake
	if p.queueLocked(f, l, which, w) {
		place.w, place.lane = w, which
	}
	return nil
}

// check returns whether the message was accepted or refused, and why the latter.
func (place *queuePlace) check(p *proc) (over bool, err error) {
	p.mu.Lock()
	over = place.w.done
	p.mu.Unlock()
	if over {
		err = p.leaveQueue(place.w, place.lane, mayWait, nil)
	}
	return over, err
}

// refuse deals with a message that the actor does not take, since it has
// stopped.
func (p *proc) refuse(which Lane, m letter, mode sendMode, reason error) error {
	if mode&(mayKeep|comesBack) == 0 {
		p.deadLetter(which, m, reason)
	}
	if reason == ErrStopped { //nolint:errorlint // As its callers give it.
		return (*ended)(p)
	}
	return p.notSent(reason)
}

// leaveQueue ends the wait of a sender. It returns why the message was not
// accepted: cause, unless something else came before that, or nil.
func (p *proc) leaveQueue(w *sendWaiter, which Lane, mode sendMode, cause error) error {
	p.mu.Lock()
	if w.done {
		p.mu.Unlock()
		if w.err == nil {
			return nil
		}
		m := letter{reflect.ValueOf(w.message).Elem().Interface(), w.asked}
		if w.err == ErrMailboxLimit { //nolint:errorlint // Admit wraps nothing.
			return p.overflowed(which, m, mode, w.err)
		}
		return p.refuse(which, m, mode, w.err)
	}
	l := p.lanes[which].Load()
	if l != nil { // It may have been replaced.
		l.withdraw(w)
	}
	p.mu.Unlock()
	if l != nil && w.asked.slot != nil {
		w.asked.release(p)
	}
	return &noRoom{p, which, cause}
}

// entrust makes known that the actor has the message of an ask from now on. If
// it was sent on to here, and the actor waits, entrust returns the address,
// since that may have closed a ring. The caller holds mu, and has not put the
// message into the lane yet.
func (p *proc) entrust(a address) address {
	switch {
	case a.slot == nil:
	case a.slot.place(a.round): // By the asker, to whom it has asked.
	case a.slot.hold(a.round, p) && p.mayWait(nil):
		return a
	}
	return address{}
}

// entrustIn is entrust for a message that is to be the i-th in the lane.
//
//go:noinline
func (p *proc) entrustIn(l *lane, i int, a address) address {
	if l.asks.keeps {
		l.asks.enter(i, a)
	}
	return p.entrust(a)
}

// abandon answers the asks that a message belongs to which will not be handled to its end.
func (p *proc) abandon(m letter, reason error) {
	m.abandon(fmt.Errorf("%w from %s: %w", ErrNoReply, p, reason))
}
