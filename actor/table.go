package actor

import (
	"github.com/troupe-go/troupe/internal/kernel/pids"
	"github.com/troupe-go/troupe/internal/workers"
)

// origins keeps the PIDs of the systems in this program apart.
var origins pids.Origins

// workerOf returns the number of the worker that f, the caller's fiber, is on, for the process table.
func (s *System) workerOf(f *workers.Fiber) int {
	if f == nil || f.Scheduler() != s.scheduler {
		return pids.Outside
	}
	return f.Worker() // A host's number is negative.
}

// enterProc enters p in the process table and gives it its PID. From is the fiber of the caller, if any.
func (s *System) enterProc(from *workers.Fiber, p *proc) {
	id := s.table.Take(s.workerOf(from))
	p.pid = PID{id.Slot, id.Gen}
	s.table.Enter(id, p)
}

// removeProc ends the life of p's PID. From is the fiber of the caller, if any.
func (s *System) removeProc(from *workers.Fiber, p *proc) {
	s.table.Remove(s.workerOf(from), pids.ID{Slot: p.pid.slot, Gen: p.pid.gen})
}

// lookup returns the actor with the given PID, or nil.
func (s *System) lookup(id PID) *proc {
	if id.slot >= firstStandIn {
		return s.standInAt(id)
	}
	p := s.table.At(id.slot)
	if p == nil || p.pid != id {
		return nil
	}
	return p
}

// eachProc calls f for every actor that is there during the whole call.
func (s *System) eachProc(f func(*proc)) {
	s.table.From(0, func(p *proc) bool {
		f(p)
		return true
	})
}

// next returns the first slot behind the PID's, or the first of all for nobody's.
func (p PID) next() int {
	if p == (PID{}) {
		return 0
	}
	return int(p.slot) + 1
}
