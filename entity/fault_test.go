//go:build !race && !invariants

package entity_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that what virtual actors promise can't be lost unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", entityFaults)
}

var entityFaults = planted.Group{
	Run: "^Test(OfTwo|PassivateBefore|MessagesPutOff|APassivation|AMessageKeeps)",
	Faults: []planted.Fault{
		{
			Name: "two activations of one id",
			In:   "roster.install",
			Old:  "!s.now.Ended()",
			New:  "!s.now.Ended() && s.started",
			Want: "FAIL: TestOfTwoSendersOneInstallsItsActivation",
			Run:  "^TestOfTwoSenders",
		},
		{
			Name: "a passivation before the start",
			In:   "seat.leave",
			Old:  "s.asked = true",
			New:  "s.asked, s.leaving, drains = true, true, true\nr.live--",
			Want: "FAIL: TestPassivateBeforeTheStartLosesNothing",
			Run:  "^TestPassivateBefore",
		},
		{
			Name: "the idle time is not reset",
			In:   "keeper.look",
			Old:  "s.count, s.changed = count, now",
			New:  "s.count = count",
			Want: "FAIL: TestMessagesPutOffThePassivation",
			Run:  "^TestMessagesPutOff",
		},
		{
			Name: "a message at work does not count",
			In:   "keeper.look",
			Old:  "busy || count != s.count",
			New:  "busy && count != s.count || count != s.count",
			Want: "FAIL: TestAMessageKeepsAnActorFromBeingIdle",
			Run:  "^TestAMessageKeeps",
		},
		{
			Name: "passivation without a drain",
			In:   "seat.leave",
			Old:  "a.Drain()",
			New:  "over, cancel := context.WithCancel(context.Background())\ncancel()\n_ = a.Obey(over, standin.Stop)",
			Want: "FAIL: TestAPassivationGoesOnWithoutItsCaller",
			Run:  "^TestAPassivation",
		},
	},
}
