package enginetest

import (
	"testing"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// restart checks that what was acknowledged is there after a restart.
func restart(t *testing.T, s Subject) {
	t.Helper()
	if s.Restart == nil {
		return
	}
	t.Run("a restart keeps what was acknowledged", func(t *testing.T) {
		k := newKit(t, s.Engines, false)
		tableName, logName := k.name(), k.name()
		table, log := k.table(tableName, 0), k.log(logName, 0, engine.LogConfig{MaxRecords: 100})
		gone := k.put(table, "gone", "x", engine.Absent)
		_, err := table.Delete(k.ctx, "gone", gone)
		k.must(err, "Delete")
		revision := k.put(table, "key", "value", engine.Absent)
		k.append(log, "1", "2", "3")
		_, err = log.Append(k.ctx, engine.Any, record("4"), record("5"))
		k.must(err, "Append of a batch")
		settings := engine.GroupConfig{Redeliver: 2 * time.Second} // Records on their way come again after it.
		group, err := log.Group(k.ctx, "g", settings)
		k.must(err, "Group")
		first, err := group.Next(k.ctx)
		k.must(err, "Next")
		k.ack(first)
		k.must(group.Close(), "Close")

		k.engines = s.Restart(t)
		table, log = k.table(tableName, 0), k.log(logName, 0, engine.LogConfig{MaxRecords: 100})
		k.has(table, "key", "value", revision)
		_, err = table.Get(k.ctx, "gone")
		k.is(err, engine.ErrNotFound, "Get of a deleted key after a restart")
		if next := k.put(table, "key", "again", revision); next <= revision {
			k.Errorf("after a restart a Put returns the revision %d, and %d was acknowledged before", next, revision)
		}
		k.contains(log, 0, "1", "2", "3", "4", "5")
		again := k.group(log, "g", settings)
		for left := map[string]bool{"2": true, "3": true, "4": true, "5": true}; len(left) > 0; {
			d, err := again.Next(k.ctx)
			k.must(err, "Next after a restart")
			if d.Sequence == first.Sequence {
				k.Fatalf("after a restart the group delivers %q, which was acknowledged", d.Data)
			}
			delete(left, string(d.Data))
			k.ack(d)
		}
		if seq, err := log.Append(k.ctx, 5, record("6")); err != nil || seq != 6 {
			k.Errorf("after a restart an Append returns %d, %v, want 6", seq, err)
		}
	})
}
