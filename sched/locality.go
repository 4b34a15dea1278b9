package sched

import (
	"time"

	"github.com/troupe-go/troupe/internal/topology"
)

// Locality is known for sure of a worker that is pinned to a processor. The
// others are moved by the operating system, seldom and mostly to a processor
// nearby; so a worker looks where it is before it searches, and now and then
// while it works, and publishes that. On a machine with one cache for all
// processors nobody looks at all.

// locateEvery is how often a worker that has work looks where it is. To ask
// costs 120 ns, and the operating system moves a busy thread a few times a second.
const locateEvery = 10 * time.Millisecond

// locate publishes which processor the worker is on.
func (w *Worker) locate() {
	if w.s.flat || w.pinned {
		return
	}
	here := topology.Here()
	if last := w.cpu.Load(); last != nil && last.ID == here {
		return
	}
	if c, ok := w.s.machine.Find(here); ok {
		w.cpu.Store(&c)
	}
}

// distance returns how far away another worker was last seen. Where that is not
// known, nobody is near.
func (w *Worker) distance(other *Worker) topology.Distance {
	here, there := w.cpu.Load(), other.cpu.Load()
	if here == nil || there == nil {
		return topology.Remote
	}
	return here.Distance(*there)
}

// reaches is how many times a round of the search goes over the workers: once
// for each distance, if it goes by that.
func (w *Worker) reaches() int {
	if w.thief.strategy == StealLocal && !w.s.flat {
		return topology.NumDistances
	}
	return 1
}

// within reports whether victim's turn is in this of so many reaches.
func (w *Worker) within(victim *Worker, reach, reaches int) bool {
	return reaches == 1 || int(w.distance(victim)) == reach
}
