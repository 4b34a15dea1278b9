package stealing

import (
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/topology"
)

// locateEvery is how often a worker that has work looks where it is. To ask costs 120 ns, and the operating system moves a
// busy thread a few times a second.
const locateEvery = 10 * time.Millisecond

// Location is the processor that a worker was last seen on. The worker writes it, and thieves read it.
//
// It is known for sure of a worker that is pinned to a processor. The operating system moves the others, seldom and mostly
// to a processor nearby. So a worker looks where it is before it searches, and now and then while it works. On a flat
// machine, where all processors share a cache, nobody looks at all.
type Location struct {
	cpu       atomic.Pointer[topology.CPU] // Nil if it is not known.
	pinned    bool                         // The worker does not leave that processor.
	locatedAt time.Duration
}

// CPU returns the processor, or nil if it is not known.
func (l *Location) CPU() *topology.CPU { return l.cpu.Load() }

// Pin says that the worker is on c and stays there.
func (l *Location) Pin(c topology.CPU) {
	l.pinned = true
	l.cpu.Store(&c)
}

// Update looks which processor of m the calling worker is on. It does nothing on a flat machine.
func (l *Location) Update(m *topology.Machine, flat bool) {
	if flat || l.pinned {
		return
	}
	here := topology.Here()
	if last := l.cpu.Load(); last != nil && last.ID == here {
		return
	}
	if c, ok := m.Find(here); ok {
		l.cpu.Store(&c)
	}
}

// UpdateLater is Update, if the last such call was long ago.
func (l *Location) UpdateLater(m *topology.Machine, flat bool, now time.Duration) {
	if now-l.locatedAt >= locateEvery {
		l.locatedAt = now
		l.Update(m, flat)
	}
}

// Distance returns how far away the other worker was last seen. A worker whose location is not known is far from all.
func (l *Location) Distance(other *Location) topology.Distance {
	here, there := l.cpu.Load(), other.cpu.Load()
	if here == nil || there == nil {
		return topology.Remote
	}
	return here.Distance(*there)
}

// Within reports whether it is the turn of the other worker in this of so many reaches; see [Policy.Reaches].
func (l *Location) Within(other *Location, reach, reaches int) bool {
	return reaches == 1 || int(l.Distance(other)) == reach
}
