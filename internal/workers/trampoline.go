package workers

import "github.com/troupe-go/troupe/internal/workers/queues"

// operation is what a fiber asks of the trampoline when it leaves the stack.
type operation uint8

const (
	opSuspend operation = iota // Wait for a resume.
	opYield                    // Go to the end of the queue.
	opRotate                   // The same, and continue the fiber that was at its begin.
	opGiveWay                  // Let critical work run first.
	opSwitch                   // Continue another fiber, pool this one.
	opRest                     // In a simulation: the piece of work is done.
)

// run is the trampoline. It ends when the dispatch loop does.
func (w *Worker) run() {
	defer w.outlive()
	if w.pins() {
		w.pin()
	}
	w.drive()
}

// drive resumes fibers until the dispatch loop ends.
func (w *Worker) drive() {
	w.fiber = w.takeFiber()
	for {
		w.base = w.fiber
		w.prepareToEnter(w.fiber)
		if !w.fiber.co.Resume() {
			break
		}
		if w.fiber = w.perform(w.fiber); w.fiber == nil && !w.dispatch() {
			break
		}
	}
	w.left = true
	w.leave()
}

// prepareToEnter comes before f is continued until it leaves; see [Fiber.leave].
func (w *Worker) prepareToEnter(f *Fiber) {
	if f.w != w {
		f.w = w
		f.on.Store(int32(w.id))
	}
	w.on.Store(f)
	f.continueMeasure()
}

// host continues f, and those that f comes to in turn, in place of the trampoline:
// base, which is the dispatch loop, has come to f while nothing else is on its stack.
// So it is still there when f suspends, and takes the next work itself: two switches
// where the trampoline would need four. If the work of f calls Goexit, that goes on
// in base, which has no work, and then in the trampoline.
func (w *Worker) host(base, f *Fiber) {
	if base.job.Load() != nil {
		base.job.Store(nil) // It may hold much memory.
	}
	for f != nil {
		w.fiber = f
		w.prepareToEnter(f)
		if !f.co.Resume() { // Its loop has ended.
			base.ended = true
			break
		}
		f = w.perform(f)
	}
	w.fiber = base
	w.on.Store(base)
}

// perform does what f, which has just left, asked for. It returns the fiber to go on
// with, or nil if that is the next work.
func (w *Worker) perform(f *Fiber) *Fiber {
	w.leaveForks()
	if w.op != opSwitch {
		f.pauseMeasure()
	}
	switch w.op {
	case opSuspend:
		if !f.state.TransitionToSuspended() {
			return f
		}
		w.count.Suspended++
	case opYield:
		w.fiber = nil // Another worker may take it now.
		w.count.Yielded++
		w.requeue(f)
	case opRotate:
		next := w.target
		w.target = nil
		w.rotate(f)
		return next
	case opGiveWay:
		w.fiber = nil
		w.count.Preempted++
		w.activity.preempt()
		w.pushNextOf(f, &f.node)
	case opSwitch:
		next := w.target
		w.target = nil
		if f.job.Load() != nil {
			f.job.Store(nil)
		}
		w.pool.Put(f)
		return next
	}
	return nil
}

// dispatch takes the next work in place of the fiber that has left. If that is a fiber to
// be continued, the worker goes on with it, without one from the pool in between: two
// switches in place of four. The search for work uses the trampoline's stack, so the stacks
// of waiting work stay small. It returns false if the worker shall leave.
func (w *Worker) dispatch() bool {
	w.on.Store(nil)
	n, p := w.next()
	if n == nil {
		return false
	}
	if f, ok := n.runner.(*Fiber); ok && w.at.w == nil {
		w.count.Jobs++
		w.began.Store(uintptr(w.count.Jobs))
		w.fiber = f
		return true
	}
	w.handed, w.handedAs = n, p
	w.fiber = w.takeFiber()
	return true
}

// take returns what the trampoline has taken for the loop, or the next work.
func (w *Worker) take() (*Node, Priority) {
	if n := w.handed; n != nil {
		w.handed = nil
		return n, w.handedAs
	}
	return w.next()
}

// requeue queues a fiber that has yielded, behind what waits for all workers if
// there is anything: what is on their own queues goes first, however often it
// yields.
func (w *Worker) requeue(f *Fiber) {
	if w.s.anywhere(f.home(), w.priority) {
		if w.s.shared.Has(queues.Priority(w.priority)) {
			w.s.Share(&f.node, w.priority)
			w.signOfLife()
			return
		}
		w.push(&f.node, w.priority)
		return
	}
	f.requeue(nil, w.priority)
	w.signOfLife()
}

// rotate queues a fiber that has yielded to another; see rotates.
func (w *Worker) rotate(f *Fiber) {
	w.fiber = nil // Another worker may take it now.
	w.count.Yielded++
	w.queues.Local[w.priority].Push(&f.node) // There is room: one has left.
	w.signOfLife()
	w.s.lot.Wake(queues.Priority(w.priority)) // As push does where there are two.
	w.count.Jobs++
	w.began.Store(uintptr(w.count.Jobs))
}

func (w *Worker) takeFiber() *Fiber {
	if f := w.pool.Take(); f != nil {
		return f
	}
	f := newFiber(w.s)
	if w.s.cfg.PinWorkers {
		f.bind(w)
	}
	return f
}

// leave clears up after the dispatch loop.
func (w *Worker) leave() {
	w.activity.turnTo(WorkerShutDown)
	w.park.Resting.Store(true)
	w.publish()
	if w.park.Searching {
		w.park.Searching = false
		w.park.Tier().EndSearch()
	}
	w.pool.End()
	w.s.pool.Close()
}
