package workers

import (
	"runtime"
	"time"

	"github.com/troupe-go/troupe/internal/xatomic"
)

const (
	// strideTarget is the time after which a worker looks at the clock again.
	strideTarget = 50 * time.Microsecond
	// giveWayAfter is how long a worker keeps its processor from the program's
	// other goroutines while every worker is busy. The Go runtime would take
	// it away only after 10 ms.
	giveWayAfter = 100 * time.Microsecond
	// besideAfter is the same while fewer workers are busy than there are processors, and
	// the program's own goroutines take the rest. Those may be what feeds the worker, and
	// to give way to them more often makes both wait; see decision 6.
	besideAfter = 400 * time.Microsecond
	// heavyAfter is the mean time of a piece of work from which on even a
	// single queued one is worth waking another worker for: several times the
	// price of the waking.
	heavyAfter = 20 * time.Microsecond
	// maxStride bounds how long a worker may be mistaken when its work becomes
	// heavier all of a sudden.
	maxStride = 16
	// slowAfter is how long it takes to let others run where they are too many:
	// far more than the switch, far less than a time slice.
	slowAfter = 200 * time.Microsecond
)

// meter is a worker's measure of time. See tick.
type meter struct {
	budget    int // How many ticks there are until the worker looks at the clock.
	stride    int
	heavy     bool // The last pieces of work took long.
	nudged    bool
	fresh     bool // The clock was read before the present piece of work.
	putBy     int  // Of the budget, by a nudge.
	clockAt   time.Duration
	gaveWayAt time.Duration
}

// nudge makes the worker give way at its next tick, because it has made a
// goroutine outside runnable. It does not have the worker look at the clock.
func (m *meter) nudge() {
	if !m.nudged {
		m.nudged = true
		m.putBy, m.budget = m.budget, 0
	}
}

// unnudge takes the nudge back: the caller gives way.
func (m *meter) unnudge() {
	m.nudged = false
	m.budget += m.putBy
}

// reset forgets the time that the worker has slept.
func (m *meter) reset() {
	m.clockAt = 0
	m.budget = 0
	m.nudged = false // It has slept: the goroutine runs.
	m.stride = 1
}

// tick is called for each piece of work, so it has to cost next to nothing. It
// looks at the clock (24 ns) only every stride calls; the stride follows from
// how long the last ones took.
func (w *Worker) tick() { w.spend(1) }

// spend is tick for work that is likely to be worth n small pieces.
func (w *Worker) spend(n int) {
	if w.meter.budget -= n; w.meter.budget < 0 {
		w.overspend()
	}
}

// overspend is the rest of spend, when the budget is spent or a nudge has put it by.
func (w *Worker) overspend() {
	if w.meter.nudged {
		w.meter.unnudge()
		if w.s.busy() >= w.s.processors {
			runtime.Gosched()
		}
		if w.meter.budget >= 0 {
			return
		}
	}
	w.readClock()
}

func (w *Worker) readClock() {
	now := w.s.now()
	w.lookedAt.Store(int64(now))
	w.publish()
	if w.hold.Load() == holdHeld {
		w.transitionToFree() // The work that holds the worker gives signs of life again.
	}
	if w.meter.clockAt == 0 {
		w.meter.gaveWayAt = now // By sleeping.
	} else {
		each := max(1, (now-w.meter.clockAt)/time.Duration(w.meter.stride))
		w.meter.heavy = each > heavyAfter
		w.pace.Measured(each)
		w.meter.stride = int(min(maxStride, max(1, strideTarget/each)))
	}
	w.meter.clockAt = now
	w.location.UpdateLater(&w.s.machine, w.s.flat, now)
	w.meter.budget = w.meter.stride - 1
	w.meter.fresh = true
	if w.mustGiveWay(now - w.meter.gaveWayAt) {
		w.meter.gaveWayAt = now
		runtime.Gosched()
	}
}

// mustGiveWay reports whether a worker that has kept its processor for so long lets other
// goroutines run, as every processor is taken: by workers, or also by the program's own
// goroutines. Else there is one for the others, and the Go runtime would wake a thread for it.
func (w *Worker) mustGiveWay(kept time.Duration) bool {
	return kept >= giveWayAfter && w.s.busy() >= w.s.processors || kept >= besideAfter && w.s.monitor.full.Load()
}

// stepAside lets other goroutines run between two rounds of a search. Where
// workers are held, it may be by endless loops. A worker that gives way to an
// endless loop returns after 10 ms, and submitters would rely on its search for so long. So when that
// has happened once, the worker goes through its search without a pause, and
// sleeps: a sleeper is woken at once.
func (w *Worker) stepAside() {
	if !w.s.anyHeld() {
		w.slow = false
		runtime.Gosched()
		return
	}
	if w.slow {
		return
	}
	before := w.s.now()
	runtime.Gosched()
	w.slow = w.s.now()-before > slowAfter
}

// rest is tick behind the last small piece of work that is at hand. Where a goroutine
// was made runnable and nothing else is queued, that one goes first, since it is most
// likely to bring the next piece. In a model the explorer says who goes first.
func (w *Worker) rest() {
	if w.meter.nudged && !xatomic.Checked && w.isBare() {
		w.meter.unnudge()
		runtime.Gosched()
	}
	w.tick()
}

// TimeOf returns the time that is so long after the scheduler's start.
func (s *Scheduler) TimeOf(sinceStart time.Duration) time.Time { return s.epoch.Add(sinceStart) }

// SinceStart returns how long t is after the scheduler's start.
func (s *Scheduler) SinceStart(t time.Time) time.Duration { return t.Sub(s.epoch) }
