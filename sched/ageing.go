package sched

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/deque"
)

// ageing lets queued work rise by one priority for each Config.AgeAfter that it
// has waited, up to critical, until it runs. So an endless stream of more urgent
// work can't keep it from running for ever.
//
// # Marks
//
// Nodes have no time of arrival; it would cost each of them a look at the clock
// and 8 bytes. Instead the monitor notes now and then, for each queue, the time
// and the position after its newest node. The queues are first in, first out, so
// all that lies before a mark has waited since the mark, and what is before a
// mark older than AgeAfter rises: out of a worker's queue, or the shared one,
// into the shared one of the next priority, oldest first. Work that is meant for
// one worker rises within its inbox.
//
// Work rises therefore after AgeAfter to AgeAfter and an eighth. It begins to wait
// anew when it is moved: by rising itself, by a thief, or when a worker takes a
// batch from a shared queue; but then the thief or the worker runs some of it.
//
// Only the marks of interrupted work, which is taken newest first, may be in
// error, if that work went and came between two looks. It then rises too early.
//
// Where workers are reserved, nothing rises to where they would take it; see
// [idle.ceiling].
//
// What has risen runs as what it was submitted as; it only begins earlier.
type ageing struct {
	s *Scheduler
	// each is the time between two marks of a queue.
	each     time.Duration
	markedAt time.Duration
	shared   [numPriorities]marks
	local    []workerMarks // By the worker's id.
	risen    atomic.Uint64
}

// workerMarks are those of a worker's queues.
type workerMarks struct {
	local [numPriorities]marks
	first marks
	inbox [bonds][inboxSlots]marks
}

const (
	// marksPerAge is how many marks cover AgeAfter, so how exact it is.
	marksPerAge = 16
	// raiseBatch is how many nodes rise in one passage through the lock.
	raiseBatch = 64
)

// mark says that what lies before end was there at the time at.
type mark struct {
	at  time.Duration
	end int64
}

// marks are those of one queue, the oldest first.
type marks struct{ list []mark }

// due returns the position before which all has been there since the given time.
// Begin is the position of the oldest node.
func (m *marks) due(since time.Duration, begin int64) (end int64) {
	keep := 0
	for i, x := range m.list {
		if x.at > since && x.end > begin {
			break
		}
		if x.at <= since {
			end = x.end
		}
		keep = i + 1
	}
	m.list = append(m.list[:0], m.list[keep:]...)
	return end
}

// set marks the queue, which now ends at end. Earlier marks beyond that are of
// nodes that have left at the new end.
func (m *marks) set(now time.Duration, begin, end int64) {
	for i := range m.list {
		m.list[i].end = min(m.list[i].end, end)
	}
	if begin < end {
		m.list = append(m.list, mark{at: now, end: end})
	}
}

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
	for len(a.local) < len(workers) {
		a.local = append(a.local, workerMarks{})
	}
	since := now - a.s.cfg.AgeAfter
	// The more urgent first, lest something rises twice.
	for i, w := range workers {
		a.raise(w.first, &a.local[i].first, since, Normal, Critical)
		a.raisePlaced(w, &a.local[i].inbox, since)
	}
	for p := High; p < numPriorities; p++ {
		for i, w := range workers {
			a.raise(w.local[p], &a.local[i].local[p], since, p, p-1)
		}
		a.raiseShared(p, since)
	}
	a.mark(now, workers)
}

func (a *ageing) mark(now time.Duration, workers []*Worker) {
	for i, w := range workers {
		a.local[i].first.set(now, w.first.Taken(), w.first.End())
		a.markPlaced(now, w, &a.local[i].inbox)
		for p := High; p < numPriorities; p++ {
			a.local[i].local[p].set(now, w.local[p].Taken(), w.local[p].End())
		}
	}
	for p := High; p < numPriorities; p++ {
		begin, end := a.s.injector.span(p)
		a.shared[p].set(now, begin, end)
	}
}

// raise moves what is due from a worker's queue to the shared one of priority to.
func (a *ageing) raise(from *deque.Deque[Node], m *marks, since time.Duration, submitted, to Priority) {
	if len(m.list) == 0 {
		return
	}
	end := m.due(since, from.Taken())
	if to = max(to, a.s.idle.ceiling()); to >= submitted {
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
	a.s.idle.mu.Lock()
	defer a.s.idle.mu.Unlock()
	n := from.Take()
	if n != nil {
		a.s.injector.push(risen(n, submitted), to)
	}
	return n != nil
}

// raisePlaced lets rise what waits in a worker's inbox, within it.
func (a *ageing) raisePlaced(w *Worker, all *[bonds][inboxSlots]marks, since time.Duration) {
	for kind := placed; kind <= pinned; kind++ {
		for slot := range inboxSlots {
			m := &all[kind.index()][slot]
			if len(m.list) == 0 || slot == slotOf(Critical) {
				continue
			}
			begin, _ := w.inbox.span(kind, slot)
			end := m.due(since, begin)
			if kind != pinned && priorityOf(slot) <= a.s.idle.ceiling() {
				continue // Others may get it.
			}
			if moved := w.inbox.raise(kind, slot, end); moved > 0 {
				a.risen.Add(uint64(moved))
				a.s.delivered(home{w, kind}, Critical)
			}
		}
	}
}

func (a *ageing) markPlaced(now time.Duration, w *Worker, all *[bonds][inboxSlots]marks) {
	if w.inbox.mask.Load() == 0 {
		for kind := range all {
			clear(all[kind][:])
		}
		return
	}
	for kind := placed; kind <= pinned; kind++ {
		for slot := range inboxSlots {
			begin, end := w.inbox.span(kind, slot)
			all[kind.index()][slot].set(now, begin, end)
		}
	}
}

func (a *ageing) raiseShared(p Priority, since time.Duration) {
	m := &a.shared[p]
	if len(m.list) == 0 {
		return
	}
	begin, _ := a.s.injector.span(p)
	end := m.due(since, begin)
	if p <= a.s.idle.ceiling() {
		return
	}
	for moved := raiseBatch; moved == raiseBatch; {
		moved = a.s.injector.raise(p, end, raiseBatch)
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

// origin returns the node that n stands for: itself, if it has not risen.
func (n *Node) origin() *Node {
	if e, ok := n.runner.(*elder); ok {
		return e.of
	}
	return n
}

// Run runs the work. It is called by the scheduler.
func (e *elder) Run(f *Fiber, _ Priority) {
	f.running.Store(e.of)
	f.priority = e.submitted
	e.of.runner.Run(f, e.submitted)
}
