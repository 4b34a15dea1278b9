package cluster

import "time"

// WithClock has the leases of a node go by another clock.
func WithClock(c Config, clock func() time.Duration) Config {
	c.clock = clock
	return c
}
