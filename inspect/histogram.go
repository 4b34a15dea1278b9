package inspect

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Histogram counts durations by magnitude: each bucket reaches to twice the
// bound of the one before, from 1 us to 35 minutes. Adding costs two atomic
// additions. The zero Histogram is empty.
type Histogram struct {
	buckets [histogramBuckets]atomic.Uint64
	sum     atomic.Int64 // In nanoseconds.
}

// histogramBuckets has the last one for all that is longer.
const histogramBuckets = 32

// bound returns the upper bound of a bucket but the last.
func bound(n int) time.Duration { return time.Microsecond << n }

func (h *Histogram) add(d time.Duration) {
	d = max(0, d)
	n := 0
	if d > time.Microsecond {
		n = min(histogramBuckets-1, bits.Len64(uint64((d-1)/time.Microsecond)))
	}
	h.buckets[n].Add(1)
	h.sum.Add(int64(d))
}

// Snapshot returns the counts so far.
func (h *Histogram) Snapshot() HistogramSnapshot {
	s := HistogramSnapshot{SumSeconds: time.Duration(h.sum.Load()).Seconds()}
	for n := range h.buckets {
		c := h.buckets[n].Load()
		s.Count += c
		s.Buckets[n] = c
	}
	return s
}

// HistogramSnapshot is a [Histogram] at one moment.
type HistogramSnapshot struct {
	Count      uint64  `json:"count"`
	SumSeconds float64 `json:"sum_seconds"`
	// Buckets has the counts by magnitude; see Bound.
	Buckets [histogramBuckets]uint64 `json:"buckets"`
}

// Bound returns up to how many seconds bucket n reaches, inclusive. The last
// bucket has no bound.
func (HistogramSnapshot) Bound(n int) (seconds float64, ok bool) {
	return bound(n).Seconds(), n >= 0 && n < histogramBuckets-1
}

// Quantile returns the duration below which the part q of those counted are,
// rounded up to a bucket's bound: it is less than twice too large. It is 0 if
// nothing was counted, and the last bound if it is beyond that.
func (s HistogramSnapshot) Quantile(q float64) time.Duration {
	if s.Count == 0 {
		return 0
	}
	left := uint64(q * float64(s.Count))
	for n, c := range s.Buckets {
		if left < c {
			return bound(min(n, histogramBuckets-2))
		}
		left -= c
	}
	return bound(histogramBuckets - 2)
}
