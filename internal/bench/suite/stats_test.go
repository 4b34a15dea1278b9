package suite_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0},
		{[]float64{7}, 7},
		{[]float64{9, 1}, 5},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 100, 2}, 3},
	} {
		if got := suite.Median(c.values); got != c.want {
			t.Errorf("Median(%v) = %v, want %v", c.values, got, c.want)
		}
	}
}

func TestPercentile(t *testing.T) {
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = 100 - i
	}
	for _, c := range []struct {
		samples []int
		p       float64
		want    int
	}{
		{nil, 50, 0},
		{[]int{7}, 0, 7},
		{[]int{7}, 99, 7},
		{[]int{3, 1, 2}, 0, 1},
		{[]int{3, 1, 2}, 50, 2},
		{[]int{3, 1, 2}, 99, 3},
		{[]int{3, 1, 2}, 100, 3},
		{hundred, 1, 1},
		{hundred, 50, 50},
		{hundred, 99, 99},
		{hundred, 98.2, 99},
		{hundred, 100, 100},
	} {
		if got := suite.Percentile(c.samples, c.p); got != c.want {
			t.Errorf("Percentile(%v, %v) = %d, want %d", c.samples, c.p, got, c.want)
		}
	}
}

func TestStatsLeaveTheirArgumentAlone(t *testing.T) {
	values := []float64{3, 1, 2}
	suite.Median(values)
	suite.Percentile(values, 50)
	if values[0] != 3 || values[1] != 1 || values[2] != 2 {
		t.Errorf("the values were reordered: %v", values)
	}
}
