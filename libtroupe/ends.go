//go:build cgo && (linux || darwin) && (amd64 || arm64)

package main

// #include "runtime.h"
import "C"

import (
	"unsafe"

	"github.com/troupe-go/troupe/internal/workers"
)

// When the target of a monitor ends, its watcher gets a message.
type monitor struct{ watcher, target *process }

// All functions here hold r.mu, but end.

func tie(a, b *process) {
	for _, pair := range [][2]*process{{a, b}, {b, a}} {
		of := pair[0].rarely()
		if of.links == nil {
			of.links = map[*process]struct{}{}
		}
		of.links[pair[1]] = struct{}{}
	}
}

func (r *run) link(p *process, pid uint64) C.int {
	other := r.find(pid)
	switch other {
	case nil:
		return C.TROUPE_ENOPROC
	case p:
		return C.TROUPE_EINVAL
	}
	tie(p, other)
	return C.TROUPE_OK
}

func (r *run) unlink(p *process, pid uint64) C.int {
	other := r.find(pid)
	if other == nil {
		return C.TROUPE_ENOPROC
	}
	if p.rare == nil {
		return C.TROUPE_ENOENT
	}
	if _, linked := p.rare.links[other]; !linked {
		return C.TROUPE_ENOENT
	}
	delete(p.rare.links, other)
	delete(other.rare.links, p)
	return C.TROUPE_OK
}

func (r *run) monitor(p *process, q *C.request) C.int {
	target := r.find(uint64(q.a))
	if target == nil {
		return C.TROUPE_ENOPROC
	}
	r.lastRef++
	r.monitors[r.lastRef] = monitor{p, target}
	add(&target.rarely().watchers, r.lastRef)
	add(&p.rarely().watches, r.lastRef)
	q.out = C.uint64_t(r.lastRef)
	return C.TROUPE_OK
}

func add(set *map[uint64]struct{}, ref uint64) {
	if *set == nil {
		*set = map[uint64]struct{}{}
	}
	(*set)[ref] = struct{}{}
}

func (r *run) demonitor(p *process, ref uint64) C.int {
	m, known := r.monitors[ref]
	if !known || m.watcher != p {
		return C.TROUPE_ENOENT
	}
	r.removeMonitor(ref, m)
	return C.TROUPE_OK
}

func (r *run) removeMonitor(ref uint64, m monitor) {
	delete(r.monitors, ref)
	delete(m.watcher.rare.watches, ref)
	delete(m.target.rare.watchers, ref)
}

// doom has a process end at its next call, for a reason that the first caller gives.
func (r *run) doom(f *workers.Fiber, p *process, why fate) {
	if p.ended || p.fate != nil {
		return
	}
	p.fate = &why
	if C.troupe__doom(C.uint32_t(p.index)) != 0 {
		r.submit(f, p)
	}
	if p == r.main {
		r.beginStop()
	}
}

// end buries a process that has come to its end, and sends the messages and signals about it.
func (r *run) end(f *workers.Fiber, p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.fate == nil {
		said := C.troupe__exit_reason(C.uint32_t(p.index))
		p.fate = &fate{kind: int32(said.kind), code: int64(said.code)}
	}
	r.bury(p)
	if p.rare != nil {
		r.tell(f, p)
	}
	r.tellAlone()
}

// bury takes the process from the table; from then on a send to it fails.
func (r *run) bury(p *process) {
	p.ended = true
	if p.rare != nil {
		if p.rare.name != "" {
			delete(r.names, p.rare.name)
		}
		r.disarm(p)
	}
	remove(p)
	C.troupe__release(C.uint32_t(p.index))
	giveSlot(p.index)
	r.alive--
}

func (r *run) tell(f *workers.Fiber, p *process) {
	for ref := range p.rare.watches {
		r.removeMonitor(ref, r.monitors[ref])
	}
	for ref := range p.rare.watchers {
		m := r.monitors[ref]
		r.removeMonitor(ref, m)
		r.deliverEnd(f, m.watcher, C.TROUPE_TAG_DOWN, p, ref)
	}
	for other := range p.rare.links {
		delete(other.rare.links, p)
		switch {
		case other.traps:
			r.deliverEnd(f, other, C.TROUPE_TAG_EXIT, p, 0)
		case p.fate.kind != C.TROUPE_EXIT_NORMAL:
			r.doom(f, other, linked(p))
		}
	}
}

// linked is the fate of a process that the end of p takes along.
func linked(p *process) fate {
	why := fate{kind: C.TROUPE_EXIT_LINKED, cause: p.fate.kind, code: p.fate.code, linked: p.pid}
	if p.fate.kind == C.TROUPE_EXIT_LINKED {
		why.cause = p.fate.cause
	}
	return why
}

func (r *run) deliverEnd(f *workers.Fiber, to *process, tag C.uint64_t, p *process, ref uint64) {
	end := C.troupe_end{
		pid: C.troupe_pid(p.pid), ref: C.troupe_ref(ref), code: C.int64_t(p.fate.code),
		linked: C.troupe_pid(p.fate.linked), kind: C.int32_t(p.fate.kind), cause: C.int32_t(p.fate.cause),
	}
	r.deliver(f, to.pid, tag, unsafe.Pointer(&end), C.uint64_t(unsafe.Sizeof(end)))
}

// deliver sends, and queues the receiver if it waits. The error that it returns is of troupe.h.
func (r *run) deliver(f *workers.Fiber, pid uint64, tag C.uint64_t, data unsafe.Pointer, size C.uint64_t) C.int {
	rc := C.troupe__deliver(C.uint64_t(pid), tag, data, size)
	if rc == 1 {
		if p := at(uint32(pid)); p != nil {
			r.submit(f, p)
		}
		return C.TROUPE_OK
	}
	return rc
}
