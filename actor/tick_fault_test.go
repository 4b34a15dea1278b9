//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var tickFaults = planted.Group{
	Run: "^(TestStopTakesBackWhatWaits|TestTickOfAnOwnerThatEnds|TestTicksInLanesThatDrop|TestTickThatWaitsForReaders|TestTicksAtTheEnd|TestTickForTheNextIncarnation|TestTicksAreMeasured|TestAskByATimer)$",
	Faults: []planted.Fault{
		{
			Name: "a stop leaves what waits",
			File: "tick.go",
			Old:  "	case entered:\n		t.leaveLane(l)\n",
			New:  "	case entered:\n",
			Want: "the stop was not in time",
			Run:  "^TestStopTakesBackWhatWaits$",
		},
		{
			Name: "ticks take no room",
			File: "tick.go",
			Old:  "		l.fullAt = l.capacity - l.ticks\n",
			New:  "",
			Want: "FAIL",
			Run:  "^TestStopTakesBackWhatWaits$",
		},
		{
			Name: "an actor handles what it had sent itself before it began again",
			File: "timer.go",
			Old:  "		t.cancel(ErrStopped)\n",
			New:  "		t.mu.Lock()\n		t.over = true\n		t.alarm.Stop()\n		t.mu.Unlock()\n",
			Want: "want \"b\"",
			Run:  "^TestTickOfAnOwnerThatEnds$",
		},
		{
			Name: "what an actor has sent itself is a dead letter",
			File: "deadletter.go",
			Old:  "	if t.timed().owner == p && p.phase.Load() == stopping {\n",
			New:  "	if false {\n",
			Want: "dead dead dead",
			Run:  "^TestTicksAtTheEnd$",
		},
		{
			Name: "ticks don't slide away",
			File: "overflow.go",
			Old:  "	if t := p.tickAtEnd(which, l, oldest); t != nil {\n",
			New:  "	if t := p.tickAtEnd(which, l, oldest); t != nil && l.contents.pending() == 0 {\n",
			Want: "FAIL",
			Run:  "^TestTicksInLanesThatDrop$",
		},
		{
			Name: "a write does not wait for readers",
			File: "mark.go",
			Old:  "	case a.reentrancy == sharedReads && m != reads && !t.timed().untold && len(a.turnsLocked().away) > 0:\n		return m, turnOfReader\n",
			New:  "	case m == reads:\n		return m, turnOfReader\n",
			Want: "the stop was late",
			Run:  "^TestTickThatWaitsForReaders$",
		},
		{
			Name: "a restart forgets the ticks of others",
			File: "mark.go",
			Old:  "			if _, ok := m.of.(*signal); ok {\n",
			New:  "			if m.of != nil {\n",
			Want: "FAIL",
			Run:  "^TestTickForTheNextIncarnation$",
		},
		{
			Name: "ticks have no number of their own",
			File: "tick.go",
			Old:  "	l.swapped++\n	st := l.stamp\n",
			New:  "	st := l.stamp\n",
			Want: "FAIL",
			Run:  "^TestTicksAreMeasured$",
		},
		{
			Name: "who has asked by what is taken back is not told",
			File: "tick.go",
			Old:  "	if reason != nil {\n		p.abandon(m.message(), reason)\n	}\n",
			New:  "	_ = reason\n",
			Want: "deadlock",
			Run:  "^TestAskByATimer$",
		},
		{
			Name: "a tick comes before what waited already",
			File: "mark.go",
			Old:  "	m.at = l.arrived() - s.taken\n",
			New:  "	m.at = l.swapped - s.taken\n",
			Want: "want \"a b kept c\"",
			Run:  "^TestStopTakesBackWhatWaits$",
		},
	},
}

var tickModelFaults = planted.Group{
	Run: "^TestModel$/^tick$/^(room_for_a_sender|stopped_by_its_receiver)$",
	Faults: []planted.Fault{
		{
			Name: "what has come since the last swap is forgotten behind a mark",
			File: "activation.go",
			Old:  "	fresh := a.fetched == fromLane\n",
			New:  "	fresh := a.fetched == fromLane || l.ready() == 0\n",
			Want: "deadlock",
			Run:  "^TestModel$/^tick$/^stopped_by_its_receiver$",
		},
		{
			Name: "the room of a tick that is taken back stays empty",
			File: "tick.go",
			Old:  "		woken = l.takeIn(nil)\n",
			New:  "",
			Want: "deadlock",
			Run:  "^TestModel$/^tick$/^room_for_a_sender$",
		},
	},
}
