package membership

import (
	"time"

	"golang.org/x/sys/unix"
)

var began = time.Now()

// bootClock goes on while the machine sleeps. Go's own monotonic clock stands still then.
func bootClock() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		return time.Since(began)
	}
	return time.Duration(t.Nano())
}
