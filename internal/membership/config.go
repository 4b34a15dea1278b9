package membership

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// Config describes a node.
type Config struct {
	// Name is the name of the node, of up to 32 letters, digits, '-' and '_'.
	Name string
	// Labels describe the node to others. The map is not changed and must not change.
	Labels map[string]string
	// Capacity says how much the node takes, beside others. Defaults to 1.
	Capacity int
	// Lease is how long the others wait for a node that does not renew its entry. All nodes
	// must have the same one. Defaults to 15 s, which is longer than an election of
	// JetStream.
	Lease time.Duration
	// Renew is the time between renewals. Defaults to 2/15 of Lease.
	Renew time.Duration
	// Margin is how much earlier the node itself takes its lease as over. Defaults to 2/15 of
	// Lease.
	Margin time.Duration
	// Clock returns the time since some moment that stays the same. It has to go on while
	// the machine sleeps. Defaults to the clock of the system that does so.
	Clock func() time.Duration

	quick func() time.Duration // The clock of Holds: Clock, if that was set.
}

func (c Config) checked() (Config, error) {
	if err := engine.CheckName("node", c.Name); err != nil {
		return c, err
	}
	if c.Lease == 0 {
		c.Lease = 15 * time.Second
	}
	if c.Renew == 0 {
		c.Renew = c.Lease * 2 / 15
	}
	if c.Margin == 0 {
		c.Margin = c.Lease * 2 / 15
	}
	if c.Capacity == 0 {
		c.Capacity = 1
	}
	c.quick = c.Clock
	if c.Clock == nil {
		c.Clock, c.quick = bootClock, monotonic
	}
	switch {
	case c.Capacity < 0 || c.Capacity > maxCapacity:
		return c, fmt.Errorf("membership: Config.Capacity %d is %w; use 1 to %d", c.Capacity, ErrInvalid, maxCapacity)
	case c.Lease < time.Second || c.Lease > time.Hour:
		return c, fmt.Errorf("membership: Config.Lease %v is %w; use 1s to 1h", c.Lease, ErrInvalid)
	case c.Renew < 0 || c.Margin < 0 || 3*c.Renew+c.Margin > c.Lease:
		return c, fmt.Errorf("membership: Config.Renew %v and Config.Margin %v are %w with the lease %v; three renewals and the margin have to fit into it", c.Renew, c.Margin, ErrInvalid, c.Lease)
	}
	return c, nil
}

// maxCapacity keeps sums of capacities far from overflow.
const maxCapacity = 1_000_000

var start = time.Now()

// monotonic returns Go's monotonic clock, which costs a part of what bootClock costs.
func monotonic() time.Duration { return time.Since(start) }

// ttl only tidies up: an entry that nobody renews and nobody ends goes away by itself.
func (c Config) ttl() time.Duration { return 4 * c.Lease }
