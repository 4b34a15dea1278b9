package actor

import (
	"time"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/sched"
)

// sendWaiter is a sender that waits for room. Its fields are guarded by the
// mailbox's mutex, except those that are set before it is shared.
type sendWaiter struct {
	message any          // A *M, to the message. Set before.
	size    int          // Of the message, if the actor's are weighed. Set before.
	asked   address      // The ask that the message belongs to. Set before.
	timer   *timer       // Whose tick it is, or nil. Set before.
	wake    sched.Waiter // Set before.
	wait    *asking      // Of the handler that sends, if it is one.
	done    bool
	err     error // Why the message was not accepted.
	// since is when the sender came, if the actor is observed.
	since time.Duration

	ahead, behind *sendWaiter // The neighbours in the queue.
	queued        bool
}

// end ends the wait, and adds the sender to those to be woken. It is in no queue any more.
func (w *sendWaiter) end(woken []sched.Waiter) []sched.Waiter {
	w.done = true
	w.endWait()
	return append(woken, w.wake)
}

// endWait makes known that the sender is not held up by the actor any more.
func (w *sendWaiter) endWait() {
	if w.wait != nil {
		w.wait.withdraw(onlyRound)
	}
}

// senders is a queue of senders that wait for room, in the order in which they came. Each operation takes constant
// time: there may be hundreds of thousands, and their contexts may end all at once. It is guarded by the mailbox's mutex.
type senders struct {
	first, last *sendWaiter
	n           int32
}

func (q *senders) push(w *sendWaiter) {
	if invariants.Enabled {
		invariants.Check(!w.queued, "a sender that waits already is queued again")
	}
	w.queued, w.ahead = true, q.last
	if q.last != nil {
		q.last.behind = w
	} else {
		q.first = w
	}
	q.last = w
	q.n++
}

// pop takes the first sender out of the queue, which is not empty.
func (q *senders) pop() *sendWaiter {
	w := q.first
	q.remove(w)
	return w
}

// remove takes w out of the queue. It does nothing if w is in none.
func (q *senders) remove(w *sendWaiter) {
	if !w.queued {
		return
	}
	if w.ahead != nil {
		w.ahead.behind = w.behind
	} else {
		q.first = w.behind
	}
	if w.behind != nil {
		w.behind.ahead = w.ahead
	} else {
		q.last = w.ahead
	}
	w.queued, w.ahead, w.behind = false, nil, nil
	q.n--
}
