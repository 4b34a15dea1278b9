//go:build !race && !invariants

package postgres_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/pgserver"
	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that none of what the store promises can be lost
// unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	if _, err := pgserver.Find(); err != nil {
		t.Skip(err)
	}
	planted.Expect(t, "", storeFaults)
}

var storeFaults = planted.Group{
	Run: "^Test(CommitsAreSynced|Suite/fence|AnswerIsLost|FeedWaits|SnapshotDoesNot|TwoProjections|Pages|Suite/keeper)",
	Faults: []planted.Fault{
		{
			Name: "sync off",
			In:   "syncOn",
			Old:  `"SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'"`,
			New:  `"SELECT 1"`,
			Want: "FAIL: TestCommitsAreSynced",
			Run:  "^TestCommitsAreSynced$",
		},
		{
			Name: "acknowledged before the commit",
			In:   "Store.transact",
			Nth:  6,
			Old:  "tx.Commit(ctx)",
			New:  "tx.Rollback(ctx)",
			Want: "FAIL: TestAnswerIsLost",
			Run:  "^TestAnswerIsLost$",
		},
		{
			Name: "an unknown outcome is taken for none",
			In:   "notCommitted",
			Old:  `refused.Severity == "ERROR"`,
			New:  `refused.Severity != ""`,
			Want: "FAIL: TestAnswerIsLost",
			Run:  "^TestAnswerIsLost$",
		},
		{
			Name: "a commit takes its position while another one is open",
			In:   "group.read",
			Old:  `"SELECT position, changes FROM journal_head FOR UPDATE"`,
			New:  `"SELECT position, changes FROM journal_head"`,
			Want: "FAIL: TestFeedWaitsForOpenCommits",
			Run:  "^TestFeedWaitsForOpenCommits$",
		},
		{
			Name: "what a store remembers outlives what another one writes",
			In:   "group.storeKnown",
			Old:  `"UPDATE journal_head SET position = $1, changes = $2 WHERE position = $3 AND changes = $4"`,
			New:  `"UPDATE journal_head SET position = $1, changes = $2 WHERE position = $3 AND $4::bigint >= 0"`,
			Want: "FAIL: TestWritesOfAnotherStoreAreSeen",
			Run:  "^TestWritesOfAnotherStoreAreSeen$",
		},
		{
			Name: "what a store remembers outlives what it has read",
			In:   "known.learn",
			Old:  "len(k.rows) > mostKnown || k.head != g.head",
			New:  "len(k.rows) > mostKnown",
			Want: "FAIL: TestWritesOfAnotherStoreAreSeen",
			Run:  "^TestWritesOfAnotherStoreAreSeen$",
		},
		{
			Name: "what is known answers whether a command is done",
			In:   "known.recall",
			Old:  `w.Once != "" && len(w.Events) == 0`,
			New:  `w.Once == "" && len(w.Events) == 0`,
			Want: "FAIL: TestSuite/once",
			Run:  "^TestSuite$/^once$/^to_ask_for_a_command_beside_other_writes$",
		},
		{
			Name: "a fence is forgotten",
			In:   "group.admit",
			Old:  "st.fence, st.changed = raised, true",
			New:  "st.changed = raised > 0",
			Want: "FAIL: TestSuite/fence",
			Run:  "^TestSuite$/^fence$",
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
			Old:  "moved.RowsAffected() == 0",
			New:  "moved.RowsAffected() < 0",
			Want: "FAIL: TestTwoProjectionsOfOneName",
			Run:  "^TestTwoProjectionsOfOneName$",
		},
		{
			Name: "an erasure forgets the snapshot",
			In:   "Store.Erase",
			Old:  `"DELETE FROM journal_snapshots WHERE stream = $1"`,
			New:  `"DELETE FROM journal_snapshots WHERE stream = -$1::bigint"`,
			Want: "FAIL: TestSuite/keeper/an_erasure_takes_the_snapshot",
			Run:  "^TestSuite$/^keeper$/^an_erasure_takes_the_snapshot_with_it$",
		},
		{
			Name: "a trim goes above the position of a projection",
			In:   "cutOf",
			Old:  "signed(uint64(keep.Limit(positions)))",
			New:  "signed(uint64(max(keep.Limit(positions), 1<<40)))",
			Want: "FAIL: TestSuite/keeper/a_trim_keeps_what_a_projection",
			Run:  "^TestSuite$/^keeper$/^a_trim_keeps_what_a_projection_has_not_handled$",
		},
		{
			Name: "a position moves from wherever it is",
			In:   "Store.MovePosition",
			Old:  "journal.Position(is) != from",
			New:  "journal.Position(is) < 0",
			Want: "FAIL: TestSuite/keeper/positions_of_projections",
			Run:  "^TestSuite$/^keeper$/^positions_of_projections$",
		},
	},
}
