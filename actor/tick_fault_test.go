//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var tickFaults = planted.Group{
	Run: "^(TestStopTakesBackWaitingMessages|TestTickOfAnOwnerThatEnds|TestTicksInLanesThatDrop|TestTickThatWaitsForReaders|TestTicksAtTheEnd|TestTickForTheNextIncarnation|TestTicksAreMeasured|TestAskByATimer|TestNoTickIsEarly|TestOneAlarmForAllTimers|TestTimersBehindATimerThatExits|TestReceiverOfTimersThatWaitDrains|TestReceiverOfTimersThatWaitStops)$",
	Faults: []planted.Fault{
		{
			Name: "a stop leaves what waits",
			In:   "timer.revoke",
			Old: `t.leaveLane(l)
woken = l.takeIn(nil)`,
			New:  "woken = l.takeIn(nil)",
			Want: "the stop was not in time",
			Run:  "^TestStopTakesBackWaitingMessages$",
		},
		{
			Name: "timers are sent for before their time",
			In:   "dues.next",
			Old:  "d.heap[0].at > now",
			New:  "d.heap[0].at > now+time.Millisecond",
			Want: "FAIL",
			Run:  "^TestNoTickIsEarly$",
		},
		{
			Name: "an alarm for a later timer is left as it is",
			In:   "dues.setAlarm",
			Old:  "d.armed && d.rings <= d.heap[0].at",
			New:  "d.armed",
			Want: "sent: ",
			Run:  "^TestOneAlarmForAllTimers$",
		},
		{
			Name: "an alarm that has rung is not set for the next timer",
			In:   "rare.nextDue",
			Old:  "r.dues.setAlarm(p)",
			New:  "",
			Want: "sent: ",
			Run:  "^TestOneAlarmForAllTimers$",
		},
		{
			Name: "a timer that is stopped takes the alarm of the others along",
			In:   "dues.remove",
			Old:  "last == 0",
			New:  "last >= 0",
			Want: "sent: ",
			Run:  "^TestOneAlarmForAllTimers$",
		},
		{
			Name: "timers behind one whose observer exits are never sent for",
			In:   "proc.sendDue",
			Old:  "!over",
			New:  "!over && false",
			Want: "nothing came",
			Run:  "^TestTimersBehindATimerThatExits$",
			Hang: true,
		},
		{
			Name: "what a drain refuses is forgotten behind an observer that exits",
			In:   "waiters.turnAway",
			Old:  "len(refused) > 0",
			New:  "false",
			Nth:  1,
			Want: "FAIL",
			Run:  "^TestReceiverOfTimersThatWaitDrains$",
			Hang: true,
		},
		{
			Name: "what waits for room at a stop is no dead letter",
			In:   "leftovers.takeRefused",
			Old:  "w.timer != nil",
			New:  "false",
			Nth:  1,
			Want: "dead letters, want",
			Run:  "^TestReceiverOfTimersThatWaitStops$",
		},
		{
			Name: "ticks take no room",
			In:   "lane.countTicks",
			Old:  "l.fullAt = l.capacity - l.ticks",
			New:  "",
			Want: "FAIL",
			Run:  "^TestStopTakesBackWaitingMessages$",
		},
		{
			Name: "an actor handles what it had sent itself before it began again",
			In:   "proc.cancelTimers",
			Old:  "t.cancel(ErrStopped)",
			New: `t.mu.Lock()
t.over = true
t.mu.Unlock()`,
			Want: "want \"b\"",
			Run:  "^TestTickOfAnOwnerThatEnds$",
		},
		{
			Name: "what an actor has sent itself is a dead letter",
			In:   "proc.dropTick",
			Old:  "t.timed().owner == p && p.phase.Load() == stopping",
			New:  "false",
			Want: "dead dead dead",
			Run:  "^TestTicksAtTheEnd$",
		},
		{
			Name: "ticks don't slide away",
			In:   "verdict.lose",
			Old:  "t != nil",
			New:  "t != nil && l.contents.pending() == 0",
			Nth:  1,
			Want: "FAIL",
			Run:  "^TestTicksInLanesThatDrop$",
		},
		{
			Name: "a write does not wait for readers",
			In:   "activation.takeMark",
			Old:  "a.reentrancy == sharedReads && m != reads && !t.timed().untold && len(a.turnsLocked().away) > 0",
			New:  "m == reads",
			Want: "the stop was late",
			Run:  "^TestTickThatWaitsForReaders$",
		},
		{
			Name: "a restart forgets what is called after the backlog",
			In:   "proc.unmarkSignals",
			Old:  "s.after == nil",
			New:  "s != nil",
			Want: "FAIL",
			Run:  "^TestAfterBacklogOverARestart$",
			Hang: true,
		},
		{
			Name: "the end forgets what is called after the backlog",
			In:   "proc.unmarkAfter",
			Old:  "s.after != nil",
			New:  "s == nil",
			Want: "FAIL",
			Run:  "^TestAfterBacklogAtTheEnd$",
			Hang: true,
		},
		{
			Name: "a restart forgets the ticks of others",
			In:   "proc.eachSignal",
			Old: `if s, ok := m.of.(*signal); ok {
	do(s)
}`,
			New: `if s, ok := m.of.(*signal); ok {
	do(s)
} else {
	p.unmark(m, Data)
}`,
			Want: "FAIL",
			Run:  "^TestTickForTheNextIncarnation$",
		},
		{
			Name: "ticks have no number of their own",
			In:   "lane.join",
			Old: `l.swapped++
st := l.stamp`,
			New:  "st := l.stamp",
			Want: "FAIL",
			Run:  "^TestTicksAreMeasured$",
		},
		{
			Name: "who has asked by what is taken back is not told",
			In:   "timer.revoke",
			Old:  "p.abandon(letter{message: m.message()}, reason)",
			New:  "",
			Want: "deadlock",
			Run:  "^TestAskByATimer$",
		},
		{
			Name: "a tick comes before what waited already",
			In:   "proc.place",
			Old:  "l.arrived() - s.taken",
			New:  "l.swapped - s.taken",
			Want: "want \"a b kept c\"",
			Run:  "^TestStopTakesBackWaitingMessages$",
		},
	},
}

var tickModelFaults = planted.Group{
	Run: "^TestModel$/^tick$/^(room_for_a_sender|stopped_by_its_receiver)$",
	Faults: []planted.Fault{
		{
			Name: "what has come since the last swap is forgotten behind a mark",
			In:   "activation.handleLane",
			Old:  "a.fetched == fromLane",
			New:  "a.fetched == fromLane || l.ready() == 0",
			Want: "deadlock",
			Run:  "^TestModel$/^tick$/^stopped_by_its_receiver$",
		},
		{
			Name: "the room of a tick that is taken back stays empty",
			In:   "timer.revoke",
			Old:  "woken = l.takeIn(nil)",
			New:  "",
			Want: "deadlock",
			Run:  "^TestModel$/^tick$/^room_for_a_sender$",
		},
	},
}
