package netio

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// watchdog barks when what it watches takes longer than it may. To begin and to end
// a watch, once for each message, sets a word: the timer goes on meanwhile, and when
// it fires the watchdog looks whether there is something to bark at.
//
// # Protocol
//
// The watching side sets due, then looks at fires, and sets the timer if that is not
// early enough. The timer's function finds nothing due, clears fires, then looks at
// due again. So either the one sees that there is no timer, or the other that there
// is something to watch. A bark is claimed by a swap of due, under mu. If the
// end of a watch finds it claimed, it waits for mu.
type watchdog struct {
	bark  func(why error)
	epoch time.Time // All times are since then. One of the program's clocks is enough so.
	// due is when the watch is over, nothing, or barking. Written by the watching side,
	// and by look.
	due atomic.Int64
	why error // The watching side writes it before due; look reads it once it has claimed the bark.
	// fires is when the timer does, or nothing. Written under mu.
	fires atomic.Int64

	mu    sync.Mutex
	timer *time.Timer
}

// Values of due and fires other than a time.
const (
	nothing int64 = 0
	barking int64 = -1
)

// now is the present time, since the epoch.
func (w *watchdog) now() time.Duration { return time.Since(w.epoch) }

// watch begins a watch. Rest must be called before the next. A negative limit is
// none.
func (w *watchdog) watch(from, limit time.Duration, why error) {
	if limit < 0 || limit > math.MaxInt64-from {
		return
	}
	due := max(int64(from+limit), 1)
	w.why = why
	w.due.Store(due)
	if fires := w.fires.Load(); fires == nothing || due < fires {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.set(due)
	}
}

// rest ends the watch. Whether it has barked is settled when rest has returned.
func (w *watchdog) rest() {
	if w.due.Load() == nothing {
		return
	}
	if w.due.Swap(nothing) == barking {
		w.mu.Lock()
		w.mu.Unlock() //nolint:staticcheck // Just to wait for the bark's end.
	}
}

// release also lets go of the timer.
func (w *watchdog) release() {
	w.due.Store(nothing)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
}

// set sets the timer. The caller holds mu.
func (w *watchdog) set(at int64) {
	w.fires.Store(at)
	left := max(time.Duration(at)-w.now(), 0)
	if w.timer == nil {
		w.timer = time.AfterFunc(left, w.look)
		return
	}
	w.timer.Reset(left)
}

// look is what the timer does.
func (w *watchdog) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		due := w.due.Load()
		switch {
		case due == nothing:
			if w.fires.Store(nothing); w.due.Load() == nothing {
				return
			}
		case due == barking:
			return
		case time.Duration(due) > w.now():
			w.set(due)
			return
		case w.due.CompareAndSwap(due, barking):
			w.fires.Store(nothing)
			w.bark(w.why)
			return
		}
	}
}
