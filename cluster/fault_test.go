//go:build !race && !invariants

package cluster_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that no promise of names can be broken unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", nameFaults)
}

var nameFaults = planted.Group{
	Run: "^TestNoNameHasTwoOwnersInManySchedules$",
	Faults: []planted.Fault{
		{
			Name: "a name is written whatever its revision is",
			In:   "names.write",
			Old:  "s.table.Put(ctx, name, value, expected, 0)",
			New:  "s.table.Put(ctx, name, value, engine.Any, 0)",
			Want: "at once",
		},
		{
			Name: "a birth is taken for over that may live",
			In:   "names.free",
			Old:  "err == nil && !over",
			New:  "err == nil && !over && s.node.Valid() != nil",
			Want: "at once",
		},
		{
			Name: "the name of a birth that is over is honoured",
			In:   "names.find",
			Old:  `if over { return r, fmt.Errorf("%w: %v had it, whose node has ended: %s", ErrNoName, r, why) }`,
			New:  "_, _ = over, why",
			Want: "FAIL: TestAnEntryOfAnOldBirthIsNotHonoured",
			Run:  "^TestAnEntryOfAnOldBirthIsNotHonoured$",
		},
		{
			Name: "an entry that a failed call has left stays",
			In:   "names.changed",
			Old:  "s.check[c.Key] = true",
			New:  "_ = s.check",
			Want: "FAIL: TestARegisterThatHasFailedLeavesNoEntry",
			Run:  "^TestARegisterThatHasFailedLeavesNoEntry$",
		},
	},
}
