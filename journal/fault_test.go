//go:build !race && !invariants

package journal_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that none of what a journal promises can be lost
// unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", journalFaults)
}

var journalFaults = planted.Group{
	Run: "^Test(UnknownOutcome|Conflict|Fence|Snapshot|BadSnapshots|Kill|Writer|Missing|Orders|CommandRunsOnce|Writes|CatchUp|Erase|Trim|Outbox|Events|Snapshots)",
	Faults: []planted.Fault{
		{
			Name: "acknowledged before the commit",
			In:   "Journal.commitAll",
			Old: `err := j.appendBatch(batch)
j.finish(ctx, group, err, time.Since(begin))`,
			New: `j.finish(ctx, group, nil, time.Since(begin))
_ = j.appendBatch(batch)`,
			Want: "FAIL: TestUnknownOutcome",
			Run:  "^TestUnknownOutcome$",
		},
		{
			Name: "acknowledged before the commit, in a simulation",
			In:   "Journal.finish",
			Old:  "e.stage, e.err = done, err",
			New:  "e.stage, e.err = done, nil",
			Want: "FAIL: TestOrdersAreDoneOnceInSimulation",
			Run:  "^TestOrdersAreDoneOnceInSimulation$",
		},
		{
			Name: "an event may lose a field",
			In:   "Events",
			Old:  "name != ErasedType",
			New:  "name == ErasedType",
			Want: "FAIL: TestEventsWhoseFieldsWouldBeLost",
			Run:  "^TestEventsWhoseFieldsWouldBeLost$",
		},
		{
			Name: "a snapshot may lose a field",
			In:   "Config.check",
			Old:  "errors.Join(cfg.Snapshots.check(), cfg.Events.Err())",
			New:  "errors.Join(cfg.Snapshots.err, cfg.Events.Err())",
			Want: "FAIL: TestSnapshotsWhoseFieldsWouldBeLost",
			Run:  "^TestSnapshotsWhoseFieldsWouldBeLost$",
		},
		{
			Name: "the version is not checked",
			In:   "Write.Admit",
			Old:  "w.Expected != AnyVersion && w.Expected != version",
			New:  "w.Expected == AnyVersion-1",
			Want: "FAIL: TestConflictEndsTheIncarnation",
			Run:  "^TestConflictEndsTheIncarnation$",
		},
		{
			Name: "a lower fence is accepted",
			In:   "Write.Admit",
			Old:  "w.Fence < fence",
			New:  "w.Fence > MaxFence",
			Want: "FAIL: TestFence",
			Run:  "^TestFence$",
		},
		{
			Name: "an incarnation takes no fence before it reads",
			In:   "incarnation.recover",
			Nth:  1,
			Old:  "in.takeFence(ctx)",
			New:  "ctx.Err()",
			Want: "FAIL: TestFence",
			Run:  "^TestFence$",
		},
		{
			Name: "a command is done twice",
			In:   "Write.Admit",
			Old: `case done:
	w.Err = ErrDone`,
			New:  "",
			Want: "FAIL: TestCommandRunsOnce",
			Run:  "^TestCommandRunsOnce$",
		},
		{
			Name: "a snapshot is ahead of its events",
			In:   "incarnation.maybeSnapshot",
			Old:  "version := in.self.version",
			New:  "version := in.self.version + 1",
			Want: "FAIL: TestSnapshotIsNeverAhead",
			Run:  "^TestSnapshotIsNeverAhead$",
		},
		{
			Name: "a snapshot is trusted beyond the last event",
			In:   "incarnation.read",
			Old:  "next < in.snapshot",
			New:  "next+1 == 0",
			Want: "FAIL: TestBadSnapshots",
			Run:  "^TestBadSnapshots$",
			Hang: true,
		},
		{
			Name: "a missing event is skipped",
			In:   "incarnation.follow",
			Nth:  2,
			Old:  "r.Version != last+1",
			New:  "r.Version < last",
			Want: "FAIL: TestMissingEventStopsTheActor",
			Run:  "^TestMissingEventStopsTheActor$",
			Hang: true,
		},
		{
			Name: "an incarnation outlives its conflict",
			In:   "incarnation.end",
			Old:  "in.spoiled == nil || errors.Is(err, in.spoiled)",
			New:  "in != nil",
			Want: "FAIL: TestConflictEndsTheIncarnation",
			Run:  "^TestConflictEndsTheIncarnation$",
		},
		{
			Name: "a writer that leaves stays in the queue",
			In:   "Journal.look",
			Old:  "leaves && e.stage == queued",
			New:  "leaves && e.stage == done",
			Want: "FAIL: TestWriterLeaves",
			Run:  "^TestWriterLeaves$",
		},
		{
			Name: "each write has a commit of its own",
			In:   "Journal.take",
			Old:  "n > 0 && (events > maxGroupEvents || bytes > maxGroupBytes)",
			New:  "n > 0 && (events > 1 || bytes > maxGroupBytes)",
			Want: "FAIL: TestWritesAreCommittedInGroups",
			Run:  "^TestWritesAreCommittedInGroups$",
			Hang: true,
		},
		{
			Name: "a state is made of a snapshot that was erased meanwhile",
			In:   "incarnation.follow",
			Old:  "(in.snapshot == 0 || in.snapshot == r.Version)",
			New:  "in != nil",
			Want: "FAIL: TestEraseDuringRecovery",
			Run:  "^TestEraseDuringRecovery$",
			Hang: true,
		},
		{
			Name: "a trim goes above the position of a projection",
			In:   "Retention.Limit",
			Old:  "limit = min(limit, p)",
			New:  "limit = max(limit, p)",
			Want: "FAIL: TestOutboxSetsAside",
			Run:  "^TestOutboxSetsAside$",
		},
		{
			Name: "an outbox stores its position before the effect",
			In:   "Outbox.deliverAll",
			Old:  "done, pause, err := o.deliverPage(ctx, page, at)",
			New: `if err := o.keeper.MovePosition(ctx, o.cfg.Name, at, page[len(page)-1].Position); err != nil {
	return 0, err
}
done, pause, err := o.deliverPage(ctx, page, at)
at = done`,
			Want: "FAIL: TestOutboxCrash",
			Run:  "^TestOutboxCrash$",
		},
		{
			Name: "an event overtakes one of its stream that was set aside",
			In:   "Outbox.deliverPage",
			Old:  "o.held[e.Stream] != 0",
			New:  "len(o.held) > 1000",
			Want: "FAIL: TestOutboxSetsAside",
			Run:  "^TestOutboxSetsAside$",
			Hang: true,
		},
		{
			Name: "a projection skips an event between two batches",
			In:   "Projection.CatchUp",
			Old:  "after = last",
			New:  "after = last + 1",
			Want: "FAIL: TestCatchUp",
			Run:  "^TestCatchUp$",
		},
	},
}
