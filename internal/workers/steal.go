package workers

import (
	"time"

	"github.com/troupe-go/troupe/internal/deque"
	"github.com/troupe-go/troupe/internal/workers/queues"
	"github.com/troupe-go/troupe/internal/workers/recording"
	"github.com/troupe-go/troupe/internal/workers/stealing"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// searchRounds is how often a searching worker goes over all queues before
// it sleeps: about 5 us, which is what waking a thread costs.
const searchRounds = 16

// search looks for work everywhere, several times over.
func (w *Worker) search() (*Node, Priority) {
	if !w.park.Searching {
		if !w.park.Tier().StartSearch() {
			return nil, 0
		}
		w.park.Searching = true
		w.activity.turnTo(WorkerStealing)
		w.note(recording.Search, 0)
	}
	if w.meter.nudged {
		w.meter.unnudge()
		w.stepAside()
		if n, p := w.poll(); n != nil {
			return n, p
		}
	}
	w.policy.Adopt(stealing.Strategy(w.s.strategy.Load()))
	w.location.Update(&w.s.machine, w.s.flat)
	for round := range rounds() {
		if n, p := w.searchOnce(round); n != nil {
			w.policy.Searched(false, w.s.flat)
			return n, p
		}
		w.stepAside()
	}
	w.policy.Searched(true, w.s.flat)
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
// If a queue has a single node, its owner is mostly about to take it. To steal it would
// only separate two actors that talk to each other.
// It is stolen if the owner has taken nothing for three rounds.
func (w *Worker) searchOnce(round int) (*Node, Priority) {
	if w.s.shared.Has(queues.Critical) {
		return w.poll()
	}
	if w.urgent {
		return nil, 0 // Critical work lies in the shared queue alone.
	}
	workers := *w.s.workers.Load()
	if len(w.seen) < len(workers) {
		w.seen = make([]int64, len(workers))
	}
	first, step := w.policy.Course(w.random, len(workers))
	reaches := w.policy.Reaches(w.s.flat)
	for reach := range reaches {
		for i := range workers {
			victim := workers[(first+i*step)%len(workers)]
			if victim == w || !w.location.Within(&victim.location, reach, reaches) {
				continue
			}
			if n, p := w.stealFrom(victim, w.atLeast(victim, round)); n != nil {
				w.note(recording.Steal, victim.id)
				return n, p
			}
			if n, p := w.relieve(victim); n != nil {
				w.note(recording.Steal, victim.id)
				return n, p
			}
		}
	}
	if w.s.shared.Mask()&w.park.Tier().Takes() != 0 {
		return w.poll()
	}
	return nil, 0
}

// atLeast is how many nodes a queue of victim must have to be stolen from.
func (w *Worker) atLeast(victim *Worker, round int) int {
	switch seen := &w.seen[victim.id]; round % 4 {
	case 0:
		*seen = victim.queues.Taken()
	case 3:
		if *seen == victim.queues.Taken() {
			return 1
		}
	}
	return 2
}

// stealFrom takes the oldest node of the highest priority of which victim has
// at least so many, and moves some of what is behind it here.
//
// A branch comes first, and alone: it is the largest part of something that has
// begun, and splits further. Reserved workers leave branches and interrupted work
// alone, since nothing says how urgent they are.
func (w *Worker) stealFrom(victim *Worker, atLeast int) (*Node, Priority) {
	before := w.policy.Attempts()
	if w.tier == Low && victim.queues.Branches.Len() > 0 {
		if n := w.stealNode(victim.queues.Branches); n != nil {
			return n, Normal
		}
	}
	for p := High; p <= w.tier; p++ {
		from := victim.queues.Local[p]
		length := from.Len()
		if length < atLeast {
			continue
		}
		if n := w.stealNode(from); n != nil {
			w.haul(victim, p, n, w.policy.AtMost(length))
			return n, p
		}
	}
	if w.tier == Low && victim.queues.First.Len() > 0 {
		if n := w.stealNode(victim.queues.First); n != nil {
			return n, Normal
		}
	}
	if length := victim.queues.Inbox.Placed(); w.tier == Low && length >= atLeast {
		if n, p := w.stealPlaced(victim, queues.Placed, length); n != nil {
			return n, p
		}
	}
	if w.policy.Attempts() == before {
		w.policy.FoundEmpty()
	}
	return nil, 0
}

// stealNode takes one node of another's queue.
func (w *Worker) stealNode(from *deque.Deque[Node]) *Node {
	n, contended := from.Steal()
	w.policy.Tried(contended)
	if n != nil {
		w.count.Stolen++
		n.stolen()
	}
	return n
}

// haul moves what is behind a node that was stolen, so that all together are at most so
// many and about as much work as a steal shall bring. The cost of a node is its own
// estimate, or else the mean of the victim's last ones. If neither is known, the number
// alone counts.
func (w *Worker) haul(victim *Worker, p Priority, stolen *Node, atMost int) {
	pace := victim.pace.Known()
	cost := estimate(stolen, pace)
	w.policy.Stole(cost)
	moved := 1
	for left := w.policy.Load() - cost; moved < atMost && left > 0; moved++ {
		n := w.stealNode(victim.queues.Local[p])
		if n == nil {
			break
		}
		left -= estimate(n, pace)
		n.arrived()
		w.push(n, p)
	}
	if moved > 1 {
		w.policy.MovedBatch()
	}
}

func estimate(n *Node, pace time.Duration) time.Duration {
	if cost := n.cost(); cost > 0 {
		return cost
	}
	return pace
}

// found ends the worker's search. Others may have relied on it, so if it was
// the last one, another sleeper takes over.
func (w *Worker) found() {
	if !w.park.Searching {
		return
	}
	w.park.Searching = false
	w.activity.turnTo(WorkerWorking)
	if w.park.Tier().EndSearch() {
		w.s.handOver(w.park.Tier())
	}
}
