package workers

import "github.com/troupe-go/troupe/internal/workers/queues"

const (
	// keepPreferred is how many pieces of preferred work may wait without others
	// taking any. Picked out of thin air; a few waiting pieces are no overload.
	keepPreferred = 4
	// overloadFactor is how many times the others' mean load makes a worker
	// overloaded.
	overloadFactor = 2
)

// overloaded reports whether others shall take the worker's preferred work.
func (w *Worker) overloaded() bool {
	if w.queues.Inbox.Preferred() <= keepPreferred {
		return false
	}
	workers := (*w.s.workers.Load())[:w.s.cfg.Workers]
	others := 0
	for _, other := range workers {
		if other != w {
			others += other.queues.Pieces()
		}
	}
	return w.queues.Pieces()*(len(workers)-1) > overloadFactor*others
}

// overflows reports whether some worker has more preferred work than it shall
// keep to itself.
func (s *Scheduler) overflows() bool {
	for _, w := range *s.workers.Load() {
		if w.overloaded() {
			return true
		}
	}
	return false
}

// relieve takes preferred work of an overloaded worker, the oldest and more, up
// to half of it.
func (w *Worker) relieve(victim *Worker) (*Node, Priority) {
	if victim == w || w.tier < Low || !victim.overloaded() {
		return nil, 0
	}
	n, p := w.stealPlaced(victim, queues.Preferred, victim.queues.Inbox.Preferred())
	if n != nil {
		w.at = home{victim, queues.Preferred}
	}
	return n, p
}

// stealPlaced takes the most urgent work of a kind out of the victim's inbox,
// where so many nodes of it are, and moves some of what is behind it here; see
// [Worker.haul].
func (w *Worker) stealPlaced(victim *Worker, kind queues.Bond, length int) (*Node, Priority) {
	first, p := victim.queues.Inbox.TakeOf(kind)
	w.policy.Tried(first == nil)
	if first == nil {
		return nil, 0
	}
	w.count.Stolen++
	first.stolen()
	pace := victim.pace.Known()
	cost := estimate(first, pace)
	w.policy.Stole(cost)
	moved, atMost := 1, w.policy.AtMost(length)
	for left := w.policy.Load() - cost; moved < atMost && left > 0; moved++ {
		n, q := victim.queues.Inbox.TakeOf(kind)
		if n == nil {
			break
		}
		w.count.Stolen++
		n.stolen()
		n.arrived()
		left -= estimate(n, pace)
		w.push(n, Priority(q))
	}
	if moved > 1 {
		w.policy.MovedBatch()
	}
	return first, Priority(p)
}

// spill moves the work that prefers w to the shared queues, where any worker takes it.
func (s *Scheduler) spill(w *Worker) {
	if w.queues.Inbox.Preferred() == 0 {
		return
	}
	s.carry(func() {
		for range w.queues.Inbox.Preferred() {
			n, p := w.queues.Inbox.TakeOf(queues.Preferred)
			if n == nil {
				return
			}
			s.Share(n, Priority(p))
		}
	})
}
