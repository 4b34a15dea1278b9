//go:build !race && !invariants

package memory_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that no promise of the bus can be broken unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", busFaults)
}

var busFaults = planted.Group{
	Run: "^Test(Frames|AFrame|Delay|Faults|ACut|ASlow|APaused|Bad|Close)",
	Faults: []planted.Fault{
		{
			Name: "the frame is kept, and no copy of it",
			In:   "subscription.add",
			Old:  "append(room[:0], frame...)",
			New:  "append(frame[:0], append(room[:0], frame...)...)",
			Want: "FAIL: TestAFrameBelongs",
			Run:  "^TestAFrameBelongsToItsPublisherAgain$",
		},
		{
			Name: "jitter changes the order",
			In:   "Network.arrivals",
			Old:  "first.Before(l.last)",
			New:  "first.Before(now)",
			Nth:  4,
			Want: "FAIL: TestDelayAndJitter",
			Run:  "^TestDelayAndJitterKeepTheOrder$",
		},
		{
			Name: "a cut keeps what is under way",
			In:   "subscription.lose",
			Old:  "f.from != from",
			New:  "f.from != from || true",
			Want: "FAIL: TestACutLoses",
			Run:  "^TestACutLosesFramesAlsoThoseUnderWay$",
		},
		{
			Name: "a slow subscriber has frames without limit",
			In:   "subscription.add",
			Old:  "len(s.flights) >= kept",
			New:  "len(s.flights) >= 100*kept",
			Want: "FAIL: TestASlowSubscriber",
			Run:  "^TestASlowSubscriberLosesFramesAndCountsThem$",
		},
		{
			Name: "the faults of a pair are those of all",
			In:   "Network.faultsOf",
			Old:  "return f",
			New:  "_ = f; return n.faults",
			Want: "FAIL: TestFaultsOfPairs",
			Run:  "^TestFaultsOfPairs$",
		},
	},
}
