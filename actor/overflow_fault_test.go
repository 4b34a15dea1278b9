//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var overflowFaults = planted.Group{
	Run: "^(TestBuffers|TestShedByItems|TestShedByBytes|TestLimitSparesWhatIsUrgent|TestLimitOfWaitingSenders|TestBursts|TestInfoOfABatch)$",
	Faults: []planted.Fault{
		{
			Name: "a dropping lane takes what it drops",
			File: "overflow.go",
			Old:  "			v.drop = ErrOverflow\n",
			New:  "",
			Want: "dropped: 0, want 6",
			Run:  "^TestBuffers$",
		},
		{
			Name: "a batch is not interrupted",
			File: "state.go",
			Old:  "	if s&running != 0 && bit != Data.bit() {\n",
			New:  "	if false {\n",
			Want: "a control message waited until",
			Run:  "^TestUrgentMessageInterruptsABatch$",
		},
		{
			Name: "the newest slides away",
			File: "overflow.go",
			Old:  "v.lose(p, which, true, ErrOverflow)",
			New:  "v.lose(p, which, false, ErrOverflow)",
			Want: "want [7 8 9 10]",
			Run:  "^TestBuffers$",
		},
		{
			Name: "what was dropped is no dead letter",
			File: "overflow.go",
			Old:  "	if len(v.lost) > 0 {\n		p.lost",
			New:  "	if false {\n		p.lost",
			Want: "dead letters: [], want [1 2 3 4 5 6]",
			Run:  "^TestBuffers$",
		},
		{
			Name: "what was dropped counts as handled",
			File: "overflow.go",
			Old:  "		p.handled-- // It will count as taken.\n",
			New:  "",
			Want: "messages handled: 11, want 5",
			Run:  "^TestBuffers$",
		},
		{
			Name: "what is urgent gives way",
			File: "limit.go",
			Old:  "	for which := Data; which <= than; which++ {\n",
			New:  "	for which := Control; which < numLanes; which-- {\n",
			Want: "FAIL",
			Run:  "^TestShedByItems$",
		},
		{
			Name: "what is less urgent drops what is more",
			File: "limit.go",
			Old:  "	for which := Data; which <= than; which++ {\n",
			New:  "	for which := Data; which <= Control; which++ {\n",
			Want: "FAIL",
			Run:  "^TestLimitSparesWhatIsUrgent$",
		},
		{
			Name: "what was handled still weighs",
			File: "lane.go",
			Old:  "		if l.meter != nil && l.size > 0 {\n			l.meter.drop(true)\n		}\n",
			New:  "",
			Want: "FAIL",
			Run:  "^TestShedByBytes$",
		},
		{
			Name: "senders that waited pass the limit",
			File: "lane.go",
			Old:  "		if l.meter != nil && !l.meter.takes(w.size) {\n",
			New:  "		if false {\n",
			Want: "dead letters: [], want [5]",
			Run:  "^TestLimitOfWaitingSenders$",
		},
		{
			Name: "a burst is as long as the throughput",
			File: "burst.go",
			Old:  "		left := int(b.of[which] - b.spent[which].Load())\n",
			New:  "		left := budget\n",
			Want: "FAIL",
			Run:  "^TestBursts$",
		},
		{
			Name: "what is claimed is left out of a snapshot",
			File: "info.go",
			Old:  "left := l.size - int(l.taken.Load())",
			New:  "left := int(max(0, l.unclaimed.Load()))",
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
			File: "buffers.go",
			Old:  "	b.push(*w.message.(*M))\n",
			New:  "	b.in = append(append(b.in[:b.lane.skipped:b.lane.skipped], *w.message.(*M)), b.in[b.lane.skipped:]...)\n",
			Want: "to which it led",
		},
		{
			Name: "what a killed actor had in hand goes last",
			File: "buffers.go",
			Old:  "	copy(fresh.in, out)\n	copy(fresh.in[len(out):], in)\n",
			New:  "	copy(fresh.in, in)\n	copy(fresh.in[len(in):], out)\n",
			Want: "to which it led",
		},
	},
}
