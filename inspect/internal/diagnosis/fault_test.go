//go:build !modelcheck && !race && !invariants

package diagnosis_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that the tests of findings find what they are there to find.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", planted.Group{
		Run: "^(TestPlace|TestAge|TestHistory)",
		Faults: []planted.Fault{
			{
				Name: "frames of this module are the program's own",
				In:   "isOwn",
				Old:  `return strings.HasPrefix(rest, "examples/")`,
				New:  `return rest != ""`,
				Want: "FAIL: TestPlace",
				Run:  "^TestPlace$",
			},
			{
				Name: "the standard library is the program's own",
				In:   "isOwn",
				Old:  `first != "panic" && !standard[first]`,
				New:  `first != "panic"`,
				Want: "FAIL: TestPlace",
				Run:  "^TestPlace$",
			},
			{
				Name: "a message is as old as the first look",
				In:   "mailbox.age",
				Old:  "p.arrived() > handled",
				New:  "p.arrived()+handled > 0",
				Want: "FAIL: TestAge",
				Run:  "^TestAge",
			},
			{
				Name: "another incarnation has the old one's messages",
				In:   "mailbox.add",
				Old:  "p.handled < last.handled || p.handled >= last.arrived()",
				New:  "p.handled >= last.arrived()",
				Want: "FAIL: TestAge",
				Run:  "^TestAge$",
			},
			{
				Name: "all looks are remembered",
				In:   "mailbox.add",
				Old:  "len(m.points) == maxPoints",
				New:  "len(m.points) == 1<<30",
				Want: "FAIL: TestAgeOfHours",
				Run:  "^TestAgeOfHours$",
			},
			{
				Name: "what is over is counted",
				In:   "episode.lately",
				Old:  "gone > window",
				New:  "gone > 100*window",
				Want: "FAIL: TestHistoryForgets",
				Run:  "^TestHistoryForgets$",
			},
			{
				Name: "all culprits are remembered",
				In:   "history.add",
				Old:  "len(*h) >= maxKnown",
				New:  "len(*h) >= 1<<30",
				Want: "FAIL: TestHistoryIsBounded",
				Run:  "^TestHistoryIsBounded$",
			},
		},
	})
}
