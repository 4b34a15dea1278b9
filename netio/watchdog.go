package netio

import (
	"sync"
	"time"
)

// watchdog barks when what it watches takes longer than it may. To begin and to end
// a watch, once for each message, costs a look at the clock: the timer goes on
// meanwhile, and when it fires the watchdog looks whether there is something to
// bark at.
type watchdog struct {
	bark func(why error)

	mu    sync.Mutex
	due   time.Time // Zero if nothing is watched.
	why   error
	timer *time.Timer
	fires time.Time // Zero if the timer is not set.
}

// watch begins a watch in place of the last one. A negative limit is none.
func (w *watchdog) watch(from time.Time, limit time.Duration, why error) {
	if limit < 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due, w.why = from.Add(limit), why
	if w.fires.IsZero() || w.due.Before(w.fires) {
		w.set(time.Until(w.due))
	}
}

// rest ends the watch. Whether it has barked is settled when rest has returned.
func (w *watchdog) rest() {
	w.mu.Lock()
	w.due = time.Time{}
	w.mu.Unlock()
}

// release also lets go of the timer.
func (w *watchdog) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due = time.Time{}
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *watchdog) set(d time.Duration) {
	w.fires = time.Now().Add(d)
	if w.timer == nil {
		w.timer = time.AfterFunc(d, w.look)
		return
	}
	w.timer.Reset(d)
}

func (w *watchdog) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := time.Until(w.due)
	switch {
	case w.due.IsZero():
		w.fires = time.Time{}
	case left > 0:
		w.set(left)
	default:
		w.due, w.fires = time.Time{}, time.Time{}
		w.bark(w.why)
	}
}
