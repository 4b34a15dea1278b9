package settings

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/troupe-go/troupe/internal/topology"
)

// Config is what sched.Config documents, field by field.
type Config struct {
	Workers                    int
	MaxSpares                  int
	BlockedAfter               time.Duration
	AgeAfter                   time.Duration
	Reductions                 int
	QueueCapacity              int
	Steal                      StealStrategy
	MaxSteal                   int
	BackoffMin, BackoffMax     time.Duration
	PreemptionDepth            int
	PinWorkers                 bool
	JobTimeout                 time.Duration
	MaxQueued                  int
	WhenFull                   FullPolicy
	Reserved                   [Priorities]int
	Placement                  Placement
	ImbalanceThreshold         float64
	RebalanceMin, RebalanceMax time.Duration
}

// maxWorkers keeps a slip of the pen from starting goroutines without end. No
// machine has that many processors.
const maxWorkers = 1 << 14

// maxQueueCapacity keeps a slip of the pen from asking for all memory.
const maxQueueCapacity = 1 << 20

// WithDefaults returns the configuration with its defaults filled in, or says what makes no sense
// in it.
func (c Config) WithDefaults() (Config, error) {
	switch {
	case c.Workers < 0 || c.Workers > maxWorkers:
		return c, fmt.Errorf("sched: Config.Workers is %d; it must be positive, at most %d, or 0 for GOMAXPROCS", c.Workers, maxWorkers)
	case c.MaxSpares < -1:
		return c, fmt.Errorf("sched: Config.MaxSpares is %d; it must be positive, 0 for the default, or -1 for none", c.MaxSpares)
	case c.BlockedAfter < 0:
		return c, fmt.Errorf("sched: Config.BlockedAfter is %v; it must be positive, or 0 for the default", c.BlockedAfter)
	case c.AgeAfter < -1:
		return c, fmt.Errorf("sched: Config.AgeAfter is %v; it must be positive, 0 for the default, or -1 for never", c.AgeAfter)
	case c.Reductions < -1:
		return c, fmt.Errorf("sched: Config.Reductions is %d; it must be positive, 0 for the default, or -1 for no yielding", c.Reductions)
	case c.QueueCapacity < 0 || c.QueueCapacity > maxQueueCapacity:
		return c, fmt.Errorf("sched: Config.QueueCapacity is %d; it must be positive, at most %d, or 0 for the default", c.QueueCapacity, maxQueueCapacity)
	case c.JobTimeout < -1:
		return c, fmt.Errorf("sched: Config.JobTimeout is %v; it must be positive, 0 for the default, or -1 for none", c.JobTimeout)
	case c.MaxQueued < -1:
		return c, fmt.Errorf("sched: Config.MaxQueued is %d; it must be positive, or 0 or -1 for no bound", c.MaxQueued)
	case c.WhenFull >= numFullPolicies:
		return c, fmt.Errorf("sched: Config.WhenFull is %d; use WaitWhenFull or RejectWhenFull", c.WhenFull)
	}
	if err := c.stealDefaults(); err != nil {
		return c, err
	}
	if err := c.depthDefault(); err != nil {
		return c, err
	}
	if c.PinWorkers {
		if err := checkPinning(); err != nil {
			return c, err
		}
	}
	switch c.JobTimeout {
	case 0:
		c.JobTimeout = 30 * time.Second
	case -1:
		c.JobTimeout = 0
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if err := c.checkReserved(); err != nil {
		return c, err
	}
	if c.Placement > LeastLoaded {
		return c, fmt.Errorf("sched: unknown Config.Placement %d; use Shared or LeastLoaded", c.Placement)
	}
	if err := c.rebalanceDefaults(); err != nil {
		return c, err
	}
	switch c.MaxSpares {
	case 0:
		c.MaxSpares = 256
	case -1:
		c.MaxSpares = 0
	}
	if c.BlockedAfter == 0 {
		c.BlockedAfter = 10 * time.Millisecond
	}
	switch c.AgeAfter {
	case 0:
		c.AgeAfter = 5 * time.Second
	case -1:
		c.AgeAfter = 0
	}
	switch c.Reductions {
	case 0:
		c.Reductions = 4000
	case -1:
		c.Reductions = math.MaxInt
	default:
		c.Reductions = min(c.Reductions, MaxReductions) // As far as a fiber counts.
	}
	if c.QueueCapacity == 0 {
		c.QueueCapacity = 1024
	}
	return c, nil
}

// checkPinning reports whether workers can be pinned at all.
func checkPinning() error {
	if !topology.CanPin {
		return fmt.Errorf("sched: Config.PinWorkers: threads can't be bound to processors on %s; leave it false", runtime.GOOS)
	}
	return nil
}
