package suite

import (
	"cmp"
	"math"
	"slices"
)

// Median returns the middle of the values, or the mean of the two in the
// middle. It returns 0 for none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	mid := len(s) / 2
	if len(s)%2 == 1 {
		return s[mid]
	}
	return (s[mid-1] + s[mid]) / 2
}

// Percentile returns the smallest sample that at least p percent of all do not
// exceed (the nearest-rank method). It returns 0 for none.
func Percentile[T cmp.Ordered](samples []T, p float64) T {
	var zero T
	if len(samples) == 0 {
		return zero
	}
	s := slices.Sorted(slices.Values(samples))
	rank := int(math.Ceil(float64(len(s)) * p / 100))
	return s[min(max(rank, 1), len(s))-1]
}
