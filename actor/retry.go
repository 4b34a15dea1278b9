package actor

import (
	"fmt"

	"github.com/troupe-go/troupe/sched"
)

// WithRetry makes the message in which the actor fails the first one that its
// next incarnation handles, up to n times; after that it goes to the dead
// letters. A message that always fails can so cost n restarts, not more. Without
// this option no message is handled twice.
//
// Whoever has asked by the message goes on to wait meanwhile. A message whose
// handler was killed is not handled again, since that handler may still run.
func WithRetry(n int) Option {
	return func(o *options) error {
		if n < 1 || n > maxCapacity {
			return fmt.Errorf("actor: retry a message %d times; it must be 1 to %d", n, maxCapacity)
		}
		o.retry = n
		return nil
	}
}

// retrial remembers the message in which the actor has failed last: it is the
// one that was taken as the at-th of its lane, not counting what a process has kept.
// When it has gone back into its lane, before all others, at is where it is taken next.
type retrial struct {
	lane  Lane
	at    int64
	tries int
	kept  keptMessages // By a body that has ended.
}

// renew is called between two incarnations, when all messages are in their lanes again.
// The caller holds mu.
func (r *retrial) renew(p *proc) {
	if l := p.lanes[r.lane].Load(); l != nil && r.tries > 0 {
		r.at = l.handled() + 1
	}
	r.kept = keptMessages{}
}

// keptLocked returns how many messages of a lane the process has kept.
func (r *rare) keptLocked(which Lane) int64 {
	if r.body != nil {
		return int64(r.body.kept[which])
	}
	return int64(r.retrial.kept[which])
}

// giveBack deals with a message in which the actor has failed.
func (a *activation) giveBack(l *lane, which Lane, m any, reason error) {
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
	r, x := a.rareLocked(), a.ctx.Load()
	if at := l.handled() - r.keptLocked(which); r.retrial.lane != which || r.retrial.at != at {
		r.retrial = retrial{lane: which, at: at}
	}
	r.retrial.tries++
	tries := r.retrial.tries
	again := tries <= a.opts.retry && !x.fence.Load()
	if again {
		x.typed.stow(which, m) // It goes back with the stash, before that.
	} else {
		r.retrial = retrial{}
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
		a.rare.retrial = retrial{}
	}
	a.emptyPocket()
	var woken []sched.Waiter
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
	a.mu.Unlock()
	a.wake(woken)
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
	dropped := l.contents.empty(l.head)
	l.begin(0, 0)
	l.claimed = 0
	l.unclaimed.Store(0)
	l.publish(0)
	return dropped
}
