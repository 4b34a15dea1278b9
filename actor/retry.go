package actor

import (
	"fmt"
	"slices"
)

// WithRetry makes the message in which the actor fails the first one that its
// next incarnation handles, up to n times; after that it goes to the dead
// letters. A message that always fails can so cost n restarts, not more. Without
// this option no message is handled twice. It is an error to spawn an actor with it
// that is never restarted: by [Spawn], or below what is no [Parent].
//
// The asker of the message goes on to wait meanwhile. A message whose
// handler was killed is not handled again, since that handler may still run. Of a
// reentrant actor, each handler that fails before the incarnation has ended has its
// message come again, also if it failed only because its context ended with that.
func WithRetry(n int) Option {
	return func(o *options) error {
		if n < 1 || n > maxCapacity {
			return fmt.Errorf("actor: retry a message %d times; it must be 1 to %d", n, maxCapacity)
		}
		o.retry = n
		return nil
	}
}

// retrial is a message in which the actor has failed, and which is back in its lane:
// the one that is taken as the at-th of that. It is in the stash before, and knows there
// how often it was tried.
type retrial struct {
	lane  Lane
	at    int64 // Or, while it is being put back, how many there are up to it, and a minus sign.
	tries int32
}

// triesLocked returns how often the actor has failed in the at-th message of a lane. The
// caller holds mu.
func (p *proc) triesLocked(which Lane, at int64) int32 {
	if p.rare == nil {
		return 0
	}
	for i := range p.rare.retrials {
		if r := &p.rare.retrials[i]; r.lane == which && r.at == at {
			return r.tries
		}
	}
	return 0
}

// triedLocked is triesLocked of the message that is being handled, the last that was
// taken of the lane, if no others are handled beside it. The caller holds mu.
func (p *proc) triedLocked(which Lane) int32 {
	if t := p.turnsLocked(); t != nil && t.current != nil {
		return t.current.tries
	}
	if l := p.lanes[which].Load(); l != nil {
		return p.triesLocked(which, l.handled())
	}
	return 0
}

// comesBackLocked notes how often a message was tried, which is going to be the n-th of those
// that are put back into a lane by putBackLocked. The caller holds mu.
func (p *proc) comesBackLocked(which Lane, n int, tries int32) {
	if tries > 0 {
		r := p.rareLocked()
		r.retrials = append(r.retrials, retrial{which, -int64(n), tries})
	}
}

// putBackLocked is told that n messages are about to be put before the others of a lane.
// They take the places of some that were handled, and are known by these from now on. The
// caller holds mu and is the consumer.
func (p *proc) putBackLocked(which Lane, l *lane, n int) {
	if p.rare == nil || len(p.rare.retrials) == 0 {
		return
	}
	last := l.handled()
	known := slices.DeleteFunc(p.rare.retrials, func(r retrial) bool { return r.lane == which && r.at > 0 && r.at <= last })
	for i := range known {
		if r := &known[i]; r.at < 0 {
			r.at = last - int64(n) - r.at
		}
	}
	p.rare.retrials = known
}

// giveBack deals with a message in which the actor has failed.
func (a *activation) giveBack(which Lane, m letter, reason error) {
	if a.opts.retry == 0 {
		a.abandon(m, reason)
		return
	}
	a.mu.Lock()
	if a.mu.Load()&termBits != a.term { // The lane may be the next incarnation's, and so are its tries.
		a.mu.Unlock()
		a.deadLetter(which, m, reason)
		return
	}
	x := a.ctx.Load()
	tries := a.triedLocked(which) + 1
	again := int(tries) <= a.opts.retry && !x.fence.Load() && a.phase.Load() != stopping
	if again {
		x.typed.stow(which, &m, tries)
	}
	a.mu.Unlock()
	if !again {
		a.deadLetter(which, m, fmt.Errorf("failed %d times: %w", tries, reason))
	}
}

// dropMail makes dead letters of all messages that were accepted.
func (a *activation) dropMail() {
	a.mu.Lock()
	if a.rare != nil {
		a.rare.retrials = nil
	}
	a.emptyPocket()
	var woken waiters
	var left leftovers
	for i := range a.lanes {
		l := a.lanes[i].Load()
		if l == nil {
			continue
		}
		left.take(a.proc, Lane(i), l)
		a.handled -= int64(left.letters[i].len())
		woken = l.admit(woken)
		a.limit(Lane(i), l)
	}
	if a.marked.Load() {
		a.todo |= Data.bit() // Their turn has come.
	}
	a.mu.Unlock()
	woken.tell(a.f)
	a.deadLetters(&left, ErrDropped)
}

// empty takes all messages out of the lane. They count as taken, so that the
// places of those that follow stay what they are. The caller is the consumer and
// holds the mutex.
func (l *lane) empty() letters {
	n := l.contents.pending()
	l.swapped, l.slid = l.swapped+l.slid+int64(n), 0
	if l.meter != nil {
		l.meter.reset(n)
	}
	asks := l.asks.empty(l.head, l.size, int(l.skipped))
	dropped := withAsks(l.contents.empty(l.head), asks)
	l.begin(0, 0)
	l.claimed = 0
	l.unclaimed.Store(0)
	l.publish(0)
	return dropped
}
