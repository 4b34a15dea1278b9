//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var overflowFaults = planted.Group{
	Run: "^(TestBuffers|TestShedByItems|TestShedByBytes|TestLimitSparesUrgentLanes|TestLimitOfWaitingSenders|TestBursts|TestInfoOfABatch)$",
	Faults: []planted.Fault{
		{
			Name: "a dropping lane takes what it drops",
			In:   "proc.judge",
			Old:  "v.drop = ErrOverflow",
			New:  "",
			Want: "dropped: 0, want 6",
			Run:  "^TestBuffers$",
		},
		{
			Name: "a batch is not interrupted",
			In:   "proc.announced",
			Old:  "s&running != 0 && bit != Data.bit()",
			New:  "false",
			Want: "a control message waited until",
			Run:  "^TestUrgentMessageInterruptsABatch$",
		},
		{
			Name: "the newest slides away",
			In:   "proc.judge",
			Old:  "v.lose(p, which, true, ErrOverflow)",
			New:  "v.lose(p, which, false, ErrOverflow)",
			Want: "want [7 8 9 10]",
			Run:  "^TestBuffers$",
		},
		{
			Name: "what was dropped is no dead letter",
			In:   "proc.carryOut",
			Old:  "len(v.lost) > 0",
			New:  "false",
			Want: "dead letters: [], want [1 2 3 4 5 6]",
			Run:  "^TestBuffers$",
		},
		{
			Name: "what was dropped counts as handled",
			In:   "verdict.lose",
			Old:  "p.handled--",
			New:  "",
			Nth:  1,
			Want: "messages handled: 11, want 5",
			Run:  "^TestBuffers$",
		},
		{
			Name: "what is urgent gives way",
			In:   "proc.leastUrgent",
			Old: `for which := Data; which <= than; which++ {
	if l := p.lanes[which].Load(); l != nil && l.pending() > 0 {
		return which, true
	}
}`,
			New: `for which := Control; which < numLanes; which-- {
	if l := p.lanes[which].Load(); l != nil && l.pending() > 0 {
		return which, true
	}
}`,
			Want: "FAIL",
			Run:  "^TestShedByItems$",
		},
		{
			Name: "what is less urgent drops what is more",
			In:   "proc.leastUrgent",
			Old:  "which <= than",
			New:  "which <= Control",
			Want: "FAIL",
			Run:  "^TestLimitSparesUrgentLanes$",
		},
		{
			Name: "what was handled still weighs",
			In:   "lane.swap",
			Old: `if l.meter != nil && l.size > 0 {
	l.meter.drop(true)
}`,
			New:  "",
			Want: "FAIL",
			Run:  "^TestShedByBytes$",
		},
		{
			Name: "senders that waited pass the limit",
			In:   "lane.takeIn",
			Old:  "l.meter != nil && !l.meter.takes(w.size)",
			New:  "false",
			Want: "dead letters: [], want [5]",
			Run:  "^TestLimitOfWaitingSenders$",
		},
		{
			Name: "a burst is as long as the throughput",
			In:   "activation.beginBurst",
			Old:  "int(b.of[which] - b.spent[which].Load())",
			New:  "budget",
			Want: "FAIL",
			Run:  "^TestBursts$",
		},
		{
			Name: "what is claimed is left out of a snapshot",
			In:   "proc.describeMailbox",
			Old:  "l.size - int(l.taken.Load())",
			New:  "int(max(0, l.unclaimed.Load()))",
			Want: "messages wait",
			Run:  "^TestInfoOfABatch$",
		},
	},
}

var orderFaults = planted.Group{
	Run: "^TestCausalOrder$",
	Faults: []planted.Fault{
		{
			Name: "senders that waited are let in before what is there",
			In:   "buffers.accept",
			Old:  "b.push(*w.message.(*M), w.asked)",
			New:  "b.in = append(append(b.in[:b.lane.skipped:b.lane.skipped], *w.message.(*M)), b.in[b.lane.skipped:]...)",
			Want: "to which it led",
		},
		{
			Name: "what a killed actor had in hand goes last",
			In:   "buffers.handOver",
			Old: `copy(fresh.in, out)
copy(fresh.in[len(out):], in)`,
			New: `copy(fresh.in, in)
copy(fresh.in[len(in):], out)`,
			Want: "to which it led",
		},
	},
}
