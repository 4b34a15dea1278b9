package workers

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/internal/workers/stealing"
)

// StealStrategy says how a worker without work takes some from others. Package sched says
// what each is.
type StealStrategy uint8

// The strategies.
const (
	StealAdaptive StealStrategy = iota
	StealSingle
	StealBatched
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

// stealDefaults fills in what Config leaves out about stealing.
func (c *Config) stealDefaults() error {
	if err := c.Steal.check(); err != nil {
		return fmt.Errorf("sched: Config.Steal: %w", err)
	}
	switch {
	case c.MaxSteal < 0:
		return fmt.Errorf("sched: Config.MaxSteal is %d; it must be positive, or 0 for the default", c.MaxSteal)
	case c.BackoffMin < 0:
		return fmt.Errorf("sched: Config.BackoffMin is %v; it must be positive, or 0 for the default", c.BackoffMin)
	case c.BackoffMax < 0:
		return fmt.Errorf("sched: Config.BackoffMax is %v; it must be positive, or 0 for the default", c.BackoffMax)
	case c.BackoffMax > 0 && c.BackoffMax < c.BackoffMin:
		return fmt.Errorf("sched: Config.BackoffMax is %v, less than Config.BackoffMin, which is %v", c.BackoffMax, c.BackoffMin)
	}
	if c.MaxSteal == 0 {
		c.MaxSteal = stealing.MaxBatch
	}
	if c.BackoffMin == 0 {
		c.BackoffMin = stealing.BackoffMin
		if c.BackoffMax > 0 {
			c.BackoffMin = min(c.BackoffMin, c.BackoffMax)
		}
	}
	if c.BackoffMax == 0 {
		c.BackoffMax = max(stealing.BackoffMax, c.BackoffMin)
	}
	return nil
}

// StealReason says why a worker steals as it does. Package sched says what each is.
type StealReason uint8

// The reasons.
const (
	StealConfigured StealReason = iota
	StealUnmeasured
	StealCheap
	StealDear
	StealContended
	StealFruitless
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

// StealStrategy returns the strategy that Config.Steal or SetStealStrategy has chosen. The
// choice of each worker under StealAdaptive is in its [StealStats].
func (s *Scheduler) StealStrategy() StealStrategy { return StealStrategy(s.strategy.Load()) }

// StealStats is what sched.StealStats documents.
type StealStats struct {
	Strategy  StealStrategy
	Reason    StealReason
	Switches  uint64
	Attempts  uint64
	Contended uint64
	Empty     uint64
	Batches   uint64
	Fruitless uint64
	Retries   uint64
	Backoff   time.Duration
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
