package settings

import (
	"fmt"
	"math"
	"time"

	"github.com/troupe-go/troupe/internal/workers/stealing"
)

const (
	// preemptionDepth is how many pieces of work may wait on a worker for having
	// given way, one within the other, by default. More would each hold a stack, and delay
	// the first of them further, for little: what comes next is critical too.
	preemptionDepth = 3
	// MaxPreemptionDepth bounds the interrupted pieces of work that a worker keeps.
	MaxPreemptionDepth = 64
	// MaxReductions is as many reductions as a fiber counts.
	MaxReductions = 1<<23 - 1
	// rebalanceMax is the default of Config.RebalanceMax. Load must be even within 100 ms.
	// The first look at new load comes after 50 ms at worst. It may leave some of the load for
	// the next look, which comes after half of that time.
	rebalanceMax = 50 * time.Millisecond
)

// stealDefaults fills in what Config leaves out about stealing.
func (c *Config) stealDefaults() error {
	if err := c.Steal.Check(); err != nil {
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

// depthDefault fills in Config.PreemptionDepth.
func (c *Config) depthDefault() error {
	switch {
	case c.PreemptionDepth < -1 || c.PreemptionDepth > MaxPreemptionDepth:
		return fmt.Errorf("sched: Config.PreemptionDepth is %d; it must be positive, at most %d, 0 for the default, or -1 for none",
			c.PreemptionDepth, MaxPreemptionDepth)
	case c.PreemptionDepth == -1:
		c.PreemptionDepth = 0
	case c.PreemptionDepth == 0:
		c.PreemptionDepth = preemptionDepth
	}
	return nil
}

// checkReserved reports a reservation that makes no sense, and replaces -1 by 0.
func (c *Config) checkReserved() error {
	sum := 0
	for p, n := range c.Reserved {
		if n < -1 {
			return fmt.Errorf("sched: Config.Reserved[%v] is %d; it must be positive, or 0 or -1 for none", Priority(p), n)
		}
		c.Reserved[p] = max(0, n)
		sum += c.Reserved[p]
	}
	if sum > c.Workers {
		return fmt.Errorf("sched: Config.Reserved asks for %d workers, but Config.Workers is %d; reserve fewer", sum, c.Workers)
	}
	if sum == c.Workers && sum > 0 && c.Reserved[Low] == 0 {
		return fmt.Errorf("sched: Config.Reserved takes all %d workers and leaves none that would run low work; reserve at most %d for more urgent work",
			c.Workers, c.Workers-1)
	}
	return nil
}

// rebalanceDefaults fills in what Config leaves out.
func (c *Config) rebalanceDefaults() error {
	switch {
	case !(c.ImbalanceThreshold >= 0) || math.IsInf(c.ImbalanceThreshold, 1):
		return fmt.Errorf("sched: Config.ImbalanceThreshold is %v; it must be positive, or 0 for the default", c.ImbalanceThreshold)
	case c.RebalanceMin < 0:
		return fmt.Errorf("sched: Config.RebalanceMin is %v; it must be positive, or 0 for the default", c.RebalanceMin)
	case c.RebalanceMax < 0 && c.RebalanceMax != -1:
		return fmt.Errorf("sched: Config.RebalanceMax is %v; it must be positive, 0 for the default, or -1 for no rebalancing", c.RebalanceMax)
	}
	if c.ImbalanceThreshold == 0 {
		c.ImbalanceThreshold = 0.3
	}
	if c.RebalanceMin == 0 {
		c.RebalanceMin = time.Millisecond
		if c.RebalanceMax > 0 {
			c.RebalanceMin = min(c.RebalanceMin, c.RebalanceMax)
		}
	}
	if c.RebalanceMax == 0 {
		c.RebalanceMax = max(rebalanceMax, c.RebalanceMin)
	}
	if c.RebalanceMax > 0 && c.RebalanceMax < c.RebalanceMin {
		return fmt.Errorf("sched: Config.RebalanceMax is %v, less than Config.RebalanceMin, which is %v", c.RebalanceMax, c.RebalanceMin)
	}
	return nil
}
