package sched

import (
	"unsafe"

	"github.com/troupe-go/troupe/internal/prefetch"
)

// # Fibers that no cache holds
//
// A hundred thousand strands that take turns take 300 MB, so each comes back to some
// 25 lines of memory that no cache holds: of its fiber, its job, its goroutine's
// descriptor, its coroutine's records, and the end of its stack. One leads to the
// next, so a worker would wait for several of them one after the other, some 100 ns
// each. But which fibers are next is known when they come out of a shared queue,
// many at once. So the worker has the processor fetch the lines of all of them, which
// it does many at a time. A yield among 100,000 took 1.2 to 1.6 of the time of goroutines
// without, and takes 0.33 to 0.65 so.
//
// Those on a worker's own queue are as many as find room in a cache.
//
// Tried: 8 or 16 fibers at a time, and fewer lines of each, which made no difference
// within the noise, but for the coroutine's records: without them a switch took a
// tenth longer.

const (
	// The part of a stack that a switch touches, from below its top to the frames of the
	// work that called.
	stackBelow, stackLines = 320, 11
	// goroutineLines are those of the runtime's descriptor, which has 480 bytes.
	goroutineLines = 8
	// The records of the coroutine: five of 32 bytes, of which that at Coro.At is the fourth.
	coroBefore, coroLines = 128, 4
	// jobLines are those of the record that the job lies in, as a strand of 112 bytes.
	jobLines = 2
)

// warm has the fibers fetched that have just come, of which n is the first, and the
// others lie in the queue of p.
func (w *Worker) warm(n *Node, p Priority) {
	if !prefetch.Enabled {
		return
	}
	w.warmOne(n)
	local := w.local[p]
	for i := range local.Len() {
		if n := local.At(i); n != nil {
			w.warmOne(n)
		}
	}
}

// warmOne has a fiber fetched that is to be continued. A thief may run it meanwhile.
func (w *Worker) warmOne(n *Node) {
	f, ok := n.runner.(*Fiber)
	if !ok {
		return
	}
	w.count.warmed++
	prefetch.Lines(uintptr(unsafe.Pointer(f))+prefetch.Line, 2) // The first has come with n.
	prefetch.Lines(f.id.Load(), goroutineLines)
	prefetch.Lines(f.top.Load()-stackBelow, stackLines)
	prefetch.Lines(f.co.At()-coroBefore, coroLines)
	prefetch.Lines(uintptr(unsafe.Pointer(f.job.Load())), jobLines)
}

// noteTop notes where the stack ends that is about to be left.
func (f *Fiber) noteTop() {
	var here byte
	if top := uintptr(unsafe.Pointer(&here)); f.top.Load() != top {
		f.top.Store(top)
	}
}
