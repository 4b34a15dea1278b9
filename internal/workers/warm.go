package workers

import (
	"unsafe"

	"github.com/troupe-go/troupe/internal/prefetch"
)

// # Fibers that no cache holds
//
// 100,000 strands take 300 MB of memory. If they take turns, no cache holds the memory
// of the next strand: some 25 cache lines of its fiber, its job, its goroutine's
// descriptor, its coroutine's records, and the end of its stack. Each line has the
// address of the next, so a worker would wait for several of them in turn, some 100 ns
// each. But fibers come out of a shared queue many at a time, so the worker knows
// which are next. Before it continues a fiber, it tells the processor to fetch the lines
// of the second fiber after it. Its node leads to them, and was fetched six fibers before.
//
// A processor makes a limited number of fetches at a time, and waits if it is asked for
// more. When all fibers of a batch were fetched at once, 27 lines each, the fetches took
// a quarter of a switch, and their 57 KB are more than the nearest cache holds. On 2 vCPU of an AMD EPYC a
// yield among 100,000 took 525 to 575 ns so, 0.82 to 1.0 of goroutines, and takes 360 to 400
// now, 0.59 to 0.72 of them; without any of this, in another hour, 1,638.
//
// The fibers on a worker's own queue are as many as find room in a cache.
//
// Tried: one fiber ahead, and nodes four ahead, which made no difference within the
// noise; three and four fibers ahead were up to a tenth slower, and eight a quarter.
// Without the coroutine's records a switch took a tenth longer.
const (
	// The part of a stack that a switch touches, from below its top to the frames of the
	// work that called.
	stackBelow, stackLines = 320, 11
	// goroutineLines are the cache lines of the runtime's descriptor, which has 480 bytes.
	goroutineLines = 8
	// The records of the coroutine: five of 32 bytes. The record at Coro.At is the fourth.
	coroBefore, coroLines = 128, 4
	// jobLines are the cache lines of the record that the job lies in, as a strand of 112
	// bytes.
	jobLines = 2
	// nodeLines are the cache lines of a fiber, which begins with its node.
	nodeLines = 3
	// How far ahead nodes and fibers are fetched.
	nodesAhead, fibersAhead = 8, 2
)

// warm begins to load work that has just come from a shared queue. The first piece is n,
// and the others lie in the queue of p.
func (w *Worker) warm(n *Node, p Priority) {
	if !prefetch.Enabled {
		return
	}
	local := w.queues.Local[p]
	w.cold = local.Len()
	for i := range min(nodesAhead, w.cold) {
		w.fetchNode(local.At(i))
	}
	w.warmOne(n)
	for i := range min(fibersAhead, w.cold) {
		w.warmOne(local.At(i))
	}
}

// warmNext goes on with it, when something has left the queue of p. That what is fetched
// came from a shared queue is a guess: a thief may have been there meanwhile.
func (w *Worker) warmNext(p Priority) {
	w.cold--
	local := w.queues.Local[p]
	if w.cold >= nodesAhead {
		w.fetchNode(local.At(nodesAhead - 1))
	}
	if w.cold >= fibersAhead {
		w.warmOne(local.At(fibersAhead - 1))
	}
}

// fetchNode has the fiber of a node fetched, or what else lies around it.
func (w *Worker) fetchNode(n *Node) { prefetch.Lines(uintptr(unsafe.Pointer(n)), nodeLines) }

// warmOne has all of a fiber fetched that is to be continued, but for what fetchNode
// does. A thief may run it meanwhile, and n is nil if there is no other.
func (w *Worker) warmOne(n *Node) {
	if n == nil {
		return
	}
	f, ok := n.runner.(*Fiber)
	if !ok {
		return
	}
	w.count.Warmed++
	prefetch.Lines(f.entry.Goroutine(), goroutineLines)
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
