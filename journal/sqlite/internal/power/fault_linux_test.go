//go:build !race && !invariants

package power_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that the disk of these tests finds what a kill alone does
// not: a kill leaves the kernel's cache as it is.
func TestTestsFindPlantedFaults(t *testing.T) {
	mount(t, newDisk(), t.TempDir())()
	planted.Expect(t, "", powerFaults)
}

var powerFaults = planted.Group{
	Run: "^TestSyncOfACommitFails$",
	Faults: []planted.Fault{
		{
			Name: "sync off",
			Dir:  "../..",
			In:   "Store.makeDurable",
			Old:  durable,
			New: `_, err := s.writer.ExecContext(ctx, "PRAGMA synchronous = OFF")
_, _ = level, full
return err`,
			Want: "numbers were acknowledged, and",
			Run:  "^TestPowerGoes$",
		},
		{
			Name: "commits are synced with the next checkpoint",
			Dir:  "../..",
			In:   "Store.makeDurable",
			Old:  durable,
			New: `_, err := s.writer.ExecContext(ctx, "PRAGMA synchronous = NORMAL")
_, _ = level, full
return err`,
			Want: "numbers were acknowledged, and",
			Run:  "^TestPowerGoes$",
		},
		{
			Name: "acknowledged before the commit",
			Dir:  "../../..",
			In:   "Journal.commitAll",
			Old: `err := j.appendBatch(batch)
j.finish(ctx, group, err, time.Since(begin))`,
			New: `j.finish(ctx, group, nil, time.Since(begin))
_ = j.appendBatch(batch)`,
			Want: "numbers were acknowledged, and",
			Run:  "^TestPowerGoes$",
		},
		{
			Name: "a store goes on after a sync that has failed",
			Dir:  "../..",
			In:   "Store.fail",
			Old:  "s.closed == nil",
			New:  "s.closed != nil",
			Want: "the store is not closed for good",
			Run:  "^TestSyncOfACommitFails$",
		},
	},
}

const durable = `if _, err := s.writer.ExecContext(ctx, "PRAGMA synchronous = FULL"); err != nil {
	return err
}
if err := s.writer.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&level); err != nil {
	return err
}
if level < full {
	return fmt.Errorf("commits would not be synced: synchronous is %d, want %d", level, full)
}`
