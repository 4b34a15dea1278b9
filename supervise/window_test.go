package supervise_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/supervise"
)

func TestWindowSlides(t *testing.T) {
	w, err := supervise.NewWindow(2, 10*time.Second)
	wantNoErr(t, err)
	begin := time.Now()
	for _, step := range []struct {
		at   float64 // Seconds since the beginning.
		want bool
	}{
		{0, true}, {5, true}, {9.9, false}, // Three within ten seconds.
		{10, false},    // The restarts at 5 and 9.9 still count, the one at 0 does not.
		{19.95, true},  // Now only the one at 10 does.
		{20, true},     // Exactly one period later it does not.
		{29.9, false},  // The ones at 19.95 and 20.
		{100, true},    // None.
		{100, true},    // At the same moment.
		{100.1, false}, // And one too many.
	} {
		at := begin.Add(time.Duration(step.at * float64(time.Second)))
		if got := w.Allow(at); got != step.want {
			t.Errorf("a restart after %v s: allowed is %v, want %v", step.at, got, step.want)
		}
	}
}

func TestWindowDefaults(t *testing.T) {
	begin := time.Now()
	w, err := supervise.NewWindow(0, 0)
	wantNoErr(t, err)
	for i := range 4 {
		if got, want := w.Allow(begin.Add(time.Duration(i)*time.Second)), i < 3; got != want {
			t.Errorf("restart %d: allowed is %v, want %v", i, got, want)
		}
	}
	w, err = supervise.NewWindow(-1, 0)
	wantNoErr(t, err)
	if w.Allow(begin) {
		t.Error("intensity -1 allows a restart")
	}
}

// At any restart, allowed means that no more than intensity restarts, with
// this one, are younger than the period.
func TestWindowCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		intensity := rapid.IntRange(1, 5).Draw(t, "intensity")
		period := time.Duration(rapid.IntRange(1, 20).Draw(t, "period"))
		w, err := supervise.NewWindow(intensity, period)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		var all []time.Time
		for _, pause := range rapid.SliceOf(rapid.IntRange(0, 12)).Draw(t, "pauses") {
			now = now.Add(time.Duration(pause))
			all = append(all, now)
			recent := 0
			for _, at := range all {
				if now.Sub(at) < period {
					recent++
				}
			}
			if got, want := w.Allow(now), recent <= intensity; got != want {
				t.Fatalf("with %d in %v of %d: allowed is %v", recent, period, intensity, got)
			}
		}
	})
}
