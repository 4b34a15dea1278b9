// Package stealing decides how a worker steals: how much, from whom first, and when a worker that has found nothing looks
// again.
package stealing

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/topology"
	"github.com/troupe-go/troupe/internal/workers/counters"
)

// Strategy says how a worker without work takes some from others. Package sched documents the strategies.
type Strategy uint8

// The strategies, as in package sched.
const (
	Adaptive Strategy = iota
	Single
	Batched
	Local
)

// Reason says why a worker steals as it does.
type Reason uint8

// The reasons, as in package sched.
const (
	Configured Reason = iota
	Unmeasured
	Cheap
	Dear
	Contended
	Fruitless
)

// Policy has a worker's measurements of its own stealing, and decides by them how it steals. Only the worker uses it; see
// [Published] for what others may read.
//
// # How adaptive decides
//
// The worker counts over a window of steals and searches, and then decides, in this order:
//
//   - Other thieves were faster in more than a quarter of the steals: batched, with four times the work per steal, so that
//     it comes back later. Each round goes over the victims in an order of its own, since two thieves that walk the same
//     way meet at every victim.
//   - A piece of the work that it stole costs as much as a whole steal should bring: single. Further pieces would only wait
//     in another queue.
//   - Three quarters of the searches were in vain, and the machine has places that are near and ones that are far: local.
//     Then it costs little to ask empty queues, and found work is in a cache nearby.
//   - Else the work is cheap: batched.
//
// A decision falls again only when its cause is down to half, so that a worker on the edge does not switch all the time.
type Policy struct {
	most       int      // How many pieces one steal may move.
	configured Strategy // The strategy that the scheduler last gave.
	strategy   Strategy // In force: single, batched or local.
	reason     Reason
	window     window
	cost       time.Duration // Mean estimate for a stolen piece; 0 if never known.
	count      Counters
	dirty      bool // Something was counted since it was published.
}

// Counters count what a worker did to steal. Package sched documents them.
type Counters struct{ Switches, Attempts, Contended, Empty, Batches, Fruitless uint64 }

// window has the counts since the last decision.
type window struct{ attempts, contended, searches, fruitless int }

const (
	// MaxBatch bounds how many pieces one steal moves, by default.
	MaxBatch = 64
	// Load is how much work one steal moves, by estimate. To move a piece costs 35 ns (BenchmarkSteal) and the waking
	// before it about 5 us: a few percent of 200 us. And that is short enough that the last steal of many leaves nobody
	// idle for long. Between 20 us and 2 ms no difference could be measured on 2 processors (BenchmarkFlooded).
	Load = 200 * time.Microsecond
	// contendedLoad is the factor by which a steal moves more where thieves get in each other's way.
	contendedLoad = 4
	// Window is how many steals or searches make a decision: few enough to follow a program's phases, and a quarter of it
	// is more than chance.
	Window = 16
)

// New returns the policy of a worker that has not stolen, and may take so many pieces by one steal.
func New(configured Strategy, most int) Policy {
	p := Policy{most: most, configured: Adaptive, strategy: Batched, reason: Unmeasured, dirty: true}
	p.Adopt(configured)
	p.count = Counters{}
	return p
}

// Adopt begins a search under the strategy that the scheduler has now.
func (p *Policy) Adopt(configured Strategy) {
	if configured == p.configured {
		return
	}
	p.configured = configured
	p.window = window{}
	p.turnTo(configured.begin())
}

// begin returns how a worker steals that has just adopted the strategy.
func (st Strategy) begin() (Strategy, Reason) {
	if st == Adaptive {
		return Batched, Unmeasured
	}
	return st, Configured
}

func (p *Policy) turnTo(st Strategy, why Reason) {
	if st != p.strategy {
		p.count.Switches++
	}
	p.strategy, p.reason, p.dirty = st, why, true
}

// Attempts returns how many attempts were counted.
func (p *Policy) Attempts() uint64 { return p.count.Attempts }

// Tried counts one attempt to take something from a victim that had it.
func (p *Policy) Tried(contended bool) {
	p.window.attempts++
	p.count.Attempts++
	if contended {
		p.window.contended++
		p.count.Contended++
	}
	p.dirty = true
}

// FoundEmpty counts a victim that had nothing.
func (p *Policy) FoundEmpty() { p.count.Empty++ }

// MovedBatch counts a steal that moved more than one piece.
func (p *Policy) MovedBatch() { p.count.Batches++ }

// Stole takes note of the estimated cost of stolen work, if that is known.
func (p *Policy) Stole(cost time.Duration) {
	switch {
	case cost == 0:
	case p.cost == 0:
		p.cost = cost
	default:
		p.cost += (cost - p.cost) / counters.PaceShare
	}
}

// Searched ends a search. The machine is flat if no place is nearer than another.
func (p *Policy) Searched(fruitless, flat bool) {
	p.window.searches++
	if fruitless {
		p.window.fruitless++
		p.count.Fruitless++
	}
	p.dirty = true
	if p.window.attempts < Window && p.window.searches < Window {
		return
	}
	if p.configured == Adaptive {
		p.turnTo(p.decide(flat))
	}
	p.window = window{}
}

func (p *Policy) decide(flat bool) (Strategy, Reason) {
	over := func(why Reason, value, limit time.Duration) bool {
		if p.reason == why {
			limit /= 2
		}
		return value > limit
	}
	// In percent, so that all three compare alike.
	share := func(part, whole int) time.Duration { return time.Duration(100 * part / max(1, whole)) }
	win := p.window
	switch {
	case win.attempts >= Window/2 && over(Contended, share(win.contended, win.attempts), 25):
		return Batched, Contended
	case over(Dear, p.cost, Load):
		return Single, Dear
	case !flat && over(Fruitless, share(win.fruitless, win.searches), 75):
		return Local, Fruitless
	}
	return Batched, Cheap
}

// AtMost returns how many of so many queued pieces one steal may move.
func (p *Policy) AtMost(length int) int {
	if p.strategy == Single {
		return 1
	}
	return max(1, min(length/2, p.most))
}

// Load returns how much work one steal may move.
func (p *Policy) Load() time.Duration {
	if p.reason == Contended {
		return contendedLoad * Load
	}
	return Load
}

// Reaches returns how many times a round of the search goes over the workers: once for each distance, if it goes by that.
func (p *Policy) Reaches(flat bool) int {
	if p.strategy == Local && !flat {
		return topology.NumDistances
	}
	return 1
}

// Course chooses the order in which a round goes over n workers: the first one, and the length of a step. Where thieves get
// in each other's way, each takes steps of its own.
func (p *Policy) Course(random *rand.Rand, n int) (first, step int) {
	first, step = random.IntN(n), 1
	if n > 2 && p.reason == Contended {
		for step = 1 + random.IntN(n-1); divisor(step, n) != 1; {
			step = 1 + step%(n-1)
		}
	}
	return first, step
}

// divisor returns the greatest number that divides both: 1 if a walk in steps of a goes over all of n places in a ring.
func divisor(a, n int) int {
	for n != 0 {
		a, n = n, a%n
	}
	return a
}

// Published are the counters for others to read.
type Published struct {
	configured, strategy, reason                             atomic.Uint32
	switches, attempts, contended, empty, batches, fruitless atomic.Uint64
	// Written by the monitor.
	Retries atomic.Uint64
	Backoff atomic.Int64 // In nanoseconds.
}

// Publish is called by the worker together with its other counters. It stores nothing unless the worker has searched since.
func (s *Published) Publish(p *Policy) {
	if !p.dirty {
		return
	}
	p.dirty = false
	s.configured.Store(uint32(p.configured))
	s.strategy.Store(uint32(p.strategy))
	s.reason.Store(uint32(p.reason))
	counters.Copy(&s.switches, p.count.Switches)
	counters.Copy(&s.attempts, p.count.Attempts)
	counters.Copy(&s.contended, p.count.Contended)
	counters.Copy(&s.empty, p.count.Empty)
	counters.Copy(&s.batches, p.count.Batches)
	counters.Copy(&s.fruitless, p.count.Fruitless)
}

// Read returns what was published, where the scheduler has the given strategy now.
func (s *Published) Read(configured Strategy) (Strategy, Reason, Counters) {
	strategy, reason := Strategy(s.strategy.Load()), Reason(s.reason.Load())
	if strategy == Adaptive || Strategy(s.configured.Load()) != configured { // The worker has not published since.
		strategy, reason = configured.begin()
	}
	return strategy, reason, Counters{
		Switches: s.switches.Load(), Attempts: s.attempts.Load(), Contended: s.contended.Load(),
		Empty: s.empty.Load(), Batches: s.batches.Load(), Fruitless: s.fruitless.Load(),
	}
}
