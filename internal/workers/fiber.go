package workers

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/troupe-go/troupe/internal/coro"
	"github.com/troupe-go/troupe/internal/gid"
	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/sim"
	"github.com/troupe-go/troupe/internal/workers/alarms"
	"github.com/troupe-go/troupe/internal/workers/fiberindex"
	"github.com/troupe-go/troupe/internal/workers/fiberstate"
	"github.com/troupe-go/troupe/internal/workers/jobstate"
	"github.com/troupe-go/troupe/internal/workers/queues"
	"github.com/troupe-go/troupe/internal/workers/recording"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Fiber is the coroutine on which a worker's dispatch loop runs, and with it
// the work that the loop has called.
//
// # Protocol
//
// Ordinary work is a call in the loop and never notices the fiber. Work that
// has to wait suspends: the fiber leaves its worker together with the work's
// stack, and the worker goes on with another fiber from its pool. Resume
// queues the suspended fiber like any other work. The loop that comes to it, on
// whichever worker, continues it in the middle of its work, and is itself there
// again when that suspends. When the work is done, its fiber is the worker's dispatch
// loop; if that comes to a further fiber, it steps aside, into the pool, so that no
// more than one loop waits below the other.
//
// A resume may come before the suspension is complete, even before it has
// begun. So the state is left by compare-and-swap only, and it is the worker,
// already off the fiber's stack, that completes a suspension. A resume that
// comes too early leaves a permit, which makes the next suspension return at
// once. Hence Suspend may return without a reason, and callers loop:
//
//	running --Resume--> notified --Suspend--> running
//	running --Suspend--> suspended --Resume--> running (and queued)
//
// A mark beside the state says that critical work waits for the work on the fiber; see
// [Edge]. The protocol is in package fiberstate.
type Fiber struct {
	node Node
	s    *Scheduler
	co   coro.Coro
	// w is the worker that the fiber is on. Written by the worker before it
	// resumes the coroutine, so it is valid on the fiber's own goroutine.
	w *Worker
	// entry has the goroutine under the coroutine, and 0 once that has ended. Written
	// by that goroutine, read by every holder of a context that leads here.
	entry fiberindex.Entry
	// top is where that goroutine's stack ended when the fiber was last left. Written by
	// it, read where the fiber is warmed.
	top   atomic.Uintptr
	state fiberstate.Word
	// on is the id of w. Written by the worker, read by goroutines that ask about a job.
	on atomic.Int32
	// running is the work that the loop has called. Written by the fiber, read by
	// goroutines that ask what holds its worker.
	running xatomic.Glance[Node]
	// tally counts what the work has done since it began; see tally.go. Written by the
	// fiber, read by goroutines that ask about a job.
	tally tally
	// priority is the priority of the work that runs on the fiber. Written by the fiber,
	// read by the goroutine that resumes it.
	priority Priority
	ended    bool  // The fiber was taken out of service; its loop returns.
	hosted   bool  // It belongs to a host; see fiberRare.blocked.
	pauses   uint8 // The pauses of a job that is measured.
	// owner is the work that runs on the fiber, if it says so. See SetOwner.
	owner any
	// job is the job that runs or ran on the fiber last; from its beginning to its
	// end a job stays on one fiber. Written by the fiber, read by the monitor.
	job xatomic.Glance[Job]
	// frame leads the contexts of jobs here.
	frame Frame
	// measuredFrom is since when the job's cost is measured, less its pauses, or 0 if
	// it is not; in a pause it is what the job took until then, below 0.
	measuredFrom time.Duration

	alarm alarms.Number
	link  fiberindex.Link[Fiber] // In the scheduler's list.

	// rare is what few fibers have, or nil. Written by the fiber while it holds the list's
	// lock. The fiber reads it without, and so does the code that resumes it.
	rare *fiberRare
}

// fiberRare is a part of a fiber that takes no room where a hundred thousand
// strands wait.
type fiberRare struct {
	note any  // See SetNote. Written by the fiber while it holds the list's lock.
	turn Turn // The turn that the work gives up while it waits, or nil. See SetTurn.
	// home is where the work on the fiber has to be continued. Written by the
	// fiber, read by the goroutine that resumes it.
	home home
	// blocked is where the goroutine of a host blocks.
	blocked xatomic.Signal
	// aborted is set when a simulation ends while the fiber's work waits.
	aborted bool
	edge    xatomic.Glance[Edge] // The wait of the work, if its urgency goes along that.
	orphan  bool                 // See SetOrphan. Guarded by the list's lock.
	bound   bool                 // Home does not change any more.
	waits   func() string        // In a simulation: what for.
}

// rarely returns the fiber's rare part, which it makes if there is none. It must be
// called by the fiber, or while nobody else can.
func (f *Fiber) rarely() *fiberRare {
	if f.rare == nil {
		f.s.fibers.Lock()
		f.rare = &fiberRare{}
		f.s.fibers.Unlock()
	}
	return f.rare
}

func newFiber(s *Scheduler) *Fiber {
	f := &Fiber{s: s}
	f.node.Init(f)
	f.frame.Enter(f)
	f.co.Init(f.loop())
	return f
}

// loop returns what the fiber's coroutine runs: it takes work and runs it until the
// worker leaves or the fiber is ended.
//
// From here to the work's own code, frames are few and small, so that a stack that waits
// stays at 2 KB, and since a collection takes some 80 ns for each frame of each fiber that
// waits. So this is one function, and no method value, which has a frame of its own; and
// so it is in Job.Run. It is not inlined, so that stacks show its name.
//
//go:noinline
func (f *Fiber) loop() func(yield func(struct{}) bool) {
	return func(yield func(struct{}) bool) {
		if !f.co.Begin(yield) {
			return
		}
		defer f.leaveGoroutine() // Also when the work calls Goexit.
		f.enterGoroutine()
		for !f.ended {
			n, p := f.w.take()
			if n == nil {
				return
			}
			f.w.count.Jobs++
			f.w.began.Store(uintptr(f.w.count.Jobs))
			f.running.Store(n)
			if f.w.log.On() {
				f.w.noteWork(recording.Run, n, p)
			}
			f.priority = p
			f.tally.Store(0)
			if f.w.at.w != nil {
				f.runAt(n, p)
			} else {
				n.runner.Run(f, p)
			}
			f.running.Store(nil)
		}
	}
}

// enterGoroutine makes the calling goroutine known as the fiber's.
func (f *Fiber) enterGoroutine() {
	f.enlist() // Nothing else is below this goroutine.
	if f.s.sim != nil {
		sim.EnterWork(f.s.sim.engine)
	}
}

func (f *Fiber) leaveGoroutine() {
	if f.s.sim != nil {
		leaveSimulation(f)
	}
	f.strike(nil)
}

// enlist makes the calling goroutine the fiber's, and the fiber known. It returns the
// fiber of which it was until now, or nil.
func (f *Fiber) enlist() (outer *Fiber) {
	f.s.fibers.Add(f)
	f.entry.SetGoroutine(uintptr(gid.Current()))
	return fiberOf(f.s.index.Enter(&f.entry))
}

// strike is the end of that.
func (f *Fiber) strike(outer *Fiber) {
	f.s.index.Leave(&f.entry, entryOf(outer))
	f.entry.SetGoroutine(0)
	f.s.fibers.Remove(f)
}

// fiberOf returns the fiber that an entry lies in, or nil.
func fiberOf(e *fiberindex.Entry) *Fiber {
	if e == nil {
		return nil
	}
	return (*Fiber)(unsafe.Add(unsafe.Pointer(e), -int(unsafe.Offsetof(Fiber{}.entry))))
}

func entryOf(f *Fiber) *fiberindex.Entry {
	if f == nil {
		return nil
	}
	return &f.entry
}

// Run continues f, which was resumed, in place of the fiber that came to it.
// It is called by the scheduler.
func (f *Fiber) Run(current *Fiber, _ Priority) {
	w := current.w
	if w.base == current {
		w.host(current, f)
		return
	}
	w.op, w.target = opSwitch, f
	current.leave()
}

// leave gives the stack back to the worker, which does w.op.
//
// The processor foresees no return behind a switch, on whichever stack, and takes
// 5 ns for each; so what often leaves calls these by itself, a frame less deep.
func (f *Fiber) leave() {
	op := f.prepareToLeave()
	f.hasReturned(op, f.co.Yield())
}

// prepareToLeave comes before a switch, for which w.op says what is to be done. It
// returns that.
func (f *Fiber) prepareToLeave() operation {
	op := f.w.op
	if invariants.Enabled {
		id := f.entry.Goroutine()
		invariants.Check(id == uintptr(gid.Current()), "fiber of goroutine %#x is left by %#x", id, gid.Current())
	}
	if j := f.job.Load(); j != nil && op != opSwitch {
		if op != opSuspend {
			f.tally.countPreemption()
		}
		if word := j.state.Load(); word.State().Ended() && !word.Has(jobstate.MarkOverdue) {
			f.job.Store(nil) // Other work runs here since.
		}
	}
	if f.w.log.On() {
		f.noteLeave()
	}
	f.noteTop()
	return op
}

// hasReturned comes after a switch. The coroutine is alive unless it was stopped.
func (f *Fiber) hasReturned(left operation, alive bool) {
	if !alive || f.w.log.Ring.Load() != nil { // As On, but cheap enough to be inlined.
		f.noteReturn(left, alive)
	}
}

func (f *Fiber) noteReturn(left operation, alive bool) {
	if !alive {
		f.ended = true
		if f.rare != nil && f.rare.aborted {
			runtime.Goexit()
		}
	}
	if left < opSwitch && f.w.log.On() {
		f.w.noteWork(recording.Resume, f.running.Load(), f.priority)
	}
}

// isOn reports whether the fiber is what its worker runs. Any goroutine may ask, and
// is told what was so lately.
func (f *Fiber) isOn() bool {
	workers, id := *f.s.workers.Load(), f.LastWorker()
	return f.hosted || id < len(workers) && workers[id].on.Load() == f
}

// Suspend makes the fiber's work wait until Resume is called, and lets the
// worker go on with other work. It may return early, without a Resume, so it
// belongs into a loop that checks what is waited for. It may return on another
// worker. It must be called by the work itself, from the fiber's goroutine.
// A suspension with its resume costs two coroutine switches where a loop below takes
// what comes between, and four at most.
func (f *Fiber) Suspend() {
	if f.state.TakePermit() {
		return
	}
	switch {
	case f.rare != nil && f.rare.turn != nil:
		f.suspendTurn(f.rare.turn)
	case f.hosted:
		f.block()
	default: // As in suspend, two frames less deep in the stack.
		f.w.op = opSuspend
		f.prepareToLeave()
		f.hasReturned(opSuspend, f.co.Yield())
	}
}

// suspend is Suspend for work that keeps its turn, if it has one.
func (f *Fiber) suspend() {
	if f.hosted {
		f.block()
		return
	}
	f.w.op = opSuspend
	f.leave()
}

// Resume ends the fiber's suspension, or the next one if it is not suspended
// now. It queues the fiber with priority p, or with the priority of the work
// that waits on it if that is more urgent: on the worker of from, which must then be
// the calling work's own fiber, or, if from is nil, from any goroutine.
func (f *Fiber) Resume(from *Fiber, p Priority) {
	if from == nil && f.s.sim != nil && f.s.sim.resumeLater(f, p) {
		return
	}
	if f.state.TransitionFromSuspended() {
		if f.hosted {
			f.rare.blocked.Send()
			return
		}
		if from == nil {
			invariants.Stall()
		}
		f.requeue(from, f.urgency(p))
	}
}

// ResumeNext is Resume for work that itself waits for f: f is what the worker of
// from takes next, after critical work. From must be the calling work's own fiber.
func (f *Fiber) ResumeNext(from *Fiber) {
	switch {
	case !f.state.TransitionFromSuspended():
	case f.hosted:
		f.rare.blocked.Send()
	case f.urgency(Own) == Critical || from.hosted || from.s != f.s:
		f.requeue(from, f.urgency(Own))
	default:
		from.w.pushNextOf(f, &f.node)
	}
}

// Yield lets the work that is queued run before the caller goes on. The caller
// is queued with priority p, behind what is there. It returns at once, and
// does no switch, if nothing is waiting.
func (f *Fiber) Yield(p Priority) {
	if f.hosted || !f.s.hasWork() {
		return
	}
	f.w.op, f.w.priority = opYield, min(p, Low)
	if f.state.IsLifted() {
		f.w.priority = Critical
	}
	f.leave()
}

// Checkpoint lets critical work run, if there is any, before the caller goes
// on; the caller is then the next that this worker takes, unless an idle one
// continues it sooner. Critical work may give way to other critical work in turn;
// once three pieces of work wait on the worker for having given way, the next
// critical work waits until the running one is done. Now and then Checkpoint
// also gives way to other goroutines of the program. It counts as one reduction;
// see [Budget]. Without critical work it costs a few nanoseconds.
func (f *Fiber) Checkpoint() { f.checkpoint(1) }

// Urgent reports whether critical work waits anywhere that the fiber's worker
// could do. It costs two loads.
func (f *Fiber) Urgent() bool {
	return (f.s.shared.Has(queues.Critical) || f.w.queues.Inbox.Urgent()) && !f.hosted
}

// Tick tells the worker that one of many small pieces of work is done. It
// keeps the worker's measure of time and, now and then, gives way to other
// goroutines of the program.
func (f *Fiber) Tick() { f.w.tick() }

// Rest is Tick behind the last of them that is at hand. If the work has woken a
// goroutine, and nothing else is queued here, that goroutine runs first: it is likely
// to bring the next piece.
func (f *Fiber) Rest() { f.w.rest() }

// Submit queues n on the fiber's worker. It must be called from the fiber's
// goroutine; elsewhere use [Scheduler.Submit]. Unlike that, it works until the
// workers have left, since what is running must be able to end.
// A priority that does not exist counts as Low.
func (f *Fiber) Submit(n *Node, p Priority) { f.w.push(n, min(p, Low)) }

// SubmitNext queues n as the next that the fiber's worker takes, after
// critical work. It is for work that has been interrupted and shall go on. It
// must be called from the fiber's goroutine.
func (f *Fiber) SubmitNext(n *Node) {
	if f.hosted {
		f.s.Share(n, Normal)
		return
	}
	f.w.pushNextOf(f, n)
}

// SetPriority says how urgent the work is that runs on the fiber from now on,
// and returns what it was. It begins with the priority under which the work was
// submitted, and counts when the work is resumed after a suspension.
func (f *Fiber) SetPriority(p Priority) (before Priority) {
	before, f.priority = f.priority, p
	return before
}

// SetOwner says what runs on the fiber now, and returns what did so before.
// It is for the layer that builds on the scheduler, to recognise itself.
func (f *Fiber) SetOwner(owner any) (before any) {
	before, f.owner = f.owner, owner
	return before
}

// Owner returns what SetOwner was last given.
func (f *Fiber) Owner() any { return f.owner }

// Scheduler returns the scheduler that the fiber belongs to.
func (f *Fiber) Scheduler() *Scheduler { return f.s }

// Worker returns the id of the worker that the fiber is on. It must be called from the
// fiber's goroutine, and may change with each suspension, yield and checkpoint unless the
// work is pinned. Ids from Scheduler.Workers on belong to spare workers.
func (f *Fiber) Worker() int { return f.w.id }

// LastWorker returns the id of the worker that the fiber was on last. Unlike
// Worker it may be called from any goroutine.
func (f *Fiber) LastWorker() int { return int(f.on.Load()) }

// Clock returns when the fiber's worker has read the clock last, as LookedAt does, but
// from the fiber's own goroutine alone, and at the cost of a load. It is 0 on a host,
// which reads none.
func (f *Fiber) Clock() time.Duration { return f.w.meter.clockAt }

// LookedAt returns when the fiber's worker has looked at the clock last: it does
// so every 50 us or every 16 pieces of work, whichever is more, but not within
// one. It is a time since the scheduler's start; see [Scheduler.TimeOf]. It costs
// three loads, where the clock itself costs 24 ns.
func (f *Fiber) LookedAt() time.Duration {
	workers, id := *f.s.workers.Load(), f.LastWorker()
	if id >= len(workers) {
		return f.s.now()
	}
	return workers[id].aliveAt()
}

// Here reports whether the caller runs on the fiber. It costs about 2 ns.
func (f *Fiber) Here() bool {
	return f.entry.Goroutine() == uintptr(gid.Current())
}

// number is what stack dumps call the fiber's goroutine, or 0 if it has none.
func (f *Fiber) number() uint64 {
	id := f.entry.Goroutine()
	n := gid.ID(id).Number()
	if f.entry.Goroutine() != id {
		return 0 // The goroutine has ended meanwhile.
	}
	return n
}
