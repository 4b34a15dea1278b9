package workers

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/deque"
	"github.com/troupe-go/troupe/internal/workers/queues"
)

// ageing lets queued work rise by one priority for each Config.AgeAfter that it
// has waited, up to critical, until it runs. So an endless stream of more urgent
// work can't keep it from running for ever.
//
// # Marks
//
// The monitor notes now and then which work is in each queue; see [queues.Marks]. Work
// that has been there for longer than AgeAfter rises: out of a worker's queue, or the
// shared one, into the shared one of the next priority, oldest first. Work that is meant
// for one worker rises within its inbox.
//
// Work rises therefore after AgeAfter to AgeAfter and an eighth. Its wait starts
// over when it is moved: by rising itself, by a thief, or when a worker takes a
// batch from a shared queue; but then the thief or the worker runs some of it.
//
// Only the marks of interrupted work, which is taken newest first, may be in
// error, if that work went and came between two looks. It then rises too early.
//
// Where workers are reserved, nothing rises to where they would take it; see
// [parking.Lot.Ceiling].
//
// Work that has risen runs with the priority under which it was submitted; it only begins
// earlier.
type ageing struct {
	s *Scheduler
	// each is the time between two marks of a queue.
	each     time.Duration
	markedAt time.Duration
	shared   queues.SharedMarks
	own      []queues.OwnMarks // By the worker's id.
	risen    atomic.Uint64
}

const (
	// marksPerAge is how many marks cover AgeAfter, so how exact it is.
	marksPerAge = 16
	// raiseBatch is how many nodes rise in one passage through the lock.
	raiseBatch = 64
)

func newAgeing(s *Scheduler) ageing {
	if s.cfg.AgeAfter == 0 {
		return ageing{s: s, each: math.MaxInt64}
	}
	return ageing{s: s, each: max(1, s.cfg.AgeAfter/marksPerAge)}
}

// look lets rise what is due. It is called by the monitor, and has something to
// do marksPerAge times in AgeAfter.
func (a *ageing) look(now time.Duration) {
	if now-a.markedAt < a.each {
		return
	}
	a.markedAt = now
	workers := *a.s.workers.Load()
	for len(a.own) < len(workers) {
		a.own = append(a.own, queues.OwnMarks{})
	}
	since := now - a.s.cfg.AgeAfter
	// The more urgent first, so that nothing rises twice.
	for i, w := range workers {
		a.raise(w.queues.First, &a.own[i].First, since, Normal, Critical)
		a.raisePlaced(w, &a.own[i], since)
	}
	for p := High; p < numPriorities; p++ {
		for i, w := range workers {
			a.raise(w.queues.Local[p], &a.own[i].Local[p], since, p, p-1)
		}
		a.raiseShared(p, since)
	}
	for i, w := range workers {
		w.queues.Mark(now, &a.own[i])
	}
	a.s.shared.Mark(now, &a.shared)
}

// raise moves what is due from a worker's queue to the shared one of priority to.
func (a *ageing) raise(from *deque.Deque[Node], m *queues.Marks, since time.Duration, submitted, to Priority) {
	end := queues.DueOf(from, m, since)
	if to = max(to, Priority(a.s.lot.Ceiling())); to >= submitted {
		return
	}
	moved := 0
	for from.Taken() < end && a.raiseOne(from, submitted, to) {
		moved++
	}
	a.count(moved, to)
}

// raiseOne moves one node. It holds the lock under which a stopping scheduler
// makes sure that nothing is queued, since the node is nowhere for a moment.
func (a *ageing) raiseOne(from *deque.Deque[Node], submitted, to Priority) bool {
	a.s.lot.Lock()
	defer a.s.lot.Unlock()
	n := from.Take()
	if n != nil {
		a.s.shared.Push(risen(n, submitted), queues.Priority(to))
	}
	return n != nil
}

// raisePlaced lets rise what waits in a worker's inbox, within it.
func (a *ageing) raisePlaced(w *Worker, m *queues.OwnMarks, since time.Duration) {
	w.queues.Inbox.RaiseDue(m, since, a.s.lot.Ceiling(), risenIn, func(bond queues.Bond, moved int) {
		a.risen.Add(uint64(moved))
		a.s.delivered(home{w, bond}, Critical)
	})
}

func (a *ageing) raiseShared(p Priority, since time.Duration) {
	end := a.s.shared.Due(queues.Priority(p), &a.shared, since)
	if end == 0 || queues.Priority(p) <= a.s.lot.Ceiling() {
		return
	}
	for moved := raiseBatch; moved == raiseBatch; {
		moved = a.s.shared.Raise(queues.Priority(p), end, raiseBatch, risenIn)
		a.count(moved, p-1)
	}
}

func (a *ageing) count(moved int, to Priority) {
	if moved > 0 {
		a.risen.Add(uint64(moved))
		a.s.summon(to)
	}
}

// elder is work that has risen. It remembers as what it was submitted, which its
// runner relies on.
type elder struct {
	node      Node
	of        *Node
	submitted Priority
	second    bool // It is the second entry of a job; see Edge.
}

// risen returns the node under which n is queued with another priority.
func risen(n *Node, submitted Priority) *Node {
	e, ok := n.runner.(*elder)
	if !ok {
		e = &elder{of: n, submitted: submitted}
		e.node.Init(e)
	}
	return &e.node
}

func risenIn(n *Node, submitted queues.Priority) *Node { return risen(n, Priority(submitted)) }

// origin returns the node that n stands for: itself, if it has not risen.
func (n *Node) origin() *Node {
	if e, ok := n.runner.(*elder); ok {
		return e.of
	}
	return n
}

// Run runs the work. It is called by the scheduler.
func (e *elder) Run(f *Fiber, _ Priority) {
	if e.second && !e.of.job().claims(f) {
		return
	}
	f.running.Store(e.of)
	f.priority = e.submitted
	e.of.runner.Run(f, e.submitted)
}
