package workers

import (
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/internal/workers/queues"
)

// Place says on which worker work shall run. The zero Place is anywhere.
type Place struct {
	bond   queues.Bond
	worker int
}

// Pinned is on the worker with this id and nowhere else, also after each
// suspension, yield and checkpoint. If that worker is held by other work, the
// pinned work waits for it, whatever happens: a spare worker does not take it.
// Workers have the ids 0 to Scheduler.Workers-1; spare workers can't be chosen.
func Pinned(worker int) Place { return Place{queues.Pinned, worker} }

// Preferred is on the worker with this id as long as that one can keep up. Others
// take the work when more than 4 pieces of it wait and the worker has more than
// twice as much to do as the others have on average, or when the worker is held
// by other work for longer than Config.BlockedAfter. Critical work does not wait
// for its preferred worker.
func Preferred(worker int) Place { return Place{queues.Preferred, worker} }

// String returns "anywhere", "pinned to worker 1", or "preferably worker 1".
func (p Place) String() string {
	switch p.bond {
	case queues.Pinned:
		return fmt.Sprintf("pinned to worker %d", p.worker)
	case queues.Preferred:
		return fmt.Sprintf("preferably worker %d", p.worker)
	default:
		return "anywhere"
	}
}

// Worker returns the id of the worker that the place names. It returns false for
// the zero Place.
func (p Place) Worker() (id int, ok bool) { return p.worker, p.bond != queues.Free }

// home is where a fiber has to be continued while it runs work that has a place,
// or always, if it is bound. The zero home is anywhere.
type home struct {
	w    *Worker
	bond queues.Bond
}

// resolve looks up the worker of a place.
func (s *Scheduler) resolve(at Place, p Priority) (home, error) {
	if at.bond == queues.Free {
		return home{}, nil
	}
	if at.worker < 0 || at.worker >= s.cfg.Workers {
		return home{}, fmt.Errorf("sched: there is no worker %d to place work on; choose one from 0 to %d (spare workers can't be chosen)",
			at.worker, s.cfg.Workers-1)
	}
	if s.sim != nil {
		return home{}, nil // It has one worker that stands for all.
	}
	w := (*s.workers.Load())[at.worker]
	if p > w.tier {
		return home{}, fmt.Errorf("sched: %v work can't be placed on worker %d, which is reserved for %v or more urgent work", p, w.id, w.tier)
	}
	return home{w, at.bond}, nil
}

// CheckPlace reports, as an error, a worker that does not exist, or is reserved
// for more urgent work than p. For places that pass, SubmitTo does not fail for
// the place's sake.
func (s *Scheduler) CheckPlace(at Place, p Priority) error {
	if p >= numPriorities {
		return fmt.Errorf("sched: unknown priority %d; use Critical, High, Normal or Low", p)
	}
	_, err := s.resolve(at, p)
	return err
}

// SubmitTo queues n at a place, from any goroutine; see [Scheduler.Submit].
// It reports a worker that does not exist, or is
// reserved for more urgent work, as an error. It costs a lock of the
// worker's inbox, and the worker's wake-up if it sleeps.
func (s *Scheduler) SubmitTo(n *Node, p Priority, at Place) error {
	if err := checkNode(n, p); err != nil {
		return err
	}
	to, err := s.resolve(at, p)
	if err != nil {
		return err
	}
	if s.anywhere(to, p) {
		return s.Submit(n, p)
	}
	return s.submitAt(n, p, to)
}

// submitAt puts work from outside into an inbox.
func (s *Scheduler) submitAt(n *Node, p Priority, to home) error {
	if !to.w.queues.Inbox.Submit(n, queues.Priority(p), to.bond) {
		return ErrStopped
	}
	s.delivered(to, p)
	return nil
}

// SubmitTo queues n at a place. It must be called from the fiber's goroutine;
// see [Fiber.Submit]. It reports a worker that does not exist, or is
// reserved for more urgent work, as an error.
func (f *Fiber) SubmitTo(n *Node, p Priority, at Place) error {
	if err := checkNode(n, p); err != nil {
		return err
	}
	to, err := f.s.resolve(at, p)
	if err != nil {
		return err
	}
	f.s.enqueueAt(f, n, p, to)
	return nil
}

func checkNode(n *Node, p Priority) error {
	if p >= numPriorities {
		return fmt.Errorf("sched: unknown priority %d; use Critical, High, Normal or Low", p)
	}
	if n.runner == nil {
		return errors.New("sched: the node has no runner; call its Init before Submit")
	}
	return nil
}

// enqueueAt queues n at a place that was looked up, on behalf of from, which is
// nil outside the workers.
func (s *Scheduler) enqueueAt(from *Fiber, n *Node, p Priority, to home) {
	if s.anywhere(to, p) {
		s.enqueue(from, n, p)
		return
	}
	to.w.queues.Inbox.Push(n, queues.Priority(p), to.bond)
	s.delivered(to, p)
}

// anywhere reports whether work of priority p need not wait for its place.
func (s *Scheduler) anywhere(to home, p Priority) bool {
	return to.bond == queues.Free || to.bond != queues.Pinned && (p == Critical || to.w.hold.Load() != holdFree)
}

// delivered makes sure that what was put into an inbox is taken. The monitor is
// to watch it, should the worker be held.
func (s *Scheduler) delivered(to home, p Priority) {
	s.lot.WakeForInbox(&to.w.park)
	s.monitor.rouse()
	switch to.bond {
	case queues.Placed:
		if to.w.queues.Inbox.Placed() > 1 {
			s.lot.Wake(queues.Priority(p))
		}
	case queues.Preferred:
		if to.w.queues.Inbox.Preferred() > keepPreferred {
			s.lot.Wake(queues.Priority(p))
		}
	}
}

// requeue queues f, which was suspended, where it has to be continued.
func (f *Fiber) requeue(from *Fiber, p Priority) { f.s.enqueueAt(from, &f.node, p, f.home()) }

// runAt runs work that came out of an inbox: until it ends, its fiber is at home
// on the inbox's worker. A fiber that was resumed is at home already.
func (f *Fiber) runAt(n *Node, p Priority) {
	at := f.w.at
	f.w.at = home{}
	if _, resumed := n.origin().runner.(*Fiber); !resumed && !f.bound() {
		f.rarely().home = at
	}
	n.runner.Run(f, p)
	if f.rare != nil && !f.rare.bound {
		f.rare.home = home{}
	}
}

// bind ties f to w for good: it is never continued by another worker.
func (f *Fiber) bind(w *Worker) {
	rare := f.rarely()
	rare.home, rare.bound = home{w, queues.Pinned}, true
}

func (f *Fiber) bound() bool { return f.rare != nil && f.rare.bound }

// home is where the work on the fiber has to be continued.
func (f *Fiber) home() home {
	if f.rare == nil {
		return home{}
	}
	return f.rare.home
}

// pushNextOf queues n, which was interrupted on the fiber f, so that the worker
// that has to continue it takes it before its other work. It must run on the
// worker.
func (w *Worker) pushNextOf(f *Fiber, n *Node) {
	if to := f.home(); to.bond == queues.Pinned || to.w == w {
		to.w.queues.Inbox.PushNext(n, to.bond)
		w.s.lot.WakeForInbox(&to.w.park)
		w.signOfLife()
		return
	}
	w.pushNext(n)
}

// takePlaced takes the most urgent work of the worker's inbox.
func (w *Worker) takePlaced() (*Node, Priority) {
	n, p, kind := w.queues.Inbox.Take()
	if n != nil && kind != queues.Placed {
		w.at = home{w, kind}
	}
	return n, Priority(p)
}
