package sched

import (
	"fmt"
	"runtime"

	"github.com/troupe-go/troupe/internal/topology"
)

// With Config.PinWorkers each trampoline has an operating system thread to
// itself, and that is bound to a processor.
//
// The Go runtime ends the process when a coroutine that was made on a locked
// thread is resumed by another one. So in this mode every fiber is bound to the
// worker that made it: whatever continues it goes through that worker's inbox,
// which nobody steals from. Spare workers lock their threads too, though to no
// processor, for on an unlocked thread they would make fibers that only other
// spares could continue. Three things follow:
//
//   - A spare does not retire while fibers of its own are away, that is,
//     suspended or queued: nobody would continue them.
//   - A trampoline does not leave its thread while fibers are away, not even when
//     a job calls Goexit; see [Worker.outlive].
//   - A job that blocks holds all jobs that are suspended on its worker.

// pin locks the calling trampoline to its thread. It does not unlock it: the
// thread ends with the trampoline.
func (w *Worker) pin() {
	runtime.LockOSThread()
	if w.spare {
		return
	}
	cpus := w.s.machine.CPUs
	cpu := cpus[w.id%len(cpus)]
	err := topology.Pin(cpu.ID)
	if err == nil {
		w.pinned = true
		w.cpu.Store(&cpu)
	}
	select {
	case w.s.pins <- err:
	default: // The thread is not the worker's first.
	}
}

// awaitPins waits until every worker is on its processor.
func (s *Scheduler) awaitPins() (err error) {
	for range s.cfg.Workers {
		if e := <-s.pins; e != nil {
			err = fmt.Errorf("sched: Config.PinWorkers: %w", e)
		}
	}
	return err
}

// checkPinning reports whether workers can be pinned at all.
func checkPinning() error {
	if !topology.CanPin {
		return fmt.Errorf("sched: Config.PinWorkers: threads can't be bound to processors on %s; leave it false", runtime.GOOS)
	}
	return nil
}

// away is how many fibers of a pinned worker are suspended or queued, when none
// runs but the one that asks.
func (w *Worker) away(running int) int { return w.fibers - len(w.pool) - running }

// outlive is deferred by the trampoline, which ends when the dispatch loop has,
// or because work has called Goexit, which ended its fiber and goes on here. In
// that case another goroutine is the trampoline from now on. Only if fibers
// are away that no other thread can continue, this one carries on, in the midst
// of its end; that takes some 600 bytes of stack each time, until at some Goexit
// no fiber is away.
func (w *Worker) outlive() {
	if w.left {
		w.s.running.Done()
		return
	}
	if !w.s.cfg.PinWorkers {
		go w.run() // A panic also comes by here, on its way to end the process.
		return
	}
	if v := recover(); v != nil {
		panic(v)
	}
	w.fibers--
	if w.away(0) == 0 {
		w.endPool()
		go w.run()
		return
	}
	defer w.outlive()
	w.drive()
}
