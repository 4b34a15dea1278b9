//go:build !linux

package membership

import "time"

var began = time.Now().Round(0) // Without the monotonic clock, which may stand still while the machine sleeps.

func bootClock() time.Duration { return time.Now().Round(0).Sub(began) }
