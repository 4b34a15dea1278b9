package sched

import "fmt"

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
