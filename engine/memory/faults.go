package memory

import (
	"fmt"
	"time"
)

// Faults say what happens to frames on their way from one node to another. The zero value
// is a perfect network. Frames that a node publishes to itself never suffer.
type Faults struct {
	// Delay is how long each frame takes. Defaults to 0.
	Delay time.Duration
	// Jitter is added to Delay, a random part of it for each frame. Frames stay in order.
	// Defaults to 0.
	Jitter time.Duration
	// Loss is the share of frames that are lost, from 0 to 1. Defaults to 0.
	Loss float64
	// Double is the share of frames that arrive twice. Defaults to 0.
	Double float64
	// Reorder is the share of frames that arrive later than frames that follow: by up to
	// four times Delay and Jitter, and by a millisecond at least. Defaults to 0.
	Reorder float64
	// Rate is the speed of the link in bytes a second, for each class by itself. 0 means no
	// limit, the default. Publish waits while more than 64 KiB wait for a slow link.
	Rate int
	// Cut has all frames lost.
	Cut bool
}

func (f Faults) check() error {
	for _, share := range []struct {
		name  string
		value float64
	}{{"Loss", f.Loss}, {"Double", f.Double}, {"Reorder", f.Reorder}} {
		if !(share.value >= 0 && share.value <= 1) {
			return fmt.Errorf("memory: Faults.%s is %v; it must be from 0 to 1", share.name, share.value)
		}
	}
	switch {
	case f.Delay < 0:
		return fmt.Errorf("memory: Faults.Delay is %v; it must not be negative", f.Delay)
	case f.Jitter < 0:
		return fmt.Errorf("memory: Faults.Jitter is %v; it must not be negative", f.Jitter)
	case f.Rate < 0:
		return fmt.Errorf("memory: Faults.Rate is %d; it must be positive, or 0 for no limit", f.Rate)
	}
	return nil
}
