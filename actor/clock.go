package actor

import (
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// clock is the only source of time in this package, so that a simulated one can
// take its place.
type clock interface {
	Now() time.Time
	// Since is how long ago t was. It may be cheaper than Now.
	Since(t time.Time) time.Duration
	// AfterFunc calls f in a goroutine of its own when d has passed.
	AfterFunc(d time.Duration, f func()) alarm
}

// alarm is a call that is to come; see [time.Timer].
type alarm interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// wallClock is the runtime's clock. Its timers are in a heap for each
// processor, and one that is stopped costs nothing any more.
type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

// Since reads one of the machine's two clocks, where Now reads both: 22 ns, not
// 38.
func (wallClock) Since(t time.Time) time.Duration { return time.Since(t) }

func (wallClock) AfterFunc(d time.Duration, f func()) alarm { return time.AfterFunc(d, f) }

// simulatedClock is the clock of a simulation: functions that become due in the same
// moment are called one by one, in an order that the schedule decides.
type simulatedClock struct {
	wallClock
	scheduler *workers.Scheduler
}

func (c simulatedClock) AfterFunc(d time.Duration, f func()) alarm {
	g := c.scheduler.NewGuest("timer")
	return c.wallClock.AfterFunc(d, func() {
		g.AwaitTurn()
		f()
	})
}
