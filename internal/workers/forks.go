package workers

import (
	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/workers/queues"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// forks holds the branches that the work on a worker has forked and not yet
// joined, but for the oldest, which are on offer: in the queue Branches of the
// worker.
//
// # Protocol
//
// The worker takes its newest branch back, others steal its oldest, as in any
// scheduler for divide and conquer (Blumofe and Leiserson, Scheduling
// Multithreaded Computations by Work Stealing, JACM 1999). Nearly every branch
// is taken back, so it should not cost atomic operations to have been on offer.
// Only the oldest few are therefore in a deque that thieves see; the newer ones
// lie in private memory, and move up when there is room. As long as anybody is
// idle, all are on offer. Private branches are those that would be stolen last,
// behind [offered] larger ones, so nobody misses them until their owner comes
// to its next fork or join.
//
// Private branches belong to the fiber that runs. When it leaves the worker,
// before it is done, they go on offer: by then it may be anyone who gets them.
//
// # Tried and rejected
//
// All branches in the deque: fib(27) takes 1.8 times as long, because of the
// locked instructions of push and pop.
type forks struct {
	private []*Node // Newer than all on offer; the ones before base have moved up.
	base    int
}

const (
	// offered is how many branches are on offer while everybody is busy.
	offered = 8
	// forksCapacity is the size of the deque; what is beyond stays private.
	forksCapacity = 256
)

// onOffer is how many branches stay on offer. In a model it is one, so that two
// are enough to have a private one.
func onOffer() int {
	if xatomic.Checked {
		return 1
	}
	return offered
}

// fork puts a branch of the running work where it is either taken back by
// takeBack, or stolen. It must run on the worker.
func (w *Worker) fork(n *Node) {
	if w.s.sim != nil && w.s.sim.steal(n) {
		return
	}
	q := &w.forks
	q.private = append(q.private, n)
	// The word is zero while nobody searches or sleeps, and rarely written then.
	// Workers that are reserved for urgent work don't take branches.
	if w.queues.Branches.Len() < onOffer() || w.s.lot.Open().Idle() {
		w.offerForks()
	}
}

// offerForks moves private branches up: all if anybody is idle.
func (w *Worker) offerForks() {
	q := &w.forks
	w.signOfLife()
	for q.base < len(q.private) && w.queues.Branches.Push(q.private[q.base]) {
		q.private[q.base] = nil
		q.base++
		w.s.lot.Wake(queues.Normal)
		if w.queues.Branches.Len() >= onOffer() && !w.s.lot.Open().Idle() {
			break
		}
	}
	if q.base == len(q.private) {
		q.private, q.base = q.private[:0], 0
	}
}

// takeBack takes the newest branch if it is n. It returns false if another
// worker has n or will have it. It must run on the worker.
func (w *Worker) takeBack(n *Node) bool {
	q := &w.forks
	if last := len(q.private) - 1; last >= q.base {
		// Private branches are the running fiber's, so the newest is its newest.
		if invariants.Enabled {
			invariants.Check(q.private[last] == n, "a fiber joins a branch that is not its newest")
		}
		q.private[last] = nil
		q.private = q.private[:last]
		if last == q.base {
			q.private, q.base = q.private[:0], 0
		} else if w.queues.Branches.Len() < onOffer() {
			w.offerForks()
		}
		return true
	}
	newest := w.queues.Branches.Pop()
	if newest == nil || newest == n {
		return newest != nil
	}
	// The fiber has been away in between, and n is on offer elsewhere or deeper.
	w.putOnOffer(newest)
	w.s.lot.Wake(queues.Normal) // Somebody may have looked just now, and gone to sleep.
	return false
}

// leaveForks puts all branches on offer, since the fiber that forked them leaves
// the worker.
func (w *Worker) leaveForks() {
	if len(w.forks.private) != 0 {
		w.shareForks()
	}
}

func (w *Worker) shareForks() {
	q := &w.forks
	for _, n := range q.private[q.base:] {
		w.putOnOffer(n)
	}
	clear(q.private)
	q.private, q.base = q.private[:0], 0
	w.s.lot.Wake(queues.Normal)
}

func (w *Worker) putOnOffer(n *Node) {
	if !w.queues.Branches.Push(n) {
		w.s.Share(n, Normal)
	}
}
