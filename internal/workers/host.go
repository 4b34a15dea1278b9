package workers

import (
	"math"

	"github.com/troupe-go/troupe/internal/xatomic"
)

// Host lets a goroutine that is none of the workers' run work of the layers above: one that
// is locked to its thread, that belongs to a foreign event loop, or that is the program's
// main one. The owner of the goroutine also brings the work; nothing is queued here for a
// host.
//
// Work on a host has a [Fiber] as any other work, and contexts lead to it by that. But
// there is no coroutine below: where work on a worker suspends, here the goroutine blocks,
// so that runtime.LockOSThread, and C code that calls back, do no harm. It does not give
// way to critical work, since it holds up none, and for the jobs and forks that it submits
// it is a goroutine outside.
//
// The fiber has a worker that is in no tier, has no queues, and shares whatever
// it is given. So the paths of the real workers need not ask.
type Host struct {
	f     *Fiber
	outer *Fiber // The fiber of the goroutine that has entered the host, or nil.
}

// NewHost returns a host that nobody has entered. It is not for schedulers that
// are part of a simulation, where everything runs on the one worker.
func (s *Scheduler) NewHost() *Host {
	return &Host{f: newHosted(s)}
}

func newHosted(s *Scheduler) *Fiber {
	f := &Fiber{s: s, hosted: true, rare: &fiberRare{blocked: xatomic.NewSignal()}}
	f.node.Init(f)
	f.frame.Enter(f)
	// Tier Critical takes nothing for itself, and the budget is never spent.
	f.w = &Worker{s: s, id: -1, tier: Critical, meter: meter{budget: math.MaxInt, stride: 1}}
	return f
}

// Enter makes the calling goroutine the host's, until Leave. There may be one at
// a time.
func (h *Host) Enter() {
	f := h.f
	f.w.meter.budget = math.MaxInt
	h.outer = f.enlist()
}

// Leave ends what Enter has begun, on the same goroutine.
func (h *Host) Leave() {
	f := h.f
	f.owner = nil
	f.strike(h.outer)
	h.outer = nil
}

// Run runs n, which came with priority p, on the goroutine that has entered.
func (h *Host) Run(n *Node, p Priority) {
	f := h.f
	f.running.Store(n)
	defer f.running.Store(nil)
	f.priority = p
	f.tally.Store(0)
	n.runner.Run(f, p)
}

// SetTurn says what the host gives up while work on it waits: a place among as many
// goroutines as may run at a time. Its TakeBack may block. The work itself must not have
// a turn. SetTurn must be called before anything runs.
func (h *Host) SetTurn(t Turn) { h.f.rare.turn = t }

// block is Suspend on a host.
func (f *Fiber) block() {
	if f.state.TransitionToSuspended() {
		f.rare.blocked.Receive()
	}
}

// Within returns f if it is a fiber of a worker of s, and else nil: then the
// caller counts as a goroutine outside.
func (f *Fiber) Within(s *Scheduler) *Fiber {
	if f == nil || f.s != s || f.hosted {
		return nil
	}
	return f
}
