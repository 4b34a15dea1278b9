package sched

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/internal/workers/stealing"
)

// StealStrategy says how a worker without work takes some from others. Under
// each of them a worker takes the oldest of the most urgent work that it finds,
// and lets a lone piece lie for a moment for its owner to take.
type StealStrategy uint8

// The strategies.
const (
	// StealAdaptive lets each worker choose among the other three by what it
	// measures: batched where work is cheap or thieves get in each other's way,
	// single where a piece is dear, local where most victims have nothing. Its
	// choice is in [StealStats].
	StealAdaptive StealStrategy = iota
	// StealSingle takes one piece at a time.
	StealSingle
	// StealBatched takes up to half of the victim's queue, at most 64 pieces, and
	// no more than about 200 us of work by their estimated cost.
	StealBatched
	// StealLocal is batched, and tries workers with which it shares a cache first,
	// then those on its NUMA node, then the rest.
	StealLocal

	numStrategies = 4
)

// The policy of stealing has the same strategies and reasons.
const (
	_ = uint8(StealLocal-StealStrategy(stealing.Local)) + uint8(StealStrategy(stealing.Local)-StealLocal)
	_ = uint8(StealFruitless-StealReason(stealing.Fruitless)) + uint8(StealReason(stealing.Fruitless)-StealFruitless)
)

var strategyNames = [numStrategies]string{"adaptive", "single", "batched", "local"}

// String returns the strategy's name in lower case.
func (st StealStrategy) String() string {
	if st < numStrategies {
		return strategyNames[st]
	}
	return fmt.Sprintf("StealStrategy(%d)", uint8(st))
}

func (st StealStrategy) check() error {
	if st >= numStrategies {
		return fmt.Errorf("unknown strategy %d; use StealAdaptive, StealSingle, StealBatched or StealLocal", st)
	}
	return nil
}

// StealReason says why a worker steals as it does.
type StealReason uint8

// The reasons.
const (
	StealConfigured StealReason = iota // It was told to.
	StealUnmeasured                    // Adaptive, and it has not stolen enough yet to tell.
	StealCheap                         // The work costs little, so a steal should bring some.
	StealDear                          // One piece of work is as much as a steal should bring.
	StealContended                     // Other thieves are often faster, so it steals less often, and more.
	StealFruitless                     // Most victims have nothing, so it looks nearby first.
)

var reasonNames = [...]string{"configured", "unmeasured", "cheap work", "dear work", "contention", "empty victims"}

// String returns the reason in lower case.
func (r StealReason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return fmt.Sprintf("StealReason(%d)", uint8(r))
}

// SetStealStrategy changes how workers steal, from their next search on. It
// returns an error if the strategy does not exist.
func (s *Scheduler) SetStealStrategy(st StealStrategy) error {
	if err := st.check(); err != nil {
		return fmt.Errorf("sched: SetStealStrategy: %w", err)
	}
	s.strategy.Store(uint32(st))
	return nil
}

// StealStrategy returns the strategy that Config.Steal or SetStealStrategy has
// chosen. What a worker makes of StealAdaptive is in its [StealStats].
func (s *Scheduler) StealStrategy() StealStrategy { return StealStrategy(s.strategy.Load()) }

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

// stealStats returns what a worker has published, where the scheduler has the given
// strategy now.
func stealStats(p *stealing.Published, configured StealStrategy) StealStats {
	strategy, reason, n := p.Read(stealing.Strategy(configured))
	return StealStats{
		Strategy: StealStrategy(strategy), Reason: StealReason(reason),
		Switches: n.Switches, Attempts: n.Attempts, Contended: n.Contended,
		Empty: n.Empty, Batches: n.Batches, Fruitless: n.Fruitless,
		Retries: p.Retries.Load(),
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
