package workers

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/workers/counters"
	"github.com/troupe-go/troupe/internal/workers/fiberpool"
	"github.com/troupe-go/troupe/internal/workers/parking"
	"github.com/troupe-go/troupe/internal/workers/queues"
	"github.com/troupe-go/troupe/internal/workers/recording"
	"github.com/troupe-go/troupe/internal/workers/stealing"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Worker takes work and runs it, one piece at a time. There are as many
// workers awake as the configuration says, besides those that are blocked in
// their work.
//
// A worker is a goroutine, the trampoline, that resumes fibers; the dispatch loop itself
// runs on the fibers. All fields without a lock or an atomic type belong to the trampoline
// or the fiber that runs on the worker now: they take turns.
type Worker struct {
	s      *Scheduler
	id     int
	spare  bool
	urgent bool     // See urgent.go.
	tier   Priority // The least urgent priority that the worker takes: the one of its tier.

	queues queues.Own[Node]
	// forks has the newest branches that the running work has forked. See there.
	forks     forks
	branches  branchCache
	forkTicks uint32
	// at is where the work belongs that poll or search has just returned.
	at home

	fiber    *Fiber // The one that runs, or ran last; nil while the trampoline takes work.
	base     *Fiber // The one that the trampoline has resumed; see host.
	op       operation
	target   *Fiber   // For opSwitch.
	priority Priority // For opYield.
	handed   *Node    // The node that the trampoline has taken for the fiber's loop. See dispatch.
	handedAs Priority // Its priority.
	pool     fiberpool.Own[Fiber]

	park     parking.Worker
	activity activity
	turn     uint32        // Counts dispatches, for fairness to the shared queues.
	fairAt   time.Duration // When it was last fair to them, by clockAt.
	cold     int           // How many of those that came from there last are still queued.
	random   *rand.Rand
	seen     []int64 // See searchOnce.
	policy   stealing.Policy
	left     bool // The dispatch loop has ended for good.

	meter meter
	slow  bool // See stepAside.

	kind kindCounter

	log recording.Log // The worker's last events, if it is recorded.

	count     counters.Counters
	published counters.Published
	pace      counters.Pace
	steals    stealing.Published
	location  stealing.Location
	// on is the fiber that runs, began how many pieces of work were begun, and
	// lookedAt the time when the worker last looked at the clock. Written by the
	// worker; the monitor tells from them what the worker is on, and how long.
	on       xatomic.Glance[Fiber]
	began    xatomic.Count
	lookedAt atomic.Int64
	// hold says whether the worker is held by a piece of work. Written by the
	// monitor, by submitters and by the worker itself; see hold.go.
	hold    xatomic.Uint32
	sample  sample           // The monitor's.
	backoff stealing.Backoff // The monitor's.
	// refused says that there was no spare for the worker when it had begun so
	// much. Both under the monitor's lock.
	refused   bool
	refusedAt uintptr

	away away // In a simulation: how the blocked work waits for its turn. See away.go.

	verdict     error // Of the job that is about to end, see returned.
	hasReturned bool
}

const (
	// spareCapacity is the size of a spare worker's queues.
	spareCapacity = 64
)

func newWorker(s *Scheduler, t *parking.Tier, id int, spare bool) *Worker {
	w := &Worker{
		s: s, id: id, spare: spare, urgent: t == s.lot.Urgent(), tier: Priority(t.Least()),
		random:  rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
		meter:   meter{stride: 1},
		policy:  stealing.New(stealing.Strategy(s.cfg.Steal), s.cfg.MaxSteal),
		backoff: stealing.NewBackoff(s.cfg.BackoffMin, s.cfg.BackoffMax),
	}
	w.pool.Init(&s.pool, s.cfg.PinWorkers)
	w.activity.turnTo(WorkerWorking)
	w.park.Init(t)
	capacity := s.cfg.QueueCapacity
	if spare {
		capacity = min(capacity, spareCapacity)
	}
	w.queues.Init(capacity, nextCapacity, forksCapacity)
	return w
}

// next returns work, waiting for it if need be. It returns nil when the worker
// shall leave.
func (w *Worker) next() (*Node, Priority) {
	if w.s.sim != nil {
		return w.s.sim.next(w.fiber)
	}
	for {
		w.signOfLife()
		if w.spare && w.park.Tier().Surplus() && w.mayRetire() {
			w.retire()
		}
		var n *Node
		var p Priority
		if !w.meter.nudged || !w.isBare() { // Else the search begins with giving way.
			w.tick()
			n, p = w.poll()
		}
		if n == nil {
			n, p = w.search()
		}
		if n == nil {
			if !w.sleep() {
				return nil, 0
			}
			continue
		}
		w.found()
		if w.urgent && !n.isCritical(p) {
			w.s.shared.Push(n, queues.High) // Where it was before it rose.
			continue
		}
		w.activity.endPreemption(p)
		if w.s.forced.Load() && abandon(n) {
			w.at = home{}
			continue
		}
		return n, p
	}
}

// sleep waits for a token. It returns false when the worker shall leave.
func (w *Worker) sleep() bool {
	s := w.s
	w.count.Slept++
	w.publish()
	w.queues.Sweep()
	if f := w.fiber; f != nil && f.job.Load() != nil {
		f.job.Store(nil) // The job is over, and may hold much memory.
	}
	invariants.Yield()
	w.park.Resting.Store(true)
	s.lot.Enter(&w.park)
	// If the monitor has just taken the worker for held, there is a place to be
	// taken back; see hold.go for the other side.
	stay := w.hold.Load() != holdFree || s.settled.Load() || w.queues.Inbox.Mask() != 0 || s.backlog(w.park.Tier())
	if !stay || !s.lot.Leave(&w.park) {
		s.settle()
		w.note(recording.Park, 0)
		w.park.Await()
		w.note(recording.Unpark, 0)
		w.park.Woken()
		w.meter.reset()
	}
	if w.park.Searching {
		w.activity.turnTo(WorkerStealing)
	} else {
		w.activity.turnTo(WorkerWorking)
	}
	if s.settled.Load() {
		return false
	}
	w.park.Resting.Store(false)
	s.monitor.rouse()
	return true
}

// mayRetire reports whether nothing is left that only this worker can do.
func (w *Worker) mayRetire() bool {
	running := 0
	switch w.fiber {
	case nil: // The trampoline asks.
	case w.base:
		running = 1
	default:
		running = 2
	}
	return w.queues.Inbox.Mask() == 0 && (!w.s.cfg.PinWorkers || w.pool.Away(running) == 0)
}

// retire gives the worker's place up, since a blocked one is back, and waits
// until it is needed again.
func (w *Worker) retire() {
	s := w.s
	if !w.park.Tier().GiveUpPlace() {
		return
	}
	for p := High; p < numPriorities; p++ {
		for n := w.queues.Local[p].Take(); n != nil; n = w.queues.Local[p].Take() {
			s.shared.Push(n, queues.Priority(p))
		}
		w.queues.Local[p].Sweep()
	}
	for n := w.queues.First.Pop(); n != nil; n = w.queues.First.Pop() {
		s.shared.Push(n, queues.Priority(priorityOfInterrupted(n)))
	}
	for n := w.queues.Branches.Pop(); n != nil; n = w.queues.Branches.Pop() {
		s.shared.Push(n, queues.Normal)
	}
	wasSearching := w.park.Searching
	w.park.Searching = false
	if wasSearching {
		w.park.Tier().EndSearch()
	}
	w.publish()
	w.activity.turnTo(WorkerRetired)
	w.park.Resting.Store(true)
	w.signOfLife()        // As in sleep: the place that was given up is somebody's now.
	tier := w.park.Tier() // From here on the monitor may move it to another.
	if s.monitor.retire(w) {
		s.handOver(tier)
		s.settle()
		w.note(recording.Park, 0)
		w.park.Await()
		w.note(recording.Unpark, 0)
	}
	w.tier = Priority(w.park.Tier().Least())
	w.activity.turnTo(WorkerWorking)
	w.park.Resting.Store(false)
	w.meter.reset()
}
