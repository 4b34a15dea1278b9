package workers

import (
	"time"

	"github.com/troupe-go/troupe/internal/workers/queues"
	"github.com/troupe-go/troupe/internal/workers/settings"
)

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
	nextCapacity = settings.MaxPreemptionDepth
)

// poll looks into the worker's own queues and the shared ones.
func (w *Worker) poll() (*Node, Priority) {
	shared := &w.s.shared
	waiting := shared.Mask()
	if waiting&queues.Critical.Bit() != 0 {
		if n := shared.Take(queues.Critical, nil, 0); n != nil {
			return n, Critical
		}
	}
	w.turn++
	late := w.meter.clockAt-w.fairAt > fairTime
	fair := w.turn%fairTurn == 0 || late
	if fair && waiting != 0 {
		w.fairAt = w.meter.clockAt
		for p := High; p <= w.tier; p++ {
			if waiting&queues.Priority(p).Bit() != 0 {
				batch := 0 // Work in the own queue waits behind all that is more urgent there.
				if late && !w.queues.HasMoreUrgent(queues.Priority(p)) {
					batch = injectorBatch
				}
				if n := shared.Take(queues.Priority(p), w.queues.Local[p], batch); n != nil {
					return n, p
				}
			}
		}
	}
	mine := w.queues.Inbox.Mask()
	if mine != 0 && w.queues.InboxFirst(mine, waiting, w.turn&1 == 0) {
		if n, p := w.takePlaced(); n != nil {
			return n, p
		}
	}
	if n := w.queues.First.Pop(); n != nil {
		return n, Normal
	}
	if n := w.queues.Branches.Pop(); n != nil {
		return n, Normal
	}
	for p := High; p <= w.tier; p++ {
		if n := w.queues.Local[p].Take(); n != nil {
			if w.cold > 0 {
				w.warmNext(p)
			}
			return n, p
		}
		if waiting&queues.Priority(p).Bit() != 0 {
			if n := shared.Take(queues.Priority(p), w.queues.Local[p], injectorBatch); n != nil {
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

// push queues n on this worker. It must run on the worker.
func (w *Worker) push(n *Node, p Priority) {
	if w.s.sim != nil {
		w.s.sim.queue(true, n, p)
		return
	}
	if p == Critical || p > w.tier || !w.queues.Local[p].Push(n) {
		w.signOfLife()
		w.s.Share(n, p)
		return
	}
	w.signOfLife()
	// A single node is left to this worker, which mostly is about to take it:
	// two actors that talk to each other stay on one worker and wake nobody. But
	// where the work takes long, or there is more, another one shall help.
	if w.meter.heavy || w.queues.Local[p].Len() > 1 {
		w.s.lot.Wake(queues.Priority(p))
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
	if !w.queues.First.Push(n) {
		w.s.Share(n, priorityOfInterrupted(n))
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
	return w.queues.Empty() && w.s.shared.Mask()&w.park.Tier().Takes() == 0
}
