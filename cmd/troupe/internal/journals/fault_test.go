//go:build !race && !invariants

package journals_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that no check of verify can be lost unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", verifyFaults)
}

var verifyFaults = planted.Group{
	Run: "^TestVerify(Sound|FindsDamage)$/^sqlite$",
	Faults: []planted.Fault{
		{
			Name: "a gap is not seen",
			In:   "verifier.stream",
			Old:  "r.Version != version+1",
			New:  "r.Version < version+1",
			Want: "FAIL: TestVerifyFindsDamage/sqlite/a_gap",
			Run:  "^TestVerifyFindsDamage$/^sqlite$/^a_gap$",
		},
		{
			Name: "positions are not compared",
			In:   "verifier.stream",
			Old:  "r.Position <= position",
			New:  "r.Position < 0",
			Want: "FAIL: TestVerifyFindsDamage/sqlite/a_late_position",
			Run:  "^TestVerifyFindsDamage$/^sqlite$/^a_late_position$",
		},
		{
			Name: "a missing end is not seen",
			In:   "verifier.end",
			Old:  "last < info.Version",
			New:  "last+1000 < info.Version",
			Want: "FAIL: TestVerifyFindsDamage/sqlite/no_end",
			Run:  "^TestVerifyFindsDamage$/^sqlite$/^no_end$",
		},
		{
			Name: "a snapshot ahead of the events is not seen",
			In:   "verifier.snapshot",
			Old:  "info.Snapshot > last",
			New:  "info.Snapshot > last+1000",
			Want: "FAIL: TestVerifyFindsDamage/sqlite/a_snapshot_ahead",
			Run:  "^TestVerifyFindsDamage$/^sqlite$/^a_snapshot_ahead$",
		},
		{
			Name: "data that can't be decoded is not told",
			In:   "verifier.encoding",
			Old:  "err != nil",
			New:  "err != nil && !known",
			Want: "FAIL: TestVerifyFindsDamage/sqlite/no_CBOR",
			Run:  "^TestVerifyFindsDamage$/^sqlite$/^no_CBOR$",
		},
		{
			Name: "the file is not checked",
			In:   "verifier.all",
			Nth:  1,
			Old:  "v.file()",
			New:  "v.ctx.Err()",
			Want: "FAIL: TestVerifyFindsDamage/sqlite/no_streams",
			Run:  "^TestVerifyFindsDamage$/^sqlite$/^no_streams$",
		},
	},
}
