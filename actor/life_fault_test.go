//go:build !modelcheck && !race && !invariants

package actor_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

func TestLifeFindsPlantedFaults(t *testing.T) {
	planted.Expect(t, "", lifeFaults)
}

// lifeFaults are about births and ends.
var lifeFaults = planted.Group{
	Run: "^(TestPIDsFromHandlersAreUnique|TestSlotsComeBack|TestStalePIDs)$",
	Faults: []planted.Fault{
		{
			Name: "a slot keeps its generation",
			File: "table.go",
			Old:  "	s.gen++\n",
			New:  "	s.gen = 1\n",
			Want: "was there before",
			Run:  "^TestPIDsFromHandlersAreUnique$",
		},
		{
			Name: "a full magazine is thrown away",
			File: "table.go",
			Old:  "		t.collect(m, magazineSize/2)\n",
			New:  "		m.n = 0\n",
			Want: "slots were used for three actors",
			Run:  "^TestSlotsComeBack$/^from_outside",
		},
		{
			Name: "nobody brings slots to the list",
			File: "table.go",
			Old:  "	if t.hungry.Load() {\n		t.collect(m, 0)\n	}\n",
			New:  "",
			Want: "this tests nothing",
			Run:  "^TestStalePIDs$",
		},
		{
			Name: "an end on a worker does not count",
			File: "table.go",
			Old:  "	m.ended.Store(m.ended.Load() + 1)\n",
			New:  "",
			Want: "FAIL",
			Run:  "^TestPIDsFromHandlersAreUnique$",
		},
	},
}
