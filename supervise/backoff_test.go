package supervise_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/supervise"
)

// A delay is between Min and Max, less the jitter, however extreme the back-off is.
func TestDelayIsWithinItsBounds(t *testing.T) {
	durations := rapid.OneOf(
		rapid.Int64Range(1, math.MaxInt64),
		rapid.Int64Range(math.MaxInt64-1024, math.MaxInt64),
		rapid.Int64Range(1, int64(time.Hour)),
	)
	rapid.Check(t, func(t *rapid.T) {
		b := supervise.Backoff{
			Min:    time.Duration(durations.Draw(t, "min")),
			Max:    time.Duration(durations.Draw(t, "max")),
			Factor: rapid.SampledFrom([]float64{0, 1, 2, 1e10, math.MaxFloat64}).Draw(t, "factor"),
			Jitter: rapid.SampledFrom([]float64{-1, 0, 0.5, 1}).Draw(t, "jitter"),
		}
		if b.Max < b.Min {
			b.Max = 0
		}
		n := rapid.SampledFrom([]int{1, 2, 50, math.MaxInt}).Draw(t, "failures")
		d, err := b.Delay(n, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		most := max(b.Max, b.Min)
		if b.Max == 0 {
			most = max(most, time.Minute)
		}
		least := time.Duration(0)
		if b.Jitter == -1 {
			least = b.Min
		}
		if float64(d) < float64(least) || float64(d) > float64(most) { // A Duration is more exact than a float64.
			t.Errorf("the delay is %v, want one from %v to %v", d, least, most)
		}
	})
}
