package sched

import (
	"runtime"

	"github.com/troupe-go/troupe/internal/xatomic"
)

const (
	// stealBatch bounds how many nodes one steal moves.
	stealBatch = 64
	// searchRounds is how often a searching worker goes over all queues before
	// it sleeps: about 5 us, which is what waking a thread costs.
	searchRounds = 16
)

// search looks for work everywhere, several times over.
func (w *Worker) search() (*Node, Priority) {
	if !w.searching {
		if !w.s.idle.startSearch(int(w.s.awake.Load())) {
			return nil, 0
		}
		w.searching = true
		w.turnTo(WorkerStealing)
	}
	for round := range rounds() {
		if n, p := w.searchOnce(round); n != nil {
			return n, p
		}
		runtime.Gosched()
	}
	return nil, 0
}

// rounds is how often a search goes over all queues. Each time is like the
// others, so a model has one.
func rounds() int {
	if xatomic.Checked {
		return 1
	}
	return searchRounds
}

// searchOnce goes over the other workers, from a random one on, and over the
// shared queues.
//
// A single node in another's queue is mostly about to be taken by its owner,
// and taking it away would only tear apart two actors that talk to each other.
// It is stolen if the owner has taken nothing for three rounds.
func (w *Worker) searchOnce(round int) (*Node, Priority) {
	if w.s.injector.has(Critical) {
		return w.poll()
	}
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
		if n, p := w.relieve(victim); n != nil {
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
// interrupted, or forked, counts as more than one piece: its owner is on other
// work.
func (w *Worker) queued() int {
	longest := 2 * (w.first.Len() + w.forks.offer.Len())
	for p := High; p < numPriorities; p++ {
		longest = max(longest, w.local[p].Len())
	}
	return longest
}

// stealFrom takes the oldest node of the highest priority of which victim has
// at least so many, and moves up to half of what is behind it here.
//
// A branch comes first, and alone: it is the largest part of something that has
// begun, and splits further.
func (w *Worker) stealFrom(victim *Worker, atLeast int) (*Node, Priority) {
	if n, _ := victim.forks.offer.Steal(); n != nil {
		w.count.stolen++
		return n, Normal
	}
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
	w.turnTo(WorkerWorking)
	if w.s.idle.endSearch() {
		w.s.idle.wake()
	}
}
