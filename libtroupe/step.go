//go:build cgo && (linux || darwin) && (amd64 || arm64)

package main

// #include "runtime.h"
import "C"

import "github.com/troupe-go/troupe/internal/workers"

// submit queues a process that its caller has claimed, from the fiber f or, if that is nil, from
// anywhere. The scheduler refuses only once it is stopped, when no process is left.
func (r *run) submit(f *workers.Fiber, p *process) {
	if f != nil {
		f.Submit(&p.node, p.priority)
		return
	}
	_ = r.s.Submit(&p.node, p.priority)
}

//export troupeReady
func troupeReady(index C.uint32_t) {
	if p := at(uint32(index)); p != nil {
		p.r.submit(nil, p)
	}
}

// queueAll queues the processes that a step has woken, and reports whether one of them is more
// urgent than the running process.
func (r *run) queueAll(f *workers.Fiber, out *C.outcome, running workers.Priority) (urgent bool) {
	next := uint32(out.second)
	for index := uint32(out.wakes); index != noSlot; index = next {
		if index != uint32(out.wakes) {
			next = uint32(C.troupe__next_wake(C.uint32_t(index))) // Before it runs, and is woken again.
		}
		p := at(index)
		urgent = urgent || p.priority < running
		r.submit(f, p)
	}
	return urgent
}

// drive runs a process, and those that the C code runs behind it, until the last one of them waits. It
// is on the fiber f, or, in a blocking section, on a goroutine of its own.
func (r *run) drive(p *process, f *workers.Fiber) {
	for budget := r.budget; ; budget = 0 {
		out := C.troupe__step(C.uint32_t(p.index), budget)
		if uint32(out.slot) != noSlot {
			p = at(uint32(out.slot))
		}
		urgent := r.queueAll(f, &out, p.priority)
		switch out.why {
		case C.WHY_WAIT:
			return
		case C.WHY_YIELD:
			r.submit(f, p)
			return
		case C.WHY_FLUSH:
			if urgent && f != nil {
				r.submit(f, p)
				return
			}
		case C.WHY_REQUEST:
			q := C.troupe__request(C.uint32_t(p.index))
			q.rc = r.serve(f, p, q)
		case C.WHY_EXIT:
			r.end(f, p)
			return
		case C.WHY_BLOCK:
			go r.driveBlocking(p)
			return
		case C.WHY_UNBLOCK:
			r.submit(f, p)
			return
		}
	}
}

// driveBlocking runs a process in its blocking section. The process may block the thread below the
// goroutine. The limit of sections bounds how many threads there are.
func (r *run) driveBlocking(p *process) {
	r.sections <- struct{}{}
	r.drive(p, nil)
	<-r.sections
}
