package sched

import "time"

const (
	// fairTurn is how often a worker looks into the shared queues before its
	// own, so that work from outside is not starved. The number is Go's and
	// tokio's: prime, so that it does not beat with the program's own rhythms.
	fairTurn = 61
	// fairTime is the same for a worker whose pieces of work take long: its own queue may hold hundreds of pieces of 1 ms.
	// It takes a batch then. Picked out of thin air.
	fairTime = 10 * time.Millisecond
	// injectorBatch is how many nodes a worker takes from a shared queue at
	// once beyond the one it runs: enough to make the lock cheap.
	injectorBatch = 32
	// nextCapacity bounds the interrupted pieces of work that a worker keeps;
	// more go to the shared queue.
	nextCapacity = 64
)

// poll looks into the worker's own queues and the shared ones.
func (w *Worker) poll() (*Node, Priority) {
	shared := &w.s.injector
	waiting := shared.mask.Load()
	if waiting&Critical.bit() != 0 {
		if n := shared.take(Critical, nil, 0); n != nil {
			return n, Critical
		}
	}
	w.turn++
	late := w.clockAt-w.fairAt > fairTime
	fair := w.turn%fairTurn == 0 || late
	if fair && waiting != 0 {
		w.fairAt = w.clockAt
		for p := High; p <= w.tier; p++ {
			if waiting&p.bit() != 0 {
				batch := 0 // What lies in the own queue waits behind all that is more urgent there.
				if late && !w.hasMoreUrgent(p) {
					batch = injectorBatch
				}
				if n := w.s.injector.take(p, w.local[p], batch); n != nil {
					return n, p
				}
			}
		}
	}
	mine := w.inbox.mask.Load()
	if mine != 0 && w.placedFirst(mine, waiting) {
		if n, p := w.takePlaced(); n != nil {
			return n, p
		}
	}
	if n := w.first.Pop(); n != nil {
		return n, Normal
	}
	if n := w.forks.offer.Pop(); n != nil {
		return n, Normal
	}
	for p := High; p <= w.tier; p++ {
		if n := w.local[p].Take(); n != nil {
			if w.cold > 0 {
				w.warmNext(p)
			}
			return n, p
		}
		if waiting&p.bit() != 0 {
			if n := w.s.injector.take(p, w.local[p], injectorBatch); n != nil {
				w.warm(n, p)
				return n, p
			}
		}
	}
	if mine != 0 {
		return w.takePlaced()
	}
	return nil, 0
}

// hasMoreUrgent reports whether the worker's own queues have work that goes before work of priority p.
func (w *Worker) hasMoreUrgent(p Priority) bool {
	for q := High; q < p; q++ {
		if w.local[q].Len() != 0 {
			return true
		}
	}
	return false
}

// push queues n on this worker. It must run on the worker.
func (w *Worker) push(n *Node, p Priority) {
	if w.s.sim != nil {
		w.s.sim.queue(true, n, p)
		return
	}
	if p == Critical || p > w.tier || !w.local[p].Push(n) {
		w.signOfLife()
		w.s.share(n, p)
		return
	}
	w.signOfLife()
	// A single node is left to this worker, which mostly is about to take it:
	// two actors that talk to each other stay on one worker and wake nobody. But
	// where the work takes long, or there is more, another one shall help.
	if w.heavy || w.local[p].Len() > 1 {
		w.s.idle.wake(p)
	}
}

// pushNext queues n so that this worker takes it before its other work. It
// must run on the worker.
func (w *Worker) pushNext(n *Node) {
	if w.s.sim != nil {
		w.s.sim.queue(true, n, Normal)
		return
	}
	w.signOfLife()
	if !w.first.Push(n) {
		w.s.share(n, priorityOfInterrupted(n))
	}
}

// priorityOfInterrupted says with which priority work is shared that should be
// continued before other work. The caller must have taken it out of a queue.
func priorityOfInterrupted(n *Node) Priority {
	if f, ok := n.origin().runner.(*Fiber); ok {
		return min(f.priority, Normal)
	}
	return Normal
}

// isBare reports whether nothing is queued that the worker might take before it
// searches.
func (w *Worker) isBare() bool {
	for p := High; p < numPriorities; p++ {
		if w.local[p].Len() != 0 {
			return false
		}
	}
	return w.first.Len() == 0 && w.forks.offer.Len() == 0 && w.inbox.mask.Load() == 0 &&
		w.s.injector.mask.Load()&w.crew().takes() == 0
}
