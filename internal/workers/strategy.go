package workers

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/internal/workers/settings"
	"github.com/troupe-go/troupe/internal/workers/stealing"
)

// The policy of stealing has the same strategies and reasons.
const (
	_ = uint8(settings.StealLocal-settings.StealStrategy(stealing.Local)) + uint8(settings.StealStrategy(stealing.Local)-settings.StealLocal)
	_ = uint8(StealFruitless-StealReason(stealing.Fruitless)) + uint8(StealReason(stealing.Fruitless)-StealFruitless)
)

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
func (s *Scheduler) SetStealStrategy(st settings.StealStrategy) error {
	if err := st.Check(); err != nil {
		return fmt.Errorf("sched: SetStealStrategy: %w", err)
	}
	s.strategy.Store(uint32(st))
	return nil
}

// StealStrategy returns the strategy that Config.Steal or SetStealStrategy has chosen. The
// choice of each worker under StealAdaptive is in its [StealStats].
func (s *Scheduler) StealStrategy() settings.StealStrategy {
	return settings.StealStrategy(s.strategy.Load())
}

// StealStats is what sched.StealStats documents.
type StealStats struct {
	Strategy  settings.StealStrategy
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
func stealStats(p *stealing.Published, configured settings.StealStrategy) StealStats {
	strategy, reason, n := p.Read(stealing.Strategy(configured))
	return StealStats{
		Strategy: settings.StealStrategy(strategy), Reason: StealReason(reason),
		Switches: n.Switches, Attempts: n.Attempts, Contended: n.Contended,
		Empty: n.Empty, Batches: n.Batches, Fruitless: n.Fruitless,
		Retries: p.Retries.Load(),
	}
}
