//go:build !race && !invariants

package shards_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that no promise about shards can be broken unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", shardFaults)
}

const twoOwners = "still acts as its owner"

var shardFaults = planted.Group{
	Run: "^TestNoShardHasTwoOwnersInManySchedules$",
	Faults: []planted.Fault{
		{
			Name: "a write expects no revision",
			In:   "Owners.write",
			Old:  "o.table.Put(ctx, shardKey(i), data, expected, 0)",
			New:  "o.table.Put(ctx, shardKey(i), data, engine.Any, 0)",
			Want: "FAIL: TestNoShardHasTwoOwnersInManySchedules",
		},
		{
			Name: "a shard is handed over without a Release",
			In:   "Owners.handOver",
			Old:  "o.release(i)",
			New:  "_ = o.release",
			Nth:  1,
			Want: "acquires shard",
		},
		{
			Name: "a shard is handed over and kept",
			In:   "Owners.giveUp",
			Old:  "o.fences[i].Store(0)",
			New:  "_ = o.fences",
			Want: twoOwners,
		},
		{
			Name: "an owner that leaves is taken for one that has ended",
			In:   "Owners.step",
			Old:  "o.node.Ended(s.entry.value.Node, s.entry.value.Birth)",
			New:  "!o.hosts.has(o, s.entry.value.birth)",
			Want: twoOwners,
		},
		{
			Name: "the fence is not raised after a lapse",
			In:   "Owners.step",
			Old:  "s.entry.revision > s.spent",
			New:  "s.entry.revision >= s.spent",
			Want: "there was the fence",
		},
		{
			Name: "an old entry of the watch is believed",
			In:   "entry.take",
			Old:  "revision <= e.revision",
			New:  "revision == e.revision",
			Want: "FAIL: TestNoShardHasTwoOwnersInManySchedules",
		},
		{
			Name: "a later birth of a name takes over what the earlier one had",
			In:   "Owners.step",
			Old:  "s.entry.revision != 0 && s.entry.value.birth == o.me",
			New:  "s.entry.revision != 0 && s.entry.value.Node == o.me.Node",
			Want: "FAIL: TestNoShardHasTwoOwnersInManySchedules",
		},
		{
			Name: "the lease is counted from the reply",
			Dir:  "../membership",
			In:   "Node.renew",
			Old:  "n.extend(asked, quick)",
			New:  "n.extend(max(asked, n.config.Clock()), max(quick, n.config.quick()))",
			Nth:  1,
			Want: twoOwners,
		},
		{
			Name: "a lease is ended before it is over",
			Dir:  "../membership",
			In:   "Node.endOthers",
			Old:  "n.view.overdue(n.config.Clock(), n.config.Lease)",
			New:  "n.view.overdue(n.config.Clock(), n.config.Lease/3)",
			Want: twoOwners,
		},
		{
			Name: "all misplaced shards move at once",
			In:   "Owners.misplaced",
			Old:  "len(moves) <= max(room, 0)",
			New:  "len(moves) <= max(room, 1<<20)",
			Want: "shards moved at once",
			Run:  "^TestANodeThatComesGetsItsShareAFewAtOnce$",
		},
	},
}
