//go:build cgo && (linux || darwin) && (amd64 || arm64)

package main

// #include "runtime.h"
import "C"

// All functions here hold r.mu. The C code has checked the length of the names.

func nameOf(q *C.request) string { return string(C.GoBytes(q.q, C.int(q.c))) }

func (r *run) register(pid uint64, name string) C.int {
	p := r.find(pid)
	if p == nil {
		return C.TROUPE_ENOPROC
	}
	if r.names[name] != nil || p.rarely().name != "" {
		return C.TROUPE_EEXIST
	}
	r.names[name] = p
	p.rare.name = name
	return C.TROUPE_OK
}

func (r *run) unregister(name string) C.int {
	p := r.names[name]
	if p == nil {
		return C.TROUPE_ENOENT
	}
	delete(r.names, name)
	p.rare.name = ""
	return C.TROUPE_OK
}

func (r *run) whereis(q *C.request) C.int {
	p := r.names[nameOf(q)]
	if p == nil {
		return C.TROUPE_ENOENT
	}
	q.out = C.uint64_t(p.pid)
	return C.TROUPE_OK
}
