//go:build cgo && (linux || darwin) && (amd64 || arm64)

package main

// #include "runtime.h"
import "C"

import "sync/atomic"

const (
	chunkSlots = C.SLOTS_PER_CHUNK
	maxSlots   = C.SLOTS_PER_CHUNK * C.MAX_CHUNKS
)

// The table leads from the number of a slot to its process. It outlives the runtime, as slots do, so
// that a PID of an earlier run is not taken for a new process. Everything but at is guarded by
// run.mu, or by starting where there is no run.
var table struct {
	chunks      [C.MAX_CHUNKS]atomic.Pointer[[chunkSlots]atomic.Pointer[process]]
	generations []uint32 // The last of each slot that was used.
	free        []uint32
}

// at returns the process of a slot, or nil.
func at(index uint32) *process {
	if index >= maxSlots {
		return nil
	}
	chunk := table.chunks[index/chunkSlots].Load()
	if chunk == nil {
		return nil
	}
	return chunk[index%chunkSlots].Load()
}

// find returns the process of this run with a PID, or nil.
func (r *run) find(pid uint64) *process {
	p := at(uint32(pid))
	if p == nil || p.pid != pid || p.r != r {
		return nil
	}
	return p
}

// takeSlot returns a free slot and the PID of its next process.
func takeSlot() (index uint32, pid uint64, ok bool) {
	if n := len(table.free); n > 0 {
		index = table.free[n-1]
		table.free = table.free[:n-1]
	} else {
		if len(table.generations) == maxSlots {
			return 0, 0, false
		}
		index = uint32(len(table.generations))
		table.generations = append(table.generations, 0)
		if index%chunkSlots == 0 {
			table.chunks[index/chunkSlots].Store(new([chunkSlots]atomic.Pointer[process]))
		}
	}
	table.generations[index]++
	if table.generations[index] == 0 {
		table.generations[index] = 1 // PID 0 is no process.
	}
	return index, uint64(table.generations[index])<<32 | uint64(index), true
}

func giveSlot(index uint32) { table.free = append(table.free, index) }

func enter(p *process) { table.chunks[p.index/chunkSlots].Load()[p.index%chunkSlots].Store(p) }

func remove(p *process) { table.chunks[p.index/chunkSlots].Load()[p.index%chunkSlots].Store(nil) }
