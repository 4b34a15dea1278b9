// Package counters counts what a worker does, at the price of plain additions, and publishes it now and then.
package counters

import (
	"sync/atomic"
	"time"
)

// Counters are a worker's own figures, written without synchronization.
type Counters struct {
	Jobs, Stolen, Slept, Suspended, Yielded, Preempted uint64
	Accepted, Ended                                    uint64 // Jobs that work on the worker has submitted, and that have ended on it.
	Warmed                                             uint64 // Fibers that were fetched into the cache. Not published.
}

// Published are the same figures for others to read. The worker copies them when it looks at the clock and before it
// sleeps, so that counting costs no atomic operation per piece of work.
//
// All that is counted, published and shown as a state costs next to nothing: without it BenchmarkGoFlat takes 0.6% less
// processor time, and BenchmarkLocalHop 0.5% (medians of 40 and of 24 runs in turns).
type Published struct {
	Jobs, Stolen, Slept, Suspended, Yielded, Preempted atomic.Uint64
	Accepted, Ended                                    atomic.Uint64
	Blocked                                            atomic.Uint64 // Written by the monitor.
}

// Publish makes the worker's counters visible to others.
func (p *Published) Publish(c *Counters) {
	Copy(&p.Jobs, c.Jobs)
	Copy(&p.Stolen, c.Stolen)
	Copy(&p.Slept, c.Slept)
	Copy(&p.Suspended, c.Suspended)
	Copy(&p.Yielded, c.Yielded)
	Copy(&p.Preempted, c.Preempted)
	Copy(&p.Accepted, c.Accepted) // First, so that the sum does not fall below the number of jobs that are left.
	Copy(&p.Ended, c.Ended)
}

// Copy saves the store, the expensive part, if nothing has changed.
func Copy(to *atomic.Uint64, value uint64) {
	if to.Load() != value {
		to.Store(value)
	}
}

// PaceShare is the weight of the latest measurement in a mean, as a divisor.
const PaceShare = 8

// Pace is the mean time of a worker's last pieces of work.
type Pace struct {
	mean      time.Duration // The worker's.
	published atomic.Int64  // In nanoseconds.
}

// Measured takes note of the time that each of the last pieces of work took. The mean is published when it has changed by a
// quarter, since a thief needs the magnitude, and a store that is not needed costs more than all the rest.
func (p *Pace) Measured(each time.Duration) {
	if p.mean == 0 {
		p.mean = each
	}
	p.mean += (each - p.mean) / PaceShare
	known := time.Duration(p.published.Load())
	if off := p.mean - known; 4*max(off, -off) > known {
		p.published.Store(int64(p.mean))
	}
}

// Known returns the pace as others know it, or 0 if it was not measured.
func (p *Pace) Known() time.Duration { return time.Duration(p.published.Load()) }

// Set publishes a pace that was not measured.
func (p *Pace) Set(each time.Duration) { p.published.Store(int64(each)) }

// Or returns the pace, or unknown if it was not measured.
func (p *Pace) Or(unknown time.Duration) time.Duration {
	if pace := p.Known(); pace > 0 {
		return pace
	}
	return unknown
}
