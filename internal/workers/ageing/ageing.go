package ageing

import (
	"iter"
	"math"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/deque"
	"github.com/troupe-go/troupe/internal/workers/parking"
	"github.com/troupe-go/troupe/internal/workers/queues"
)

// Scheduler is what Ageing has to know of the scheduler to which the queues belong.
type Scheduler[T any] interface {
	// Queues returns the queues of each worker, by the worker's id: always in the order of
	// the ids, and none that was there before is missing.
	Queues() iter.Seq2[int, *queues.Own[T]]
	// Risen returns what is queued in place of an element that rises and was submitted with
	// priority p.
	Risen(element *T, p queues.Priority) *T
	// Summon has a worker come to work that is in the shared queue of priority p now.
	Summon(p queues.Priority)
	// Delivered has a worker come to work that has risen in the inbox of a worker.
	Delivered(worker int, bond queues.Bond)
}

// Ageing lets queued work rise by one priority for each Config.AgeAfter that it
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
type Ageing[T any] struct {
	s      Scheduler[T]
	shared *queues.Shared[T]
	lot    *parking.Lot
	after  time.Duration // For how long work waits until it rises.
	// each is the time between two marks of a queue.
	each     time.Duration
	markedAt time.Duration
	marks    queues.SharedMarks
	own      []queues.OwnMarks // By the worker's id.
	risen    atomic.Uint64
}

const (
	// marksPerAge is how many marks cover AgeAfter, so how exact it is.
	marksPerAge = 16
	// raiseBatch is how many nodes rise in one passage through the lock.
	raiseBatch = 64
)

// New returns the ageing of work that rises after so long; 0 means never.
func New[T any](after time.Duration, shared *queues.Shared[T], lot *parking.Lot, s Scheduler[T]) *Ageing[T] {
	a := &Ageing[T]{s: s, shared: shared, lot: lot, after: after, each: math.MaxInt64}
	if after != 0 {
		a.each = max(1, after/marksPerAge)
	}
	return a
}

// Every returns how often there is something to look at.
func (a *Ageing[T]) Every() time.Duration { return a.each }

// Count returns how often work has risen. Any goroutine may ask.
func (a *Ageing[T]) Count() uint64 { return a.risen.Load() }

// Look lets rise what is due. It is called by the monitor, and has something to
// do marksPerAge times in AgeAfter.
func (a *Ageing[T]) Look(now time.Duration) {
	if now-a.markedAt < a.each {
		return
	}
	a.markedAt = now
	since := now - a.after
	// The more urgent first, so that nothing rises twice.
	known := 0
	for id, q := range a.s.Queues() {
		if id == len(a.own) {
			a.own = append(a.own, queues.OwnMarks{})
		}
		a.raise(q.First, &a.own[id].First, since, queues.Normal, queues.Critical)
		a.raisePlaced(id, q, since)
		known = id + 1
	}
	for p := queues.High; p < queues.Priorities; p++ {
		for id, q := range a.s.Queues() {
			if id < known {
				a.raise(q.Local[p], &a.own[id].Local[p], since, p, p-1)
			}
		}
		a.raiseShared(p, since)
	}
	for id, q := range a.s.Queues() {
		if id < known {
			q.Mark(now, &a.own[id])
		}
	}
	a.shared.Mark(now, &a.marks)
}

// raise moves what is due from a worker's queue to the shared one of priority to.
func (a *Ageing[T]) raise(from *deque.Deque[T], m *queues.Marks, since time.Duration, submitted, to queues.Priority) {
	end := queues.DueOf(from, m, since)
	if to = max(to, a.lot.Ceiling()); to >= submitted {
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
func (a *Ageing[T]) raiseOne(from *deque.Deque[T], submitted, to queues.Priority) bool {
	a.lot.Lock()
	defer a.lot.Unlock()
	n := from.Take()
	if n != nil {
		a.shared.Push(a.s.Risen(n, submitted), to)
	}
	return n != nil
}

// raisePlaced lets rise what waits in a worker's inbox, within it.
func (a *Ageing[T]) raisePlaced(id int, q *queues.Own[T], since time.Duration) {
	q.Inbox.RaiseDue(&a.own[id], since, a.lot.Ceiling(), a.s.Risen, func(bond queues.Bond, moved int) {
		a.risen.Add(uint64(moved))
		a.s.Delivered(id, bond)
	})
}

func (a *Ageing[T]) raiseShared(p queues.Priority, since time.Duration) {
	end := a.shared.Due(p, &a.marks, since)
	if end == 0 || p <= a.lot.Ceiling() {
		return
	}
	for moved := raiseBatch; moved == raiseBatch; {
		moved = a.shared.Raise(p, end, raiseBatch, a.s.Risen)
		a.count(moved, p-1)
	}
}

func (a *Ageing[T]) count(moved int, to queues.Priority) {
	if moved > 0 {
		a.risen.Add(uint64(moved))
		a.s.Summon(to)
	}
}
