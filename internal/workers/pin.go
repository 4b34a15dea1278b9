package workers

import (
	"fmt"
	"runtime"

	"github.com/troupe-go/troupe/internal/topology"
)

// With Config.PinWorkers each worker but the spare ones has an operating system
// thread to itself, and that is bound to a processor.
//
// The Go runtime ends the process when a coroutine that was made on a locked
// thread is resumed by another one, or one that was not on such a thread by a
// locked one. So in this mode every fiber is bound to the worker that made it:
// whatever continues it goes through that worker's inbox, from which nobody
// steals. Three things follow:
//
//   - A spare does not retire while fibers of its own are away, that is,
//     suspended or queued: nobody would continue them.
//   - A trampoline does not leave its thread while fibers are away, not even when
//     a job calls Goexit; see [Worker.outlive].
//   - A job that blocks holds all jobs that are suspended on its worker.

// pin binds the calling trampoline to its thread, and that to a processor. It is
// never undone: the thread ends with the trampoline.
func (w *Worker) pin() {
	runtime.LockOSThread()
	cpus := w.s.machine.CPUs
	cpu := cpus[w.id%len(cpus)]
	err := topology.Pin(cpu.ID)
	if err == nil {
		w.location.Pin(cpu)
	}
	select {
	case w.s.pins <- err:
	default: // The thread is not the worker's first.
	}
}

// pins reports whether the worker is to be bound to a processor.
func (w *Worker) pins() bool { return w.s.cfg.PinWorkers && !w.spare }

// awaitPins waits until every worker is on its processor.
func (s *Scheduler) awaitPins() (err error) {
	for range s.cfg.Workers {
		if e := <-s.pins; e != nil {
			err = fmt.Errorf("sched: Config.PinWorkers: %w", e)
		}
	}
	return err
}

// outlive is deferred by the trampoline. The trampoline ends when the dispatch loop
// has ended, or when work has called Goexit, which ends its fiber and then this goroutine.
// After a Goexit another goroutine becomes the trampoline. If fibers are away that only
// this thread can continue, this goroutine carries on from within its end instead. That
// takes some 600 bytes of stack each time, until a Goexit finds no fiber away.
func (w *Worker) outlive() {
	if w.left {
		w.s.running.Done()
		return
	}
	w.pool.Ended(1)
	if w.fiber != w.base {
		w.pool.Ended(1) // Both have ended.
	}
	if !w.pins() {
		go w.run() // A panic also comes by here, on its way to end the process.
		return
	}
	if v := recover(); v != nil {
		panic(v)
	}
	if w.pool.Away(0) == 0 {
		w.pool.End()
		go w.run()
		return
	}
	defer w.outlive()
	w.drive()
}
