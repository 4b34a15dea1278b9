//go:build !race && !invariants

package memory_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that none of what the store promises about erasure and
// retention can be lost unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", keeperFaults)
}

var keeperFaults = planted.Group{
	Run: "^TestSuite$/^keeper$",
	Faults: []planted.Fault{
		{
			Name: "an erasure forgets the snapshot",
			In:   "Store.Erase",
			Old:  "st.done, st.snapshot = map[string]bool{}, journal.Snapshot{}",
			New:  "st.done = map[string]bool{}",
			Want: "FAIL: TestSuite/keeper/an_erasure_takes_the_snapshot",
			Run:  "^TestSuite$/^keeper$/^an_erasure_takes_the_snapshot_with_it$",
		},
		{
			Name: "a trim goes above the position of a projection",
			In:   "Store.Trim",
			Old:  "e.Position > limit",
			New:  "e.Position > limit+1<<40",
			Want: "FAIL: TestSuite/keeper/a_trim_keeps_what_a_projection",
			Run:  "^TestSuite$/^keeper$/^a_trim_keeps_what_a_projection_has_not_handled$",
		},
		{
			Name: "a position moves from wherever it is",
			In:   "Store.MovePosition",
			Old:  "is != from",
			New:  "is != from && from > 1<<40",
			Want: "FAIL: TestSuite/keeper/positions_of_projections",
			Run:  "^TestSuite$/^keeper$/^positions_of_projections$",
		},
	},
}
