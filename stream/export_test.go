package stream

import "time"

// WithClock has the leases of a consumer use a clock, such as the one of a bubble.
func WithClock[T, M any](c Consumer[T, M], clock func() time.Duration) Consumer[T, M] {
	c.clock = clock
	return c
}
