//go:build cgo && (linux || darwin) && (amd64 || arm64)

package main

// #cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra -fno-strict-aliasing
// #cgo LDFLAGS: -lpthread
// #include "runtime.h"
import "C"

import (
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// noSlot stands for a caller that is not a process, and for the end of a list.
const noSlot = ^uint32(0)

// A process is what Go keeps of one. The rest is in its slot, in C.
type process struct {
	node     workers.Node
	r        *run
	pid      uint64
	index    uint32
	kind     uint8
	priority workers.Priority

	// The fields below are guarded by run.mu.

	traps bool
	ended bool
	fate  *fate // The reason for which it must end, if it must.
	rare  *rare // Relations and names, or nil: few processes have any.
}

// A fate is why a process ends.
type fate struct {
	kind, cause int32
	code        int64
	linked      uint64
}

// rare holds relations of a process to others, and its wait with a limit.
type rare struct {
	links    map[*process]struct{}
	watchers map[uint64]struct{} // Monitors of this process by others.
	watches  map[uint64]struct{} // Monitors of others by this process.
	name     string
	timer    *time.Timer
	wait     uint64 // The number of the wait that the timer ends.
}

func (p *process) rarely() *rare {
	if p.rare == nil {
		p.rare = &rare{}
	}
	return p.rare
}

// Run runs the process on a worker.
func (p *process) Run(f *workers.Fiber, _ workers.Priority) { p.r.drive(p, f) }

// String names it where the scheduler reports what holds a worker.
func (p *process) String() string { return "process of C" }

// priorityOf translates a priority of troupe.h, which has been checked.
func priorityOf(p uint64) workers.Priority {
	switch p {
	case C.TROUPE_HIGH:
		return workers.High
	case C.TROUPE_LOW:
		return workers.Low
	}
	return workers.Normal
}
