package sched

import (
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/settings"
)

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

// SetStealStrategy changes how workers steal, from their next search on. It
// returns an error if the strategy does not exist.
func (s *Scheduler) SetStealStrategy(st StealStrategy) error { return s.workers().SetStealStrategy(st) }

// StealStrategy returns the strategy that Config.Steal or SetStealStrategy has
// chosen. The choice of each worker under StealAdaptive is in its [StealStats].
func (s *Scheduler) StealStrategy() StealStrategy { return s.workers().StealStrategy() }

// StealStrategy says how a worker without work takes some from others. Under
// each strategy a worker takes the oldest of the most urgent work that it finds. It
// leaves a lone piece to its owner for a moment. Its method String returns
// the name in lower case.
type StealStrategy = settings.StealStrategy

// The strategies.
const (
	// StealAdaptive lets each worker choose among the other three by what it
	// measures: batched where work is cheap or thieves get in each other's way,
	// single where a piece is dear, local where most victims have nothing. Its
	// choice is in [StealStats].
	StealAdaptive StealStrategy = settings.StealAdaptive
	// StealSingle takes one piece at a time.
	StealSingle StealStrategy = settings.StealSingle
	// StealBatched takes up to half of the victim's queue, at most 64 pieces, and
	// no more than about 200 us of work by their estimated cost.
	StealBatched StealStrategy = settings.StealBatched
	// StealLocal is batched, and tries workers with which it shares a cache first,
	// then those on its NUMA node, then the rest.
	StealLocal StealStrategy = settings.StealLocal
)

// StealReason says why a worker steals as it does. Its method String returns the reason in
// lower case.
type StealReason = workers.StealReason

// The reasons.
const (
	StealConfigured StealReason = workers.StealConfigured // It was told to.
	StealUnmeasured StealReason = workers.StealUnmeasured // Adaptive, and it has not stolen enough yet to tell.
	StealCheap      StealReason = workers.StealCheap      // The work costs little, so a steal should bring some.
	StealDear       StealReason = workers.StealDear       // One piece of work is as much as a steal should bring.
	StealContended  StealReason = workers.StealContended  // Other thieves are often faster, so it steals less often, and more.
	StealFruitless  StealReason = workers.StealFruitless  // Most victims have nothing, so it looks nearby first.
)

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
