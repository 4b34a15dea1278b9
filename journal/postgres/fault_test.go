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
	Run: "^Test(CommitsAreSynced|Suite/fence|AnswerIsLost|FeedWaits|SnapshotDoesNot|TwoProjections|Pages)",
	Faults: []planted.Fault{
		{
			Name: "sync off",
			In:   "readGroup",
			Old:  `"SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'"`,
			New:  `"SELECT 1"`,
			Want: "FAIL: TestCommitsAreSynced",
			Run:  "^TestCommitsAreSynced$",
		},
		{
			Name: "acknowledged before the commit",
			In:   "Store.transact",
			Nth:  5,
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
			In:   "readGroup",
			Old:  `"SELECT position FROM journal_head FOR UPDATE"`,
			New:  `"SELECT position FROM journal_head"`,
			Want: "FAIL: TestFeedWaitsForOpenCommits",
			Run:  "^TestFeedWaitsForOpenCommits$",
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
	},
}
