package workers

import (
	"math/rand/v2"
	"time"

	"github.com/troupe-go/troupe/internal/workers/queues"
	"github.com/troupe-go/troupe/internal/workers/settings"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// LeastLoadedWorker returns the id of the worker with least to do among those that take
// work of priority p, for [Pinned] and [Preferred]. See sched.Scheduler.LeastLoadedWorker.
func (s *Scheduler) LeastLoadedWorker(p Priority) (id int, ok bool) {
	if w := s.leastLoaded(p); p < numPriorities && w != nil {
		return w.id, true
	}
	return 0, false
}

// scatters reports whether work from outside is to be handed to a worker.
func (s *Scheduler) scatters(p Priority) bool {
	return s.cfg.Placement == settings.LeastLoaded && p != Critical
}

// scatter hands n from outside to the worker with least to do.
func (s *Scheduler) scatter(n *Node, p Priority) {
	if w := s.leastLoaded(p); w != nil {
		s.enqueueAt(nil, n, p, home{w, queues.Placed})
		return
	}
	s.Share(n, p)
}

// leastLoaded returns the worker with least to do that takes work of priority p,
// or nil if all of those are blocked. Among equals, those that take the least
// else come first, then any.
func (s *Scheduler) leastLoaded(p Priority) (least *Worker) {
	workers := (*s.workers.Load())[:s.cfg.Workers]
	unknown := meanPace(workers)
	offset := 0
	if !xatomic.Checked { // A model must not depend on chance.
		offset = rand.IntN(len(workers))
	}
	var best time.Duration
	for i := range workers {
		w := workers[(offset+i)%len(workers)]
		if w.replaced() || p > w.tier {
			continue
		}
		load := w.load(unknown)
		if least == nil || load < best || load == best && w.tier < least.tier {
			least, best = w, load
		}
	}
	return least
}

// load is how long the worker will take for what it has to do, by its pace.
func (w *Worker) load(unknown time.Duration) time.Duration {
	pieces := w.queues.Pieces()
	if !w.park.Resting.Load() {
		pieces++ // It runs one, or is about to.
	}
	return time.Duration(pieces) * w.pace.Or(unknown)
}

// meanPace returns the mean of the paces that are known. If none is, the unit
// does not matter.
func meanPace(workers []*Worker) time.Duration {
	var sum, known time.Duration
	for _, w := range workers {
		if pace := w.pace.Known(); pace > 0 {
			sum += pace
			known++
		}
	}
	if known == 0 {
		return time.Microsecond
	}
	return max(1, sum/known)
}
