package workers

import (
	"time"

	"github.com/troupe-go/troupe/internal/workers/queues"
)

// A worker's hold is one atomic word: whether it gets on with its work.
//
//	free --monitor--> held --monitor or submitter--> replaced
//	held, replaced --the worker itself--> free
//
// Held is a note only: the worker keeps its place among the awake. It is what
// lets a submitter tell that nobody will come to its work; see
// [monitor.relieve]. In the state replaced, a spare worker has the place.
//
// A worker that goes to rest must be free. Else it would be counted twice, or would sleep
// in a place that it has lost. So it looks at its hold once more after it has said that it
// rests, and a goroutine that changes its hold looks after that whether it rests.
const (
	holdFree uint32 = iota
	holdHeld
	holdReplaced
)

// criticalAfter is how long every worker must have been silent before critical
// work does not wait for the monitor to notice. Workers whose work is short, or
// has checkpoints, look at their clock every 100 us or so. Less would take a
// worker that the Go runtime has put aside for one that is held; to be wrong
// costs the start of a spare, about 5 us.
const criticalAfter = 500 * time.Microsecond

func (w *Worker) replaced() bool { return w.hold.Load() == holdReplaced }

// transitionToHeld marks a worker that gives no sign of life.
func (w *Worker) transitionToHeld() {
	if w.hold.Load() != holdFree || w.park.Resting.Load() || !w.hold.CompareAndSwap(holdFree, holdHeld) {
		return
	}
	w.s.held.Add(1)
	if w.park.Resting.Load() {
		w.transitionToFree()
	}
}

// transitionToReplaced takes the worker's place for a spare. It returns false if
// the worker rests, and so is in no need of one.
func (w *Worker) transitionToReplaced() bool {
	switch w.hold.Swap(holdReplaced) {
	case holdReplaced:
		return false
	case holdHeld:
		w.s.held.Add(-1)
	}
	// The worker may have come back just now; then there is one too many for a
	// moment, and a spare retires.
	return !w.park.Resting.Load() || !w.hold.CompareAndSwap(holdReplaced, holdFree)
}

// transitionToFree takes the worker's place back if that was taken from it. All
// others may be asleep, and the monitor with them, so it is to look again.
func (w *Worker) transitionToFree() {
	switch w.hold.Swap(holdFree) {
	case holdFree:
		return
	case holdHeld:
		w.s.held.Add(-1)
	case holdReplaced:
		w.park.Tier().TakePlace()
	}
	w.s.monitor.rouse()
}

// signOfLife tells that the worker is not held. A push is a sign, since from
// then on the monitor has to watch this queue again: what runs here may be held
// once more before it comes to the end.
func (w *Worker) signOfLife() {
	if w.hold.Load() != holdFree {
		w.transitionToFree()
	}
}

// aliveAt is when the worker last looked at the clock, as others may know it.
func (w *Worker) aliveAt() time.Duration { return time.Duration(w.lookedAt.Load()) }

// replace puts a spare worker into the place of w. It returns false when there
// are as many as allowed.
func (m *monitor) replace(w *Worker) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := len(m.retired) - 1
	if m.closed || m.s.settled.Load() {
		return false
	}
	if w.replaced() {
		return true
	}
	if last < 0 && m.spent() {
		m.refuse(w)
		return false
	}
	if !w.transitionToReplaced() {
		return true
	}
	w.published.Blocked.Add(1)
	w.noteBlocked()
	if last >= 0 {
		spare := m.retired[last]
		m.retired = m.retired[:last]
		m.resting.Add(-1)
		spare.park.Join(w.park.Tier())
		spare.park.Send() // The spare takes w's place among the awake.
		return true
	}
	m.spares++
	m.s.addWorker(w.park.Tier(), true)
	return true
}

// spent reports whether there are as many spares as there may be. Spares that stand in for
// workers with orphaned work don't count. The caller holds mu.
func (m *monitor) spent() bool {
	limit := m.s.cfg.MaxSpares
	return limit == 0 || m.spares >= limit && m.spares-m.s.orphaned() >= limit
}

// refuse counts a worker for which there is no spare, once for each piece of
// work. The caller holds mu.
func (m *monitor) refuse(w *Worker) {
	if began := w.began.Load(); !w.refused || w.refusedAt != began {
		w.refused, w.refusedAt = true, began
		m.limitReached.Add(1)
	}
	if m.s.cfg.MaxSpares > 0 && !m.exhausted.Swap(true) {
		m.shortage.report(m.s.now())
	}
}

// relieve is called by a submitter that has queued work of priority p for all workers while
// none of them slept. If every worker is held, it puts a spare into the place of one,
// without waiting for the monitor, which would need a processor first: when all are in
// endless loops that takes it 10 to 40 ms. The spare's goroutine is the next on the
// submitter's processor.
//
// For critical work it is enough that none has given a sign of life for a short
// time; the rest waits until the monitor has marked them. A worker that has begun
// nothing yet was started just now, and is about to look.
func (m *monitor) relieve(p Priority) {
	held := m.s.held.Load() >= m.s.lot.Awake()
	if p != Critical && (!held || m.exhausted.Load()) {
		return // Without a spare, the monitor alone tries again.
	}
	var now time.Duration
	if !held {
		now = m.s.now()
	}
	var silent *Worker
	for _, w := range *m.s.workers.Load() {
		switch {
		case w.urgent || w.park.Resting.Load() || w.replaced():
		case queues.Priority(p) > w.park.Tier().Least(): // A spare in its place would not take it either.
		case held && w.hold.Load() == holdHeld, !held && w.began.Load() > 0 && now-w.aliveAt() >= criticalAfter:
			if silent == nil || w.park.Tier().Least() <= silent.park.Tier().Least() {
				silent = w // In a place that is reserved the spare does nothing else.
			}
		case !held:
			return
		}
	}
	if silent != nil && (m.exhausted.Load() || !m.replace(silent)) {
		m.urge()
	}
	m.rouse()
}
