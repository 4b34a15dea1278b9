package terminal

import (
	"runtime/metrics"
	"runtime/pprof"
)

// Usage is what a process has and has used. Megabytes are millions of bytes.
type Usage struct {
	// Threads are those that the process has. Where the system does not tell, those
	// that the Go runtime has ever made.
	Threads int `json:"threads"`
	// RSS is the memory that the process has, in MB. Where the system does not tell,
	// the most that it has had.
	RSS float64 `json:"rss_mb"`
	// Heap is the memory that objects of the Go heap have, in MB, with those that
	// were not collected yet.
	Heap float64 `json:"heap_mb"`
	// CPU is the processor time, in seconds, in user and kernel mode.
	CPU float64 `json:"cpu_s"`
}

func usage() Usage {
	u := Usage{Threads: pprof.Lookup("threadcreate").Count()}
	u.CPU, u.RSS = spent()
	if threads, rss, ok := held(); ok {
		u.Threads, u.RSS = threads, rss
	}
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	u.Heap = float64(heap[0].Value.Uint64()) / 1e6
	return u
}
