package actor

import (
	"context"
	"errors"
	"time"
)

// tick is what a timer sends, as code sees it that is the same for all types of
// messages.
type tick interface {
	timed() *timer
	message() any
	// pointer returns a *M, to the message.
	pointer() any
	// askedBy returns the ask that the message belongs to.
	askedBy(in *laneAsks) address
	weigh(o *overflow) (size int, err error)
	// putFirst makes the message the first of those in hand. The caller is the
	// consumer, and holds the mutex.
	putFirst(l *lane)
}

// enter gives the tick its place in its lane, or among those that wait for room there. It
// returns false if the tick has neither.
func (t *timer) enter() (there bool, err error) {
	p, which, m, ctx := t.target, t.which, t.mark.of.(tick), context.Background()
	if p.sys.simulated {
		p.sys.interleave(ctx)
	}
	size := 0
	if o := p.opts.overflow; o != nil && o.limit.Bytes > 0 {
		if size, err = m.weigh(o); err != nil {
			return false, err
		}
	}
	p.mu.Lock()
	switch {
	case !t.may:
		p.mu.Unlock()
		return false, errRevoked
	case p.closed && (t.every == 0 || !t.mark.listed): // A tick behind one that waits is left out, as always.
		if p.isStandIn() {
			t.may = t.every > 0
			p.mu.Unlock()
			return false, t.carry(m)
		}
		t.may = false
		p.mu.Unlock()
		return false, p.refuse(which, letter{message: m.message()}, 0, ErrStopped)
	}
	t.may = t.every > 0
	l := p.laneLocked(which)
	var asked address
	if l.asks != nil {
		asked = m.askedBy(l.asks)
		if p.reentrancy == CallChainReentrancy && p.invitesLocked(asked) {
			p.letIn(ctx, which, asked, m.pointer())
			return false, nil
		}
	}
	v := t.judge(l, size)
	switch {
	case v.waits && t.every > 0:
		p.mu.Unlock()
		return false, ErrFull
	case v.waits:
		t.awaitRoom(l, size, asked)
		return true, nil
	case v.drop != nil:
		p.carryOut(ctx, &v, 0, address{})
		return false, p.overflowed(which, letter{message: m.message()}, 0, v.drop)
	}
	asked = p.entrust(asked)
	t.enterLane(l, size, p.stampTime(l))
	p.carryOut(ctx, &v, which.bit(), asked)
	return true, nil
}

// carry sends the tick to an actor elsewhere. Where there is no room, a message that is sent once waits for it on a goroutine of
// its own, and can't be taken back any more; one of many is left out.
func (t *timer) carry(m tick) error {
	p, which, at := t.target, t.which, m.pointer()
	err := p.sendElsewhere(background, which, at, 0, address{})
	switch {
	case err == nil || t.every > 0 && errors.Is(err, ErrFull):
		return err
	case errors.Is(err, ErrFull):
		go func() {
			if err := p.sendElsewhere(background, which, at, mayWait, address{}); err != nil {
				p.loseTick(which, m, err)
			}
		}()
	default:
		p.loseTick(which, m, err)
	}
	return err
}

// loseTick makes a dead letter of a tick that could not be carried. Nobody else learns of it.
func (p *proc) loseTick(which Lane, m tick, reason error) {
	if !errors.Is(reason, ErrStopped) { // Else it is one already.
		p.deadLetter(which, letter{message: m.message()}, reason)
	}
}

// errRevoked is why a tick was not accepted that was taken back before.
var errRevoked = errors.New("actor: the timer was stopped")

// awaitRoom puts the tick behind those that wait for room. Nobody waits with it: it is
// accepted, or refused, by the caller that makes room, or ends the wait. The caller
// holds the receiver's mu, which awaitRoom unlocks.
func (t *timer) awaitRoom(l *lane, size int, asked address) {
	w := &sendWaiter{message: t.mark.of.(tick).pointer(), size: size, asked: asked, timer: t}
	if l.stamp != nil {
		w.since = t.target.sys.uptime()
	}
	t.waiter = w
	t.target.queueLocked(nil, l, t.which, w)
}

// turnAwayLater has turnAway called by another goroutine.
func (refused waiters) turnAwayLater() {
	refused[0].timer.target.sys.clock.AfterFunc(0, refused.turnAway)
}

// turnAway makes dead letters of ticks that were refused.
func (refused waiters) turnAway() {
	defer func() { // If OnDeadLetter calls Goexit.
		if len(refused) > 0 {
			refused.turnAwayLater()
		}
	}()
	for len(refused) > 0 {
		w := refused[0]
		refused = refused[1:]
		w.timer.turnAway(w)
	}
}

// turnAway makes a dead letter of the tick, whose wait for room has ended with an error.
func (t *timer) turnAway(w *sendWaiter) {
	defer t.leaveOwner()
	p, m := t.target, t.mark.of.(tick)
	if w.err == ErrMailboxLimit { //nolint:errorlint // TakeIn wraps nothing.
		_ = p.overflowed(t.which, letter{m.message(), w.asked}, 0, w.err)
		return
	}
	p.dropTick(t.which, m, w.err, true)
}

// judge makes room for the tick, if it can, like proc.judge. A repeated tick
// gets none while the last one still waits, and is left out rather than dropped. The
// caller holds the receiver's mu.
func (t *timer) judge(l *lane, size int) (v verdict) {
	o := t.target.opts.overflow
	switch {
	case t.mark.listed, o == nil && l.crowded(), o != nil && t.every > 0 && o.buffers[t.which] < Sliding && l.crowded():
		v.waits = true
		return v
	case o == nil:
		return v
	}
	return t.target.judge(l, t.which, size)
}

// enterLane gives the tick its place behind what the lane has accepted. It was sent
// at since, or -1 if that is of no interest. The caller holds the receiver's mu.
func (t *timer) enterLane(l *lane, size int, since time.Duration) {
	t.size, t.since, t.waiter = size, since, nil
	t.target.place(&t.mark, t.which, l)
	l.countTicks(1)
	if l.meter != nil {
		l.meter.weigh(1, size)
	}
}

// leaveLane takes the tick out of the marks of its lane. The caller holds the
// receiver's mu.
func (t *timer) leaveLane(l *lane) {
	t.target.unmark(&t.mark, t.which)
	l.countTicks(-1)
	if l.meter != nil {
		l.meter.weigh(-1, -t.size)
	}
}

// revoke lets the timer send nothing any more, and takes back what waits, in its lane
// or for room there. It reports whether there was something: also what was to be sent
// once. Reason, if any, is what those get who have asked by what waits.
func (t *timer) revoke(reason error) bool {
	p, m := t.target, t.mark.of.(tick)
	p.mu.Lock()
	unsent := t.may
	t.may = false
	l := p.lanes[t.which].Load()
	var woken waiters
	entered, readmits := t.mark.listed, false
	switch w := t.waiter; {
	case entered:
		t.leaveLane(l)
		woken = l.takeIn(nil)
		readmits = p.readmitLocked()
	case w != nil && !w.done:
		l.withdraw(w)
		w.done, w.err = true, errRevoked
	default:
		p.mu.Unlock()
		return unsent
	}
	p.mu.Unlock()
	if entered && len(woken) > 0 {
		p.announce(nil, t.which.bit())
	}
	if readmits {
		p.announce(nil, pendingTurn)
	}
	woken.tell(nil)
	if l.asks != nil {
		if asked := m.askedBy(l.asks); asked.slot != nil {
			asked.release(p)
		}
	}
	if reason != nil {
		p.abandon(letter{message: m.message()}, reason)
	}
	return true
}

// isUnderWay reports whether the tick is still to be handled.
func (t *timer) isUnderWay() bool {
	t.target.mu.Lock()
	defer t.target.mu.Unlock()
	return t.may || t.mark.listed || t.waiter != nil && !t.waiter.done
}

// takeTicks takes all ticks out of a lane. The caller holds mu.
func (p *proc) takeTicks(which Lane, l *lane) (all []tick) {
	s := p.marksOf(which)
	if s == nil || l.ticks == 0 {
		return nil
	}
	for m := s.first; m != nil; {
		next := m.next
		if t, ok := m.of.(tick); ok {
			t.timed().leaveLane(l)
			all = append(all, t)
		}
		m = next
	}
	return all
}

// tickAtEnd returns the tick that is before, or else the last one that is behind,
// all messages in in, or nil. The caller holds mu.
func (p *proc) tickAtEnd(which Lane, l *lane, oldest bool) tick {
	s := p.marksOf(which)
	if s == nil || l.ticks == 0 {
		return nil
	}
	if oldest {
		for m := s.first; m != nil && m.at <= l.swapped+l.slid-s.taken; m = m.next {
			if t, ok := m.of.(tick); ok {
				return t
			}
		}
		return nil
	}
	for m := s.last; m != nil && m.at == l.arrived()-s.taken; m = m.prev {
		if t, ok := m.of.(tick); ok {
			return t
		}
	}
	return nil
}

// stampTime returns what time it is, if messages of the lane may be measured, else -1.
func (p *proc) stampTime(l *lane) time.Duration {
	if l.stamp == nil {
		return -1
	}
	return p.sys.uptime()
}

// join takes note that a tick has become the next message. It was sent at since. The
// caller is the consumer, and holds the mutex.
func (l *lane) join(since time.Duration) {
	if l.claimed == l.head {
		l.claim() // As the next term could not tell it from other messages.
	}
	l.swapped++
	st := l.stamp
	if st == nil {
		return
	}
	n := l.handled()
	if st.at >= n {
		st.at++
	}
	if since >= 0 && st.due(n) {
		st.set(n, since)
	}
	l.aim()
}

// pending returns how many messages wait behind those in hand. The caller holds the
// mutex.
func (l *lane) pending() int { return l.contents.pending() + int(l.ticks) }

// countTicks takes note that ticks have come, or left. The caller holds the mutex.
func (l *lane) countTicks(n int32) {
	l.ticks += n
	if !l.tight {
		l.fullAt = l.capacity - l.ticks
	}
	l.show()
}

// accept takes the message of a waiting sender, or the tick that waits. The caller
// holds the mutex.
func (l *lane) accept(w *sendWaiter) {
	switch {
	case w.timer == nil:
		l.contents.accept(w)
		if l.stamp != nil {
			if n := l.arrived() - 1; l.stamp.due(n) {
				l.stamp.set(n, w.since)
			}
		}
	case l.stamp == nil:
		w.timer.enterLane(l, w.size, -1)
	default:
		w.timer.enterLane(l, w.size, w.since)
	}
}
