package echo

import (
	"math/bits"
	"time"
)

// histogram counts times to within 1/16 of them.
type histogram struct {
	counts [64 * steps]uint32
	n      int64
	max    time.Duration
}

const steps = 16

func (h *histogram) note(d time.Duration) {
	h.counts[bucket(d)]++
	h.n++
	h.max = max(h.max, d)
}

// bucket is the place of d: its highest bit and the four after it.
func bucket(d time.Duration) int {
	v := uint64(max(d, steps))
	shift := bits.Len64(v) - 5
	return shift*steps + int(v>>shift) - steps
}

// upper is the upper end of a bucket.
func upper(i int) time.Duration { return time.Duration((steps + i%steps + 1) << (i / steps)) }

func (h *histogram) add(other *histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.n += other.n
	h.max = max(h.max, other.max)
}

// quantile returns the time, in microseconds, below which that part of all lie.
func (h *histogram) quantile(part float64) float64 {
	left := int64(part * float64(h.n))
	for i, n := range h.counts {
		if left -= int64(n); left < 0 {
			return micros(min(upper(i), h.max))
		}
	}
	return micros(h.max)
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
