package inspect

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Histogram counts durations by magnitude: each doubling, from 1 us to 18 minutes, is divided into four buckets of
// the same width. Adding costs two atomic additions. The zero Histogram is empty.
type Histogram struct {
	buckets [histogramBuckets]atomic.Uint64
	sum     atomic.Int64 // In nanoseconds.
}

// BucketsPerDoubling is how many buckets of a [Histogram] there are from one doubling of 1 us to the next: bucket 0 and
// each fourth one after it reach to a doubling. With four a quantile is at most a quarter too large.
const BucketsPerDoubling = 4

const (
	// histogramBuckets cover 30 doublings, the first one for all up to 1 us, and the last one for all that is longer.
	histogramBuckets = 30*BucketsPerDoubling + 2
	// width is how wide the buckets of the first doubling are.
	width = time.Microsecond / BucketsPerDoubling
)

// bound returns the upper bound of a bucket but the last.
func bound(n int) time.Duration {
	if n <= 0 {
		return time.Microsecond
	}
	doubling, part := (n-1)/BucketsPerDoubling, (n-1)%BucketsPerDoubling
	return time.Duration(BucketsPerDoubling+part+1) * width << doubling
}

// bucket returns the first bucket whose bound is d at least, or the last one.
func bucket(d time.Duration) int {
	if d <= time.Microsecond {
		return 0
	}
	widths := uint64((d - 1) / width) // BucketsPerDoubling at least, as d is longer than the first bucket.
	doubling := bits.Len64(widths/BucketsPerDoubling) - 1
	part := int(widths>>doubling) - BucketsPerDoubling
	return min(histogramBuckets-1, 1+doubling*BucketsPerDoubling+part)
}

func (h *Histogram) add(d time.Duration) {
	d = max(0, d)
	h.buckets[bucket(d)].Add(1)
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
	if n < 0 || n >= histogramBuckets-1 {
		return 0, false
	}
	return bound(n).Seconds(), true
}

// Quantile returns the duration below which the part q of those counted are,
// rounded up to a bucket's bound: it is at most a quarter too large, from 1 us on. It is 0 if
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
