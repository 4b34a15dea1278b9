//go:build cgo && (linux || darwin) && (amd64 || arm64)

package main

// #include "runtime.h"
import "C"

import (
	"time"
	"unsafe"
)

// All functions here hold r.mu, but those that time.AfterFunc calls, which take it.

// after sends a message later. The bytes are copied now.
func (r *run) after(q *C.request) C.int {
	if r.stopping {
		return C.TROUPE_ENOTRUNNING
	}
	if r.find(uint64(q.a)) == nil {
		return C.TROUPE_ENOPROC
	}
	pid, tag, data := uint64(q.a), q.b, C.GoBytes(q.q, C.int(q.c))
	r.lastRef++
	ref := r.lastRef
	r.timers[ref] = time.AfterFunc(time.Duration(q.d)*time.Millisecond, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if _, waiting := r.timers[ref]; waiting {
			delete(r.timers, ref)
			r.deliver(nil, pid, tag, unsafe.Pointer(unsafe.SliceData(data)), C.uint64_t(len(data)))
		}
	})
	q.out = C.uint64_t(ref)
	return C.TROUPE_OK
}

func (r *run) cancel(ref uint64) C.int {
	t, waiting := r.timers[ref]
	if !waiting {
		return C.TROUPE_ENOENT
	}
	t.Stop()
	delete(r.timers, ref)
	return C.TROUPE_OK
}

// arm ends the next waits of a process in a while, until disarm.
func (r *run) arm(p *process, d time.Duration) {
	rare := p.rarely()
	r.disarm(p)
	wait := rare.wait
	rare.timer = time.AfterFunc(d, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if !p.ended && rare.wait == wait && C.troupe__expire(C.uint32_t(p.index)) != 0 {
			r.submit(nil, p)
		}
	})
}

func (r *run) disarm(p *process) {
	if p.rare == nil || p.rare.timer == nil {
		return
	}
	p.rare.timer.Stop()
	p.rare.timer = nil
	p.rare.wait++
	C.troupe__unexpire(C.uint32_t(p.index))
}
