//go:build cgo && (linux || darwin) && (amd64 || arm64)

package main

// #include "runtime.h"
import "C"

import (
	"time"
	"unsafe"

	"github.com/troupe-go/troupe/internal/workers"
)

// troupeServe serves a caller on a stack of the system: the main process, a light process, or another
// thread.
//
//export troupeServe
func troupeServe(caller C.uint32_t, q *C.request) C.int {
	r := current.Load()
	if r == nil {
		return C.TROUPE_ENOTRUNNING
	}
	return r.serve(nil, at(uint32(caller)), q)
}

// serve does what a process, or another thread if p is nil, asks for, on the fiber f or elsewhere.
func (r *run) serve(f *workers.Fiber, p *process, q *C.request) C.int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p == nil && ofProcess(q) {
		return C.TROUPE_ECONTEXT
	}
	switch q.op {
	case C.OP_SPAWN:
		return r.spawn(f, p, q)
	case C.OP_KILL:
		return r.kill(f, uint64(q.a))
	case C.OP_LINK:
		return r.link(p, uint64(q.a))
	case C.OP_UNLINK:
		return r.unlink(p, uint64(q.a))
	case C.OP_MONITOR:
		return r.monitor(p, q)
	case C.OP_DEMONITOR:
		return r.demonitor(p, uint64(q.a))
	case C.OP_TRAP:
		p.traps = q.a != 0
		return C.TROUPE_OK
	case C.OP_AFTER:
		return r.after(q)
	case C.OP_CANCEL:
		return r.cancel(uint64(q.a))
	case C.OP_REGISTER:
		return r.register(uint64(q.a), nameOf(q))
	case C.OP_UNREGISTER:
		return r.unregister(nameOf(q))
	case C.OP_WHEREIS:
		return r.whereis(q)
	case C.OP_INFO:
		return r.info(uint64(q.a), (*C.troupe_process_info)(q.p))
	case C.OP_COUNTS:
		r.counts((*C.troupe_runtime_counts)(q.p))
		return C.TROUPE_OK
	case C.OP_ARM:
		r.arm(p, time.Duration(q.a)*time.Millisecond)
		return C.TROUPE_OK
	case C.OP_DISARM:
		r.disarm(p)
		return C.TROUPE_OK
	}
	return C.TROUPE_EINVAL
}

// ofProcess reports whether only a process may ask for this.
func ofProcess(q *C.request) bool {
	switch q.op {
	case C.OP_LINK, C.OP_UNLINK, C.OP_MONITOR, C.OP_DEMONITOR, C.OP_TRAP, C.OP_ARM, C.OP_DISARM:
		return true
	}
	return q.op == C.OP_SPAWN && q.d != 0
}

func (r *run) spawn(f *workers.Fiber, parent *process, q *C.request) C.int {
	if r.stopping {
		return C.TROUPE_ENOTRUNNING
	}
	p, rc := r.create(C.int(q.a), C.int(q.b), q.p, q.q, q.c)
	if rc != C.TROUPE_OK {
		return rc
	}
	if q.d != 0 {
		tie(parent, p)
	}
	q.out = C.uint64_t(p.pid)
	if p.kind == C.STACKFUL { // A light one waits for its first message.
		r.submit(f, p)
	}
	return C.TROUPE_OK
}

// create makes a process, which is not queued. It holds r.mu.
func (r *run) create(kind, priority C.int, fn, args unsafe.Pointer, size C.uint64_t) (*process, C.int) {
	if r.alive >= r.limit {
		return nil, C.TROUPE_ELIMIT
	}
	index, pid, ok := takeSlot()
	if !ok {
		return nil, C.TROUPE_ELIMIT
	}
	p := &process{r: r, pid: pid, index: index, kind: uint8(kind), priority: priorityOf(uint64(priority))}
	p.node.Init(p)
	enter(p) // Before it can be woken.
	if rc := C.troupe__prepare(C.uint32_t(index), C.uint64_t(pid), kind, priority, fn, args, size); rc != C.TROUPE_OK {
		remove(p)
		giveSlot(index)
		return nil, rc
	}
	r.alive++
	r.spawned++
	return p, C.TROUPE_OK
}

func (r *run) kill(f *workers.Fiber, pid uint64) C.int {
	p := r.find(pid)
	if p == nil {
		return C.TROUPE_ENOPROC
	}
	r.doom(f, p, fate{kind: C.TROUPE_EXIT_KILLED})
	return C.TROUPE_OK
}

func (r *run) info(pid uint64, info *C.troupe_process_info) C.int {
	p := r.find(pid)
	if p == nil {
		return C.TROUPE_ENOPROC
	}
	*info = C.troupe_process_info{size: info.size, pid: C.troupe_pid(pid)}
	C.troupe__look(C.uint32_t(p.index), info)
	if p.rare != nil {
		info.links = C.uint64_t(len(p.rare.links))
		info.monitors = C.uint64_t(len(p.rare.watchers))
		for i, b := range []byte(p.rare.name[:min(len(p.rare.name), len(info.name)-1)]) {
			info.name[i] = C.char(b)
		}
	}
	return C.TROUPE_OK
}

func (r *run) counts(c *C.troupe_runtime_counts) {
	c.processes = C.uint64_t(r.alive)
	c.spawned = C.uint64_t(r.spawned)
	c.workers = C.uint64_t(r.s.Workers())
	c.blocking = C.uint64_t(len(r.sections))
	c.timers = C.uint64_t(len(r.timers))
}
