package lane_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
)

// ran reports whether a test that calls skip first goes on.
func ran(t *testing.T, skip func(testing.TB)) (went bool) {
	t.Helper()
	t.Run("", func(t *testing.T) {
		skip(t)
		went = true
	})
	return went
}

func TestLanes(t *testing.T) {
	for _, c := range []struct {
		lane           string
		check, nightly bool
	}{
		{"", false, false},
		{"quick", false, false},
		{"check", true, false},
		{"nightly", true, true},
	} {
		t.Run(c.lane, func(t *testing.T) {
			t.Setenv(lane.Variable, c.lane)
			if got := ran(t, lane.Check); got != c.check {
				t.Errorf("a test for make check runs: %t, want %t", got, c.check)
			}
			if got := ran(t, lane.Nightly); got != c.nightly {
				t.Errorf("a test for make nightly runs: %t, want %t", got, c.nightly)
			}
			if got := ran(t, lane.Short); got == testing.Short() {
				t.Errorf("with -short=%t a test that it leaves out runs: %t", testing.Short(), got)
			}
		})
	}
}
