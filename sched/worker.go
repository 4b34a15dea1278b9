package sched

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/deque"
	"github.com/troupe-go/troupe/internal/invariants"
)

// Worker takes work and runs it, one piece at a time. There are as many
// workers awake as the configuration says, besides those that are blocked in
// their work.
//
// A worker is a goroutine, the trampoline, that resumes fibers; the dispatch
// loop itself runs on the fibers. All fields without a lock or an atomic type
// belong to whoever runs on the worker now, trampoline or fiber: they take
// turns.
type Worker struct {
	s     *Scheduler
	id    int
	spare bool

	// local holds queued work by priority, oldest first. Local[Critical] stays
	// empty, since critical work goes where every worker sees it.
	local [numPriorities]*deque.Deque[Node]
	// first holds work that was interrupted, to be continued newest first.
	first *deque.Deque[Node]

	fiber    *Fiber // The one that the trampoline resumes.
	op       operation
	target   *Fiber   // For opSwitch.
	priority Priority // For opYield.
	pool     []*Fiber // Fibers without work, parked in their loop.

	searching bool
	turn      uint32        // Counts dispatches, for fairness to the shared queues.
	token     chan struct{} // Wakes the worker; at most one token is on its way.
	random    *rand.Rand
	seen      []int64 // See searchOnce.
	left      bool    // The dispatch loop has ended for good.

	// The measure of time. See tick.
	budget    int
	stride    int
	heavy     bool
	nudged    bool
	clockAt   time.Duration
	gaveWayAt time.Duration

	count     counters
	published publishedCounters
	// blocked is set by the monitor when the worker is too long on one piece of
	// work and another has taken its place; cleared by the worker when it is
	// back.
	blocked atomic.Bool
	// resting is set while the worker sleeps or is retired. Written by the
	// worker, read by the monitor and by Stats.
	resting atomic.Bool
	sample  sample // The monitor's.
}

// operation is what a fiber asks of the trampoline when it leaves the stack.
type operation uint8

const (
	opSuspend operation = iota // Wait for a resume.
	opYield                    // Go to the end of the queue.
	opGiveWay                  // Let critical work run first.
	opSwitch                   // Continue another fiber, pool this one.
)

const (
	// fairTurn is how often a worker looks into the shared queues before its
	// own, so that work from outside is not starved. The number is Go's and
	// tokio's: prime, so that it does not beat with the program's own rhythms.
	fairTurn = 61
	// injectorBatch is how many nodes a worker takes from a shared queue at
	// once beyond the one it runs: enough to make the lock cheap.
	injectorBatch = 32
	// stealBatch bounds how many nodes one steal moves.
	stealBatch = 64
	// poolLimit is how many idle fibers a worker keeps: 2.7 KB each.
	poolLimit = 64
	// searchRounds is how often a searching worker goes over all queues before
	// it sleeps: about 5 us, which is what waking a thread costs.
	searchRounds = 16
	// nextCapacity bounds the interrupted pieces of work that a worker keeps;
	// more go to the shared queue.
	nextCapacity = 64
	// spareCapacity is the size of a spare worker's queues.
	spareCapacity = 64
)

func newWorker(s *Scheduler, id int, spare bool) *Worker {
	w := &Worker{
		s: s, id: id, spare: spare,
		token:  make(chan struct{}, 1),
		random: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
		first:  deque.New[Node](invariants.Shrink(nextCapacity, 4)),
		stride: 1,
	}
	capacity := s.cfg.QueueCapacity
	if spare {
		capacity = min(capacity, spareCapacity)
	}
	for p := High; p < numPriorities; p++ {
		w.local[p] = deque.New[Node](invariants.Shrink(capacity, 4))
	}
	return w
}

// run is the trampoline. It ends when the dispatch loop does.
func (w *Worker) run() {
	defer func() {
		if w.left {
			w.s.running.Done()
			return
		}
		// Work has called Goexit, which ended its fiber and then this goroutine.
		// (A panic would also come by here, on its way to end the process.)
		go w.run()
	}()
	w.fiber = w.takeFiber()
	for {
		w.fiber.w = w
		if !w.fiber.co.Resume() {
			w.left = true
			w.leave()
			return
		}
		w.perform()
	}
}

// perform does what the fiber that has just left asked for, and chooses the
// fiber to go on with.
func (w *Worker) perform() {
	f := w.fiber
	switch w.op {
	case opSuspend:
		if f.transitionToSuspended() {
			w.count.suspended++
			w.fiber = w.takeFiber()
		}
	case opYield:
		w.fiber = w.takeFiber()
		w.count.yielded++
		w.push(&f.node, w.priority)
	case opGiveWay:
		w.fiber = w.takeFiber()
		w.count.preempted++
		w.pushNext(&f.node)
	case opSwitch:
		w.fiber, w.target = w.target, nil
		if len(w.pool) < poolLimit {
			w.pool = append(w.pool, f)
		} else {
			f.co.Stop()
		}
	}
}

func (w *Worker) takeFiber() *Fiber {
	last := len(w.pool) - 1
	if last < 0 {
		return newFiber(w.s)
	}
	f := w.pool[last]
	w.pool[last] = nil
	w.pool = w.pool[:last]
	return f
}

// leave clears up after the dispatch loop.
func (w *Worker) leave() {
	w.resting.Store(true)
	w.publish()
	if w.searching {
		w.searching = false
		w.s.idle.endSearch()
	}
	for _, f := range w.pool {
		f.co.Stop()
	}
	w.pool = nil
}

// next returns work, waiting for it if need be. It returns nil when the worker
// shall leave.
func (w *Worker) next() (*Node, Priority) {
	for {
		if w.blocked.Load() {
			w.returnFromBlock()
		}
		if w.spare && w.s.surplus() && !w.retire() {
			return nil, 0
		}
		w.tick()
		if w.s.forced.Load() {
			return nil, 0
		}
		if n, p := w.poll(); n != nil {
			w.found()
			return n, p
		}
		if n, p := w.search(); n != nil {
			w.found()
			return n, p
		}
		if !w.sleep() {
			return nil, 0
		}
	}
}

// poll looks into the worker's own queues and the shared ones.
func (w *Worker) poll() (*Node, Priority) {
	shared := &w.s.injector
	waiting := shared.mask.Load()
	if waiting&Critical.bit() != 0 {
		if n := shared.take(Critical, nil, 0); n != nil {
			return n, Critical
		}
	}
	w.turn++
	fair := w.turn%fairTurn == 0
	if fair && waiting != 0 {
		for p := High; p < numPriorities; p++ {
			if n := w.takeShared(p, waiting); n != nil {
				return n, p
			}
		}
	}
	if n := w.first.Pop(); n != nil {
		return n, Normal
	}
	for p := High; p < numPriorities; p++ {
		if n := w.local[p].Take(); n != nil {
			return n, p
		}
		if n := w.takeShared(p, waiting); n != nil {
			return n, p
		}
	}
	return nil, 0
}

func (w *Worker) takeShared(p Priority, waiting uint32) *Node {
	if waiting&p.bit() == 0 {
		return nil
	}
	return w.s.injector.take(p, w.local[p], injectorBatch)
}

// search looks for work everywhere, several times over.
func (w *Worker) search() (*Node, Priority) {
	if !w.searching {
		if !w.s.idle.startSearch(int(w.s.awake.Load())) {
			return nil, 0
		}
		w.searching = true
	}
	for round := range searchRounds {
		if n, p := w.searchOnce(round); n != nil {
			return n, p
		}
		if w.s.exiting.Load() {
			break
		}
		runtime.Gosched()
	}
	return nil, 0
}

// searchOnce goes over the other workers, from a random one on, and over the
// shared queues.
//
// A single node in another's queue is mostly about to be taken by its owner,
// and taking it away would only tear apart two actors that talk to each other.
// It is stolen if the owner has taken nothing for three rounds.
func (w *Worker) searchOnce(round int) (*Node, Priority) {
	workers := *w.s.workers.Load()
	if len(w.seen) < len(workers) {
		w.seen = make([]int64, len(workers))
	}
	offset := w.random.IntN(len(workers))
	for i := range workers {
		victim := workers[(offset+i)%len(workers)]
		if victim == w {
			continue
		}
		atLeast := 2
		switch seen := &w.seen[victim.id]; round % 4 {
		case 0:
			*seen = victim.taken()
		case 3:
			if *seen == victim.taken() {
				atLeast = 1
			}
		}
		if n, p := w.stealFrom(victim, atLeast); n != nil {
			return n, p
		}
	}
	if w.s.injector.mask.Load() != 0 {
		return w.poll()
	}
	return nil, 0
}

// taken counts what has left the worker's queues at the old end.
func (w *Worker) taken() (sum int64) {
	for p := High; p < numPriorities; p++ {
		sum += w.local[p].Taken()
	}
	return sum
}

// queued returns the length of the worker's longest queue. Work that was
// interrupted counts as more than one piece: its owner is on other work.
func (w *Worker) queued() int {
	longest := 2 * w.first.Len()
	for p := High; p < numPriorities; p++ {
		longest = max(longest, w.local[p].Len())
	}
	return longest
}

// stealFrom takes the oldest node of the highest priority of which victim has
// at least so many, and moves up to half of what is behind it here.
func (w *Worker) stealFrom(victim *Worker, atLeast int) (*Node, Priority) {
	for p := High; p < numPriorities; p++ {
		from := victim.local[p]
		length := from.Len()
		if length < atLeast {
			continue
		}
		more := min(length/2, stealBatch)
		n, _ := from.Steal()
		if n == nil {
			continue
		}
		w.count.stolen++
		for range more - 1 {
			extra, _ := from.Steal()
			if extra == nil {
				break
			}
			w.count.stolen++
			w.push(extra, p)
		}
		return n, p
	}
	if n, _ := victim.first.Steal(); n != nil {
		w.count.stolen++
		return n, Normal
	}
	return nil, 0
}

// found ends the worker's search. Others may have relied on it, so if it was
// the last one, another sleeper takes over.
func (w *Worker) found() {
	if !w.searching {
		return
	}
	w.searching = false
	if w.s.idle.endSearch() {
		w.s.idle.wake()
	}
}

// sleep waits for a token. It returns false when the worker shall leave.
func (w *Worker) sleep() bool {
	s := w.s
	w.count.slept++
	w.publish()
	for p := High; p < numPriorities; p++ {
		w.local[p].Sweep()
	}
	w.first.Sweep()
	invariants.Yield()
	w.resting.Store(true)
	s.idle.enter(w)
	if (s.backlog() || s.exiting.Load()) && s.idle.leave(w) {
		w.resting.Store(false)
		return !s.exiting.Load() || s.hasWork()
	}
	<-w.token
	w.searching = true
	w.resting.Store(false)
	w.resetClock()
	if s.exiting.Load() && !s.hasWork() {
		return false
	}
	s.monitor.rouse()
	return true
}

// push queues n on this worker. It must run on the worker.
func (w *Worker) push(n *Node, p Priority) {
	if p == Critical || !w.local[p].Push(n) {
		w.s.share(n, p)
		return
	}
	// A single node is left to this worker, which mostly is about to take it:
	// two actors that talk to each other stay on one worker and wake nobody. But
	// where the work takes long, or there is more, another one shall help.
	if w.heavy || w.local[p].Len() > 1 {
		w.s.idle.wake()
	}
}

// pushNext queues n so that this worker takes it before its other work. It
// must run on the worker.
func (w *Worker) pushNext(n *Node) {
	if !w.first.Push(n) {
		w.s.share(n, Normal)
	}
}

// returnFromBlock takes the worker's place back.
func (w *Worker) returnFromBlock() {
	if w.blocked.CompareAndSwap(true, false) {
		w.s.awake.Add(1)
	}
}

// retire gives the worker's place up, since a blocked one is back, and waits
// until it is needed again. It returns false when the worker shall leave.
func (w *Worker) retire() bool {
	s := w.s
	if !s.giveUpPlace() {
		return true
	}
	for p := High; p < numPriorities; p++ {
		for n := w.local[p].Take(); n != nil; n = w.local[p].Take() {
			s.injector.push(n, p)
		}
	}
	for n := w.first.Pop(); n != nil; n = w.first.Pop() {
		s.injector.push(n, Normal)
	}
	wasSearching := w.searching
	w.searching = false
	if wasSearching {
		s.idle.endSearch()
	}
	w.publish()
	w.resting.Store(true)
	if !s.monitor.retire(w) {
		return false
	}
	s.idle.wake()
	<-w.token
	w.resting.Store(false)
	w.resetClock()
	return !s.exiting.Load()
}

const (
	// strideTarget is the time after which a worker looks at the clock again.
	strideTarget = 50 * time.Microsecond
	// giveWayAfter is how long a worker keeps its processor from the program's
	// other goroutines while every worker is busy. The Go runtime would take
	// it away only after 10 ms.
	giveWayAfter = 100 * time.Microsecond
	// heavyAfter is the mean time of a piece of work from which on even a
	// single queued one is worth waking another worker for: several times the
	// price of the waking.
	heavyAfter = 20 * time.Microsecond
	maxStride  = 64
)

// tick is called for each piece of work, so it has to cost next to nothing. It
// looks at the clock (24 ns) only every stride calls; the stride follows from
// how long the last ones took.
func (w *Worker) tick() {
	if w.budget--; w.budget < 0 {
		w.readClock()
	}
}

func (w *Worker) readClock() {
	now := w.s.now()
	w.publish()
	if w.clockAt != 0 {
		each := max(1, (now-w.clockAt)/time.Duration(w.stride))
		w.heavy = each > heavyAfter
		w.stride = int(min(maxStride, max(1, strideTarget/each)))
	}
	w.clockAt = now
	w.budget = w.stride - 1
	if !w.nudged && now-w.gaveWayAt < giveWayAfter {
		return
	}
	w.nudged = false
	w.gaveWayAt = now
	// While a worker sleeps there is a processor for the others.
	if w.s.idle.sleeping() == 0 {
		runtime.Gosched()
	}
}

// nudge makes the worker give way at its next tick, because it has made a
// goroutine outside runnable.
func (w *Worker) nudge() {
	w.nudged = true
	w.budget = 0
}

// resetClock forgets the time that the worker has slept.
func (w *Worker) resetClock() {
	w.clockAt = 0
	w.budget = 0
	w.stride = 1
}
