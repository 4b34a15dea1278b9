package enginetest

import (
	"testing"

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
		group, err := log.Group(k.ctx, "g", engine.GroupConfig{})
		k.must(err, "Group")
		k.ack(k.next(group, "1", 1))
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
		d, err := k.group(log, "g", engine.GroupConfig{}).Next(k.ctx)
		if err != nil || string(d.Data) != "2" {
			k.Errorf("after a restart the group delivers %q, %v, want 2", d.Data, err)
		}
		if seq, err := log.Append(k.ctx, 5, record("6")); err != nil || seq != 6 {
			k.Errorf("after a restart an Append returns %d, %v, want 6", seq, err)
		}
	})
}
