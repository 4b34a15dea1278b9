// Package eventring keeps the last events of a worker in a ring that others read while the worker writes.
package eventring

import (
	"slices"
	"sync/atomic"
)

// Ring holds the last events of one worker.
//
// The worker writes an event and then moves the end: plain memory and one atomic store. It never waits for a reader. A
// reader gives the worker a new ring, and then marks the old one as over; a worker that finds the mark looks for the new
// ring. So the memory that the reader copies does not change. The one exception is the event that the worker may have
// been writing: it lies at the end, over the oldest. Later readers look there for it until the new ring, whose events are
// younger, holds something. See [Reader].
//
// Tried and rejected: slots of atomic words that the reader checks afterwards, since they need seven atomic stores instead
// of one; pieces that are handed over when they are full, since they leave out the last events, the ones that matter; and
// a reader during whose work no events are written, since that loses the event that everybody waits for.
type Ring[E any] struct {
	events []E
	end    atomic.Uint64 // The number of the next event. Written by the worker.
	over   atomic.Bool   // There is a new ring. Written by the reader.
}

// New returns a ring of n events, a power of two.
func New[E any](n int) *Ring[E] { return &Ring[E]{events: make([]E, n)} }

// Add is called by the worker that the ring belongs to. It returns false, and adds nothing, if the ring is over.
func (r *Ring[E]) Add(e E) bool {
	if r.over.Load() {
		return false
	}
	r.add(e)
	return true
}

func (r *Ring[E]) add(e E) {
	n := r.end.Load()
	r.events[n&uint64(len(r.events)-1)] = e
	r.end.Store(n + 1)
}

// Last returns the events that the ring holds, the oldest first, and how many there were before them. The caller keeps
// the writer away meanwhile.
func (r *Ring[E]) Last() (events []E, missing uint64) {
	events, next := r.since(0)
	return events, next - uint64(len(events))
}

// since returns the events from number n on that are still there, the oldest first, and the number of the next one.
func (r *Ring[E]) since(n uint64) (events []E, next uint64) {
	end, size := r.end.Load(), uint64(len(r.events))
	if end >= size {
		n = max(n, end-size+1)
	}
	for ; n < end; n++ {
		events = append(events, r.events[n&(size-1)])
	}
	return events, end
}

// Reader is what was read of one worker's rings so far. The zero Reader has read nothing. One goroutine at a time may use
// it.
type Reader[E any] struct {
	last []E      // As many as a ring has at most, the oldest first.
	all  uint64   // The number of all events, up to the newest in last.
	old  *Ring[E] // The ring before the present one. It may have got one more event.
	read uint64   // The number of that event.
}

// Events returns the last events that were read, the oldest first, and how many there were before them.
func (k *Reader[E]) Events() (events []E, missing uint64) {
	return k.last, k.all - uint64(len(k.last))
}

// Read replaces the worker's ring r, which at points to, with a new one, and reads r. It does nothing if at points to
// another ring by then.
//
// A worker that has written nothing on r may have been put aside while it wrote an event on the ring before. So that one
// is read once more, and r stays.
func (k *Reader[E]) Read(at *atomic.Pointer[Ring[E]], r *Ring[E]) {
	begun := r.end.Load() > 0
	if k.old != nil {
		if k.read = k.add(k.old, k.read); !begun {
			return
		}
	}
	if !at.CompareAndSwap(r, New[E](len(r.events))) {
		return
	}
	r.over.Store(true)
	k.old, k.read = r, k.add(r, 0)
}

// add takes the events of a ring from a number on.
func (k *Reader[E]) add(r *Ring[E], from uint64) (next uint64) {
	events, next := r.since(from)
	k.last = append(k.last, events...)
	k.last = slices.Clone(k.last[max(0, len(k.last)-len(r.events)):])
	k.all += next - from
	return next
}
