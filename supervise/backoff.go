package supervise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Backoff says how long a supervisor waits before it restarts a child, ever
// longer while the child goes on to fail. The zero value waits not at all.
//
// Meanwhile the child is held: it accepts messages and handles none, and the
// supervisor answers and can be stopped.
type Backoff struct {
	// Min is the delay before the first restart. Defaults to 0, which is no delay
	// however often the child fails. In a [Child], all zero means the supervisor's
	// Backoff, and a Min of -1 none. It must not be longer than Config.Period, which
	// would put Config.Intensity out of reach, unless that is -1.
	Min time.Duration
	// Max bounds the delay. Defaults to 1 minute, or Min if that is longer.
	Max time.Duration
	// Factor is by what each delay is longer than the last. Defaults to 2.
	Factor float64
	// Jitter is the part of each delay that is left to chance, so that many that
	// fail together do not come back together: a delay d becomes one between
	// d*(1-Jitter) and d. Defaults to 0.2; -1 means none.
	Jitter float64
	// Reset is how long a child must have run for its failures to be forgotten,
	// so that the next delay is Min again. Waiting is not running. Defaults to
	// Max.
	Reset time.Duration
}

// defaultMaxBackoff is picked out of thin air: a program should not be away for
// longer after what it needed has come back.
const defaultMaxBackoff = time.Minute

// suits returns an error if no child alone can exceed the intensity, since there is
// one restart within a period at most.
func (b Backoff) suits(c Config) error {
	if c.Intensity > 0 && b.Min > c.Period {
		return fmt.Errorf("Backoff.Min is %v and Period %v, so that a child which always fails never exceeds Intensity; make Period longer", b.Min, c.Period)
	}
	return nil
}

func (b Backoff) withDefaults() (Backoff, error) {
	switch {
	case b.Min < -1:
		return b, fmt.Errorf("Backoff.Min is %v; it must be positive, 0, or -1 for none", b.Min)
	case b.Max < 0 || b.Max > 0 && b.Max < b.Min:
		return b, fmt.Errorf("Backoff.Max is %v; it must not be less than Min, which is %v", b.Max, b.Min)
	case b.Factor != 0 && !(b.Factor >= 1 && b.Factor <= math.MaxFloat64):
		return b, fmt.Errorf("Backoff.Factor is %v; it must be at least 1, or 0 for the default", b.Factor)
	case b.Jitter != -1 && !(b.Jitter >= 0 && b.Jitter <= 1):
		return b, fmt.Errorf("Backoff.Jitter is %v; it must be from 0 to 1, or -1 for none", b.Jitter)
	case b.Reset < 0:
		return b, fmt.Errorf("Backoff.Reset is %v; it must be positive, or 0 for the default", b.Reset)
	}
	b.Min = max(0, b.Min)
	if b.Max == 0 {
		b.Max = max(defaultMaxBackoff, b.Min)
	}
	if b.Factor == 0 {
		b.Factor = 2
	}
	switch b.Jitter {
	case 0:
		b.Jitter = 0.2
	case -1:
		b.Jitter = 0
	}
	if b.Reset == 0 {
		b.Reset = b.Max
	}
	return b, nil
}

// delay returns how long to wait after the n-th failure in a row.
func (b Backoff) delay(n int, random *rand.Rand) time.Duration {
	if b.Min <= 0 {
		return 0
	}
	d := math.Min(float64(b.Max), float64(b.Min)*math.Pow(b.Factor, float64(n-1)))
	if d *= 1 - b.Jitter*random.Float64(); d >= math.MaxInt64 {
		return b.Max // A float64 that large is more than a Duration can hold.
	}
	return time.Duration(d)
}
