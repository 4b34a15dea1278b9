package sched

import (
	"slices"
	"sync/atomic"
	"time"
)

// A tape holds the last events of one worker, in a ring.
//
// The worker writes an event and then moves the end: plain memory and one
// atomic store, besides a look at the clock. It never waits for a reader. Who
// reads gives the worker a new tape, and then marks the old one as over; a worker
// that finds it so looks for the new one. So what the reader copies does not
// change, but for the one event that the worker may have been at: it is at the
// end, over the oldest, and later readers look there for it until there is something
// on the new tape, which comes after it. See kept.
//
// Tried and rejected: slots of atomic words, which the reader checks afterwards,
// seven atomic stores in place of one; pieces that are handed over when
// they are full, which leave out the last events, those that one looks for; and
// a reader that has events left out while it reads, which loses what one waits
// for.
type tape struct {
	slots []slot
	end   atomic.Uint64 // The number of the next event. Written by the worker.
	over  atomic.Bool   // There is a new tape. Written by the reader.
}

// slot is one event, as it is written.
type slot struct {
	at    time.Duration // Since the scheduler's epoch.
	label Label
	arg   int32
	kind  EventKind
}

// newTape returns a tape of n events, which is a power of two.
func newTape(n int) *tape { return &tape{slots: make([]slot, n)} }

// add is called by the worker that the tape belongs to. It returns false if the
// tape is over.
func (t *tape) add(e slot) bool {
	if t.over.Load() {
		return false
	}
	n := t.end.Load()
	t.slots[n&uint64(len(t.slots)-1)] = e
	t.end.Store(n + 1)
	return true
}

// since returns the events from number n on that are still there, the oldest
// first, and the number of the next one.
func (t *tape) since(n uint64) (some []slot, next uint64) {
	end, size := t.end.Load(), uint64(len(t.slots))
	if end >= size {
		n = max(n, end-size+1)
	}
	for ; n < end; n++ {
		some = append(some, t.slots[n&(size-1)])
	}
	return some, end
}

// kept is what was read of a worker so far.
type kept struct {
	last []slot // As many as a tape has at most, the oldest first.
	all  uint64 // How many there were before those, and with them.
	old  *tape  // The one before the present, which may have got one more event.
	read uint64 // The number of that.
}

// add takes what is new on a tape.
func (k *kept) add(t *tape, from uint64) (next uint64) {
	some, next := t.since(from)
	k.last = append(k.last, some...)
	k.last = slices.Clone(k.last[max(0, len(k.last)-len(t.slots)):])
	k.all += next - from
	return next
}

// turn gives the worker a new tape, and reads the one that it had. A worker that has
// written nothing on that may have been put aside while it was at the one before.
func (k *kept) turn(w *Worker, t *tape) {
	begun := t.end.Load() > 0
	if k.old != nil {
		if k.read = k.add(k.old, k.read); !begun {
			return
		}
	}
	if !w.tape.CompareAndSwap(t, newTape(len(t.slots))) {
		return // The recorder was closed.
	}
	t.over.Store(true)
	k.old, k.read = t, k.add(t, 0)
}

// write writes an event, if the worker is recorded.
func (w *Worker) write(e slot) {
	e.at = w.s.now()
	for t := w.tape.Load(); t != nil && !t.add(e); t = w.tape.Load() {
	}
}

// note writes an event without a label.
func (w *Worker) note(k EventKind, arg int) {
	if w.tape.Load() != nil {
		w.write(slot{kind: k, arg: int32(arg)})
	}
}

// noteWork writes an event about a piece of work.
func (w *Worker) noteWork(k EventKind, n *Node, p Priority) {
	if n == nil {
		return
	}
	if _, continued := n.runner.(*Fiber); continued {
		return // Which tells of itself.
	}
	w.write(slot{kind: k, arg: int32(p), label: n.label()})
}

// noteLeave is called before the fiber leaves its worker's stack, and noteReturn
// when it is back on one. A fiber without work has nothing to tell.
func (f *Fiber) noteLeave() {
	k := EventSuspend
	switch f.w.op {
	case opYield, opRotate:
		k = EventYield
	case opGiveWay:
		k = EventPreempt
	case opSwitch, opRest:
		return
	}
	f.w.noteWork(k, f.running.Load(), f.priority)
}
