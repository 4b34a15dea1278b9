package steal

import (
	"time"

	"github.com/troupe-go/troupe/sched"
)

// Due returns the load, and how much work is to be fed for it.
func (st *Stage) Due() (load, due float64) { return st.load, st.due() }

// Scheduler returns the scheduler.
func (st *Stage) Scheduler() *sched.Scheduler { return st.s }

// HoldFor changes for how long the acts block and spin hold a worker.
func (st *Stage) HoldFor(d time.Duration) { st.held = d }

// Feed has the feeder do what is due after d, with so many jobs unfinished, and
// returns how many trees it planted.
func (st *Stage) Feed(d time.Duration, unfinished int64) (trees uint64, err error) {
	st.queued.Add(unfinished)
	defer st.queued.Add(-unfinished)
	now := time.Now()
	f := feeding{last: now.Add(-d), probed: now, acted: now}
	err = f.step(st, now)
	return f.trees, err
}

// Contained calls f as the feeder would, with its panics contained.
func (st *Stage) Contained(f func()) {
	defer st.contain()
	f()
}

// Forget forgets a failure.
func (st *Stage) Forget() { st.failed = nil }

// Look is the message that has a Model look at its scene.
var Look = lookMsg{}

// Interrupt is the message that ends a Model from outside.
var Interrupt = interruptMsg{}

// Bar is bar.
var Bar = bar

// Short is short.
var Short = short
