package sched

import (
	"sync"
	"sync/atomic"
	"time"
)

// shelf keeps fibers without work that are more than a worker keeps for itself, for
// all workers: where tasks begin to wait by the thousand and end by the thousand,
// over and over, to make the fibers and their stacks anew, and to end them, takes
// longer than all else. What has lain here unused for a while is ended, by the monitor,
// which does not sleep while there is any, a few at each of its looks.
//
// Workers that are bound to threads keep theirs, since no other thread may resume
// those.
type shelf struct {
	size atomic.Int64 // How many there are. Written under mu.

	mu     sync.Mutex
	fibers []*Fiber // The one that was used last is the last.
	// least is how many there were at least since reviewed; they were not needed.
	least    int
	reviewed time.Duration
	excess   int // How many are to be ended.
	closed   bool
}

const (
	// shelfBatch is how many fibers a worker puts here or takes at a time.
	shelfBatch = 32
	// shelfReview is for how long fibers lie here unused until they are ended: a few
	// cycles of what comes in waves, and no time for what is over. Picked out of thin
	// air.
	shelfReview = 250 * time.Millisecond
	// shelfEnd is how many fibers the monitor ends at one look: 0.3 ms.
	shelfEnd = 256
)

// put takes fibers, or none if the workers leave. It reports whether it has.
func (l *shelf) put(fibers []*Fiber) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.fibers = append(l.fibers, fibers...)
	l.size.Store(int64(len(l.fibers)))
	return true
}

// take adds up to n fibers to pool, those that were used last.
func (l *shelf) take(pool []*Fiber, n int) []*Fiber {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := max(0, len(l.fibers)-n)
	pool = append(pool, l.fibers[left:]...)
	l.cut(left)
	return pool
}

// cut leaves the first n fibers. The caller holds mu.
func (l *shelf) cut(n int) {
	clear(l.fibers[n:])
	l.fibers = l.fibers[:n]
	l.least = min(l.least, n)
	l.excess = min(l.excess, n)
	l.size.Store(int64(n))
}

// review ends some of the fibers that were not needed of late. It is called by the
// monitor.
func (l *shelf) review(now time.Duration) {
	if l.size.Load() == 0 {
		return
	}
	for _, f := range l.unneeded(now) {
		f.co.Stop()
	}
}

// unneeded takes out fibers that are to be ended, those that were used longest ago.
func (l *shelf) unneeded(now time.Duration) (unneeded []*Fiber) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now-l.reviewed >= shelfReview {
		l.excess, l.least, l.reviewed = l.least, len(l.fibers), now
	}
	n := min(l.excess, shelfEnd)
	if n == 0 {
		return nil
	}
	unneeded = append(unneeded, l.fibers[:n]...)
	left := copy(l.fibers, l.fibers[n:])
	l.excess -= n
	l.cut(left)
	if left == 0 {
		l.fibers = nil
	}
	return unneeded
}

// close ends the fibers, and has workers end what they have from now on.
func (l *shelf) close() {
	l.mu.Lock()
	fibers := l.fibers
	l.fibers, l.closed = nil, true
	l.size.Store(0)
	l.mu.Unlock()
	for _, f := range fibers {
		f.co.Stop()
	}
}

// shelve makes room in the worker's pool, which is full.
func (w *Worker) shelve() {
	last := len(w.pool) - shelfBatch
	if w.s.cfg.PinWorkers || !w.s.shelf.put(w.pool[:shelfBatch]) {
		for _, f := range w.pool[:shelfBatch] {
			w.end(f)
		}
	}
	copy(w.pool, w.pool[shelfBatch:])
	clear(w.pool[last:])
	w.pool = w.pool[:last]
}
