package sched

import (
	"sync/atomic"
	"time"
)

// thief is what a worker knows of its own stealing, and how it steals by that.
//
// # How adaptive decides
//
// The worker counts over a window of steals and searches, and then decides, in
// this order:
//
//   - Other thieves were faster in more than a quarter of the steals: batched,
//     with four times the work per steal, so that it comes back later; and each
//     round goes over the victims in an order of its own, since two thieves that
//     walk the same way meet at every victim.
//   - A piece of the work that it stole costs as much as a whole steal should
//     bring: single. What is moved besides would only wait in another queue.
//   - Three quarters of the searches were in vain, and the machine has places that
//     are near and ones that are far: local, so that asking empty queues costs
//     little, and what is found is in a cache nearby.
//   - Else the work is cheap: batched.
//
// A decision falls again only when its cause is down to half, so that a worker
// on the edge does not switch all the time.
//
// Only the worker itself uses it; what others may see is in publishedSteals.
type thief struct {
	configured StealStrategy // What the scheduler last said.
	strategy   StealStrategy // In force: single, batched or local.
	reason     StealReason
	window     stealWindow
	cost       time.Duration // Mean estimate for a stolen piece; 0 if never known.
	count      StealStats
	dirty      bool // Something was counted since it was published.
}

// stealWindow is what was counted since the last decision.
type stealWindow struct{ attempts, contended, searches, fruitless int }

const (
	// stealBatch bounds how many nodes one steal moves.
	stealBatch = 64
	// stealLoad is how much work one steal moves, by estimate. To move a piece
	// costs 35 ns (BenchmarkSteal) and the waking before it about 5 us: a few
	// percent of 200 us. And that is short enough that the last steal of many
	// leaves nobody idle for long. Between 20 us and 2 ms no difference could be
	// measured on 2 processors (BenchmarkFlooded).
	stealLoad = 200 * time.Microsecond
	// contendedLoad is the factor by which a steal moves more where thieves get in
	// each other's way.
	contendedLoad = 4
	// windowSize is how many steals or searches make a decision: few enough to
	// follow a program's phases, and a quarter of it is more than chance.
	windowSize = 16
)

// adopt begins a search under the strategy that the scheduler has now.
func (t *thief) adopt(configured StealStrategy) {
	if configured == t.configured {
		return
	}
	t.configured = configured
	t.window = stealWindow{}
	t.turnTo(configured.begin())
}

// begin returns how a worker steals that was just told to.
func (st StealStrategy) begin() (StealStrategy, StealReason) {
	if st == StealAdaptive {
		return StealBatched, StealUnmeasured
	}
	return st, StealConfigured
}

func newThief(configured StealStrategy) thief {
	t := thief{configured: StealAdaptive, strategy: StealBatched, reason: StealUnmeasured, dirty: true}
	t.adopt(configured)
	t.count = StealStats{}
	return t
}

func (t *thief) turnTo(st StealStrategy, why StealReason) {
	if st != t.strategy {
		t.count.Switches++
	}
	t.strategy, t.reason, t.dirty = st, why, true
}

// tried counts one attempt to take something from a victim that had it.
func (t *thief) tried(contended bool) {
	t.window.attempts++
	t.count.Attempts++
	if contended {
		t.window.contended++
		t.count.Contended++
	}
	t.dirty = true
}

// stole takes note of the estimated cost of stolen work, if that is known.
func (t *thief) stole(cost time.Duration) {
	switch {
	case cost == 0:
	case t.cost == 0:
		t.cost = cost
	default:
		t.cost += (cost - t.cost) / paceShare
	}
}

// searched ends a search. The machine is flat if no place is nearer than another.
func (t *thief) searched(fruitless, flat bool) {
	t.window.searches++
	if fruitless {
		t.window.fruitless++
		t.count.Fruitless++
	}
	t.dirty = true
	if t.window.attempts < windowSize && t.window.searches < windowSize {
		return
	}
	if t.configured == StealAdaptive {
		t.turnTo(t.decide(flat))
	}
	t.window = stealWindow{}
}

func (t *thief) decide(flat bool) (StealStrategy, StealReason) {
	over := func(why StealReason, value, limit time.Duration) bool {
		if t.reason == why {
			limit /= 2
		}
		return value > limit
	}
	// In percent, so that all three compare alike.
	share := func(part, whole int) time.Duration { return time.Duration(100 * part / max(1, whole)) }
	win := t.window
	switch {
	case win.attempts >= windowSize/2 && over(StealContended, share(win.contended, win.attempts), 25):
		return StealBatched, StealContended
	case over(StealDear, t.cost, stealLoad):
		return StealSingle, StealDear
	case !flat && over(StealFruitless, share(win.fruitless, win.searches), 75):
		return StealLocal, StealFruitless
	}
	return StealBatched, StealCheap
}

// atMost is how many of so many queued nodes one steal may move.
func (t *thief) atMost(length int) int {
	if t.strategy == StealSingle {
		return 1
	}
	return max(1, min(length/2, stealBatch))
}

// load is how much work one steal may move.
func (t *thief) load() time.Duration {
	if t.reason == StealContended {
		return contendedLoad * stealLoad
	}
	return stealLoad
}

// StealStats says how a worker stole.
type StealStats struct {
	// Strategy is what the worker does now: StealSingle, StealBatched or
	// StealLocal. Under StealAdaptive it is the worker's own choice. Of a worker that
	// has not searched since SetStealStrategy it is what its next search begins with.
	Strategy StealStrategy
	// Reason says why.
	Reason StealReason
	// Switches counts how often Strategy has changed.
	Switches uint64
	// Attempts counts the times that the worker tried to take something from a
	// queue which was not empty.
	Attempts uint64
	// Contended counts the attempts in which somebody else was faster.
	Contended uint64
	// Empty counts the workers that it asked and that had nothing for it.
	Empty uint64
	// Batches counts the steals that moved more than one piece of work.
	Batches uint64
	// Fruitless counts the searches of all queues, several times over, that found
	// nothing.
	Fruitless uint64
	// Retries counts the times that somebody looked for work on behalf of the
	// worker while it slept.
	Retries uint64
	// Backoff is how long after the last time that will be again, if the worker is
	// idle: 1 ms at first, twice as long each time in vain, 1 s at most. New work
	// wakes the worker at once nevertheless.
	Backoff time.Duration
}

// publishedSteals are the counters for others to read.
type publishedSteals struct {
	configured, strategy, reason                             atomic.Uint32
	switches, attempts, contended, empty, batches, fruitless atomic.Uint64
	retries                                                  atomic.Uint64 // Written by the monitor.
	backoff                                                  atomic.Int64  // Likewise, in nanoseconds.
}

// publish is called by the worker together with its other counters. Nothing is
// stored unless the worker has searched since.
func (p *publishedSteals) publish(t *thief) {
	if !t.dirty {
		return
	}
	t.dirty = false
	p.configured.Store(uint32(t.configured))
	p.strategy.Store(uint32(t.strategy))
	p.reason.Store(uint32(t.reason))
	copyCounter(&p.switches, t.count.Switches)
	copyCounter(&p.attempts, t.count.Attempts)
	copyCounter(&p.contended, t.count.Contended)
	copyCounter(&p.empty, t.count.Empty)
	copyCounter(&p.batches, t.count.Batches)
	copyCounter(&p.fruitless, t.count.Fruitless)
}

// stats returns what was published, where the scheduler has the given strategy now.
func (p *publishedSteals) stats(configured StealStrategy) StealStats {
	strategy, reason := StealStrategy(p.strategy.Load()), StealReason(p.reason.Load())
	if strategy == StealAdaptive || StealStrategy(p.configured.Load()) != configured { // Nothing of that was published yet.
		strategy, reason = configured.begin()
	}
	return StealStats{
		Strategy: strategy, Reason: reason,
		Switches: p.switches.Load(), Attempts: p.attempts.Load(), Contended: p.contended.Load(),
		Empty: p.empty.Load(), Batches: p.batches.Load(), Fruitless: p.fruitless.Load(),
		Retries: p.retries.Load(),
	}
}

// add adds the counters of another worker. Strategy and Reason stay.
func (st *StealStats) add(other *StealStats) {
	st.Switches += other.Switches
	st.Attempts += other.Attempts
	st.Contended += other.Contended
	st.Empty += other.Empty
	st.Batches += other.Batches
	st.Fruitless += other.Fruitless
	st.Retries += other.Retries
}
