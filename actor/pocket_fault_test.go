//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

// pocketModelFaults are about the steps of sender and consumer at a pocket.
var pocketModelFaults = planted.Group{
	Run: "^TestModel$/^pocket$",
	Faults: []planted.Fault{
		{
			Name: "a message in hand is there for others",
			In:   "proc.reachLocked",
			Old:  "xatomic.Release(&p.pocket, pocketInHand)",
			New:  "",
			Want: "FAIL",
			Run:  "^TestModel$/^pocket$/^two_senders$",
		},
		{
			Name: "the pocket is open before its message is out",
			In:   "proc.reachLocked",
			Old:  "xatomic.Release(&p.pocket, pocketInHand)",
			New:  "xatomic.Release(&p.pocket, pocketOpen)",
			Want: "FAIL",
			Run:  "^TestModel$/^pocket$/^two_senders$",
		},
		{
			Name: "a full pocket is taken for an open one",
			In:   "proc.firstLane",
			Old:  "s == pocketOpen || s == pocketNew && p.suitsPocket()",
			New:  "s == pocketOpen || s == pocketFull || s == pocketNew && p.suitsPocket()",
			Want: "FAIL",
			Run:  "^TestModel$/^pocket$/^two_senders$",
		},
		{
			Name: "the lane leaves the message behind",
			In:   "proc.laneLocked",
			Old: `if which == Data && p.pocketed() != 0 {
	p.fillFromPocket(l)
}`,
			New:  "",
			Want: "FAIL",
			Run:  "^TestModel$/^pocket$/^two_senders$",
		},
		{
			Name: "what is in hand waits for other news",
			In:   "activation.work",
			Old: `if a.fetched < fromPocket {
	a.listen()
}`,
			New:  "a.listen()",
			Want: "FAIL",
			Run:  "^TestModel$/^pocket$/^something_urgent$",
		},
		{
			Name: "a lane that was made just now is taken for none",
			In:   "activation.reach",
			Old: `if a.lanes[Data].Load() == nil {
	a.todo &^= Data.bit() // What comes later is announced.
}`,
			New:  "a.todo &^= Data.bit()",
			Want: "deadlock",
			Run:  "^TestModel$/^pocket$/^no_room$",
		},
		{
			Name: "a message is lost with its actor",
			In:   "activation.handlePocket",
			Old: `a.dropPocket()
a.vanish()`,
			New:  "a.vanish()",
			Want: "FAIL",
			Run:  "^TestModel$/^pocket$/^kill$",
		},
		{
			Name: "a ghost takes what is in the pocket of the next incarnation",
			In:   "activation.reach",
			Old: `if state&termBits != a.term {
	a.mu.Release(state)
	a.vanish() // What is there belongs to the next.
}`,
			New: `if false {
	a.vanish() // What is there belongs to the next.
}`,
			Want: "was not the next incarnation's",
			Run:  "^TestModel$/^pocket$/^kill_behind_something_else$",
		},
		{
			Name: "a ghost takes what is in the lane of the next incarnation",
			In:   "activation.refill",
			Old: `if state&termBits != a.term {
	a.mu.Release(state)
	a.vanish() // What is there belongs to the next.
}`,
			New: `if false {
	a.vanish() // What is there belongs to the next.
}`,
			Want: "was not the next incarnation's",
			Run:  "^TestModel$/^pocket$/^kill_with_something_urgent$",
		},
		{
			Name: "a drain forgets the pocket",
			In:   "activation.lanesDone",
			Old:  "a.pocketed() == 0",
			New:  "true",
			Want: "FAIL",
			Run:  "^TestModel$/^pocket$/^stop$",
		},
	},
}

// pocketFaults are about what else has to know of a pocket.
var pocketFaults = planted.Group{
	Run: "^(TestPocket.*|TestActorsWithoutAPocket|TestOneMessageNeedsNoLane|TestInfoOfAPocket|TestProbeOfAPocket|TestSamples.*|TestRestartWithoutThePocket|TestDownAtTheEndOfADrain|TestUrgentMessageLeavesWhatComesMeanwhile)$",
	Faults: []planted.Fault{
		{
			Name: "a message that may hold a reply is in the pocket",
			In:   "proc.suitsPocket",
			Old: `o.reentrancy == NoReentrancy && o.overflow == nil && o.bursts == nil && o.retry == 0 &&
	messageTypeOf(p.impl.messageType()).fitsPocket()`,
			New:  "o.reentrancy == NoReentrancy && o.overflow == nil && o.bursts == nil && o.retry == 0",
			Want: "the message may hold a reply, and is in the pocket",
			Run:  "^TestActorsWithoutAPocket$",
		},
		{
			Name: "a burst has a pocket",
			In:   "proc.suitsPocket",
			Old:  "o.reentrancy == NoReentrancy && o.overflow == nil && o.bursts == nil && o.retry == 0",
			New:  "o.reentrancy == NoReentrancy && o.overflow == nil && o.retry == 0",
			Want: "burst: the message is in the pocket",
			Run:  "^TestActorsWithoutAPocket$",
		},
		{
			Name: "a retry has a pocket",
			In:   "proc.suitsPocket",
			Old:  "o.retry == 0",
			New:  "o.retry >= 0",
			Want: "retry: the message is in the pocket",
			Run:  "^TestActorsWithoutAPocket$",
		},
		{
			Name: "a reentrant actor has a pocket",
			In:   "proc.suitsPocket",
			Old:  "o.reentrancy == NoReentrancy && o.overflow == nil",
			New:  "o.overflow == nil",
			Want: "reentrant: the message is in the pocket",
			Run:  "^TestActorsWithoutAPocket$",
		},
		{
			Name: "a limit has a pocket",
			In:   "proc.suitsPocket",
			Old:  "o.reentrancy == NoReentrancy && o.overflow == nil && o.bursts == nil",
			New:  "o.reentrancy == NoReentrancy && o.bursts == nil",
			Want: "the message is in the pocket",
			Run:  "^TestActorsWithoutAPocket$",
		},
		{
			Name: "what is urgent takes along what is in the pocket",
			In:   "activation.listen",
			Old:  "a.todo == 0 && a.inCode && !a.urgentOnly",
			New:  "a.todo == 0 && a.inCode",
			Want: "got message 2, want 1",
			Run:  "^TestUrgentMessageLeavesWhatComesMeanwhile$",
		},
		{
			Name: "the pocket stays closed",
			In:   "Context.unpocket",
			Old:  "c.proc.openPocket()",
			New:  "",
			Want: "and there is a lane",
			Run:  "^TestPocketInSteps$/^real$",
		},
		{
			Name: "the pocket keeps its message",
			In:   "Context.unpocket",
			Old:  "m, *at = *at, m",
			New:  "m = *at",
			Want: "FAIL",
			Run:  "^TestPocketedMessagesAreReleased$",
			Hang: true,
		},
		{
			Name: "the pocket keeps a message that went into the lane",
			In:   "proc.fillFromPocket",
			Old:  "reflect.ValueOf(at).Elem().SetZero()",
			New:  "",
			Want: "FAIL",
			Run:  "^TestPocketedMessagesAreReleased$",
			Hang: true,
		},
		{
			Name: "the pocket is full beside a lane",
			In:   "proc.fillFromPocket",
			Old:  "p.openPocket()",
			New:  "",
			Want: "with two in the lane",
			Run:  "^TestInfoOfAPocket$",
		},
		{
			Name: "a message of the pocket is not counted",
			In:   "proc.reachLocked",
			Old:  "p.handled++",
			New:  "",
			Want: "at last",
			Run:  "^TestInfoOfAPocket$",
		},
		{
			Name: "a stamp is left in the pocket",
			In:   "proc.laneLocked",
			Old: `p.moveStamp(l)
l.aim()`,
			New:  "l.aim()",
			Want: "latencies and durations",
			Run:  "^TestSamplesOfAPocket$",
		},
		{
			Name: "the next message of the pocket has the stamp of the one in hand",
			In:   "proc.reachStamp",
			Old:  "g.sent, g.known = g.take(n)",
			New:  "g.sent, g.known = g.when+time.Second, true",
			Want: "latencies and durations",
			Run:  "^TestSamplesOfAPocket$",
		},
		{
			Name: "a message of the pocket is measured out of turn",
			In:   "proc.gaugeOf",
			Old:  "!g.due(n)",
			New:  "g.due(n + 1)",
			Want: "are measured",
			Run:  "^TestSamples(AreRegular|OfABusyActorAreFewer)$",
		},
		{
			Name: "a message of the pocket is not in the mailbox",
			In:   "proc.describeMailbox",
			Old:  "i.Mailbox[Data] += p.pocketed()",
			New:  "",
			Want: "with one in the pocket",
			Run:  "^TestInfoOfAPocket$",
		},
		{
			Name: "a message of the pocket is not in the backlog",
			In:   "proc.backlog",
			Old: `if p.reentrancy != NoReentrancy {
	n += p.suspended()
}
n += p.pocketed()`,
			New: `if p.reentrancy != NoReentrancy {
	n += p.suspended()
}`,
			Want: "with one in the pocket",
			Run:  "^TestInfoOfAPocket$",
		},
		{
			Name: "a probe is not told of the pocket",
			In:   "proc.reachLocked",
			Old:  "o != nil && o.mayMeasure(p, p.handled-1) && p.reachStamp(o)",
			New:  "o != nil && false",
			Want: "FAIL",
			Run:  "^TestProbeOfAPocket$",
			Hang: true,
		},
		{
			Name: "a message of the pocket is not stamped",
			In:   "proc.firstLane",
			Old:  "p.stampPocket(o)",
			New:  "",
			Want: "of a message that came after the probe",
			Run:  "^TestProbeOfAPocket$",
		},
		{
			Name: "a drain does not look into the pocket",
			In:   "activation.findMessages",
			Old:  "a.pocketed() != 0",
			New:  "false",
			Want: "FAIL",
			Run:  "^TestPocketOfASuspendedActor$",
		},
		{
			Name: "an end does not empty the pocket",
			In:   "activation.closeLanes",
			Old:  "a.emptyPocket()",
			New:  "",
			Want: "dead letters",
			Run:  "^TestPocketAtTheEnd$/^stop$",
		},
		{
			Name: "a restart does not empty the pocket",
			In:   "activation.dropMail",
			Old:  "a.emptyPocket()",
			New:  "",
			Want: "FAIL",
			Run:  "^TestRestartWithoutThePocket$",
		},
		{
			Name: "a drain without a lane knows no marks",
			In:   "proc.mark",
			Old:  "p.closed && p.phase.Load() == stopping && p.lanes[Data].Load() == nil",
			New:  "p.closed && p.lanes[Data].Load() == nil",
			Want: "it was not told of the end",
			Run:  "^TestDownAtTheEndOfADrain$",
		},
		{
			Name: "who takes over forgets the pocket",
			In:   "activation.rescue",
			Old: `if a.pocketed() != 0 {
	a.todo |= Data.bit()
}`,
			New:  "",
			Want: "FAIL",
			Run:  "^TestPocketBehindAKilledHandler$",
			Hang: true,
		},
	},
}
