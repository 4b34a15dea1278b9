//go:build !race && !invariants

package sqlite_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that none of what the store promises can be lost
// unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", storeFaults)
}

var storeFaults = planted.Group{
	Run: "^Test(CommitsAreSynced|SyncFails|Suite/fence|Suite/feed|ReadOnly|Suite/keeper|Erased|Writes|ARefused)",
	Faults: []planted.Fault{
		{
			Name: "sync off",
			In:   "Store.makeDurable",
			Old:  `s.writer.ExecContext(ctx, "PRAGMA synchronous = FULL")`,
			New:  `s.writer.ExecContext(ctx, "PRAGMA synchronous = OFF")`,
			Want: "FAIL: TestCommitsAreSynced",
			Run:  "^TestCommitsAreSynced$",
		},
		{
			Name: "acknowledged before the commit",
			In:   "Store.inTransaction",
			Old:  `s.writer.ExecContext(whole, "COMMIT")`,
			New:  `s.writer.ExecContext(whole, "SELECT 1")`,
			Want: "FAIL: TestCommitsAreSynced",
			Run:  "^TestCommitsAreSynced$",
		},
		{
			Name: "a store goes on after a sync that has failed",
			In:   "Store.fail",
			Old:  "s.closed == nil",
			New:  "s.closed != nil",
			Want: "FAIL: TestSyncFails",
			Run:  "^TestSyncFails$",
		},
		{
			Name: "a write of another process is not noticed",
			In:   "Store.refresh",
			Old:  "at != s.known.at",
			New:  "s.known.rows == nil",
			Want: "FAIL: TestWritesOfAnotherProcessAreSeen",
			Run:  "^TestWritesOfAnotherProcessAreSeen$",
		},
		{
			Name: "an erased stream is remembered as it was",
			In:   "Store.transact",
			Old:  "s.known.forget()",
			New:  "",
			Want: "FAIL: TestErasedAndCopiedStreamsAreNotRemembered",
			Run:  "^TestErasedAndCopiedStreamsAreNotRemembered$",
		},
		{
			Name: "a group that was not stored is remembered",
			In:   "Store.Append",
			Old:  "err == nil",
			New:  "true",
			Want: "FAIL: TestARefusedGroupTeachesNothing",
			Run:  "^TestARefusedGroupTeachesNothing$",
		},
		{
			Name: "a fence is forgotten",
			In:   "Store.admit",
			Old:  "max(r.fence, fence)",
			New:  "r.fence",
			Want: "FAIL: TestSuite/fence",
			Run:  "^TestSuite$/^fence$",
		},
		{
			Name: "the version is not checked",
			In:   "Store.admit",
			Old:  "w.Admit(uint64(r.version), uint64(r.fence), done)",
			New:  "w.Admit(uint64(r.fence), uint64(r.fence), done)",
			Want: "FAIL: TestSuite/append",
			Run:  "^TestSuite$/^append$",
		},
		{
			Name: "a snapshot ahead of the events is stored",
			In:   "Store.SaveSnapshot",
			Old:  "snap.Version > uint64(r.version)",
			New:  "snap.Version > uint64(r.version)+1000",
			Want: "FAIL: TestSuite/snapshot",
			Run:  "^TestSuite$/^snapshot",
		},
		{
			Name: "an erasure forgets the snapshot",
			In:   "Store.Erase",
			Old:  `s.exec(ctx, "DELETE FROM journal_snapshots WHERE stream = ?", r.id)`,
			New:  `s.exec(ctx, "DELETE FROM journal_snapshots WHERE stream = -?", r.id)`,
			Want: "FAIL: TestSuite/keeper/an_erasure_takes_the_snapshot",
			Run:  "^TestSuite$/^keeper$/^an_erasure_takes_the_snapshot_with_it$",
		},
		{
			Name: "a trim goes above the position of a projection",
			In:   "Store.cut",
			Old:  "signed(uint64(keep.Limit(positions)))",
			New:  "signed(uint64(max(keep.Limit(positions), 1<<40)))",
			Want: "FAIL: TestSuite/keeper/a_trim_keeps_what_a_projection",
			Run:  "^TestSuite$/^keeper$/^a_trim_keeps_what_a_projection_has_not_handled$",
		},
		{
			Name: "an erasure does not overwrite",
			In:   "Store.overwriting",
			Old:  `"PRAGMA secure_delete = ON"`,
			New:  `"PRAGMA secure_delete = OFF"`,
			Want: "FAIL: TestErasedDataIsOverwritten",
			Run:  "^TestErasedDataIsOverwritten$",
		},
		{
			Name: "a page of the feed skips an event",
			In:   "Store.Feed",
			Old:  "from = last.Position",
			New:  "from = last.Position + 1",
			Want: "FAIL: TestPages",
			Run:  "^TestPages$",
		},
		{
			Name: "a projection handles events again",
			In:   "target.Handle",
			Old:  "err != nil || n == 0",
			New:  "err != nil || n < 0",
			Want: "FAIL: TestTwoProjectionsOfOneName",
			Run:  "^TestTwoProjectionsOfOneName$",
		},
	},
}
