//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var readerFaults = planted.Group{
	Run: "^Test(SharedActorsUnderSimulation|AWriteWaitsForReads|RingThroughReaders|KillOfReaders|AskOfAReaderThatFails|GhostThatIsAboutToRead|GhostThatIsAboutToTakeATick)$",
	Faults: []planted.Fault{
		{
			Name: "a write does not wait for readers",
			In:   "activation.awaitReaders",
			Old:  "len(t.away) > 0",
			New:  "false && len(t.away) > 0",
			Want: "readers and",
			Run:  "^TestSharedActorsUnderSimulation$",
		},
		{
			Name: "the last reader does not let the write begin",
			In:   "activation.endRead",
			Old: `if announce {
	p.announce(a.f, pendingTurn)
}`,
			New: `if announce && ghost {
	p.announce(a.f, pendingTurn)
}`,
			Want: "somebody waits still",
			Run:  "^TestSharedActorsUnderSimulation$",
		},
		{
			Name: "a write that waits makes no rings",
			In:   "activation.awaitReaders",
			Old: `if asked.slot != nil {
	a.breakRing(asked)
}
for _, e := range a.EdgesFor(nil) {
	a.breakRing(address{e.wait, e.round})
}`,
			New: `for _, e := range a.EdgesFor(nil)[:0] {
	a.breakRing(address{e.wait, e.round})
}`,
			Want: "FAIL",
			Run:  "^TestRingThroughReaders$",
			Hang: true,
		},
		{
			Name: "who asks a reader that panics is not told",
			In:   "activation.crashRead",
			Old:  "a.abandon(m, err)",
			New:  "",
			Want: "FAIL",
			Run:  "^TestAskOfAReaderThatFails$",
			Hang: true,
		},
		{
			Name: "a ghost reads beside the next incarnation",
			In:   "activation.handleShared",
			Old:  "a.mu.Load()&termBits != a.term",
			New:  "false",
			Want: "want \"one two\"",
			Run:  "^TestGhostThatIsAboutToRead$",
		},
		{
			Name: "a ghost is among the readers of the next incarnation",
			In:   "activation.beginRead",
			Old:  "a.mu.Load()&termBits != a.term",
			New:  "false",
			Want: "want \"one slow two write\"",
			Run:  "^TestGhostThatIsAboutToRead$",
		},
		{
			Name: "a ghost that is about to write keeps readers out",
			In:   "activation.awaitReaders",
			Old: `if a.mu.Load()&termBits != a.term {
	a.mu.Unlock()
	return true
}`,
			New: `if false {
	return true
}`,
			Want: "want \"zero slow one two\"",
			Run:  "^TestGhostThatIsAboutToTakeATick$",
		},
		{
			Name: "a ghost takes the tick of the next incarnation",
			In:   "activation.takeMark",
			Old:  "a.mu.Load()&termBits != a.term",
			New:  "false",
			Want: "FAIL",
			Run:  "^TestGhostThatIsAboutToTakeATick$",
		},
		{
			Name: "what a reader does not handle is no dead letter",
			In:   "activation.concludeRead",
			Old: `if unhandled {
	a.deadLetter(which, m, err)
}`,
			New:  "_ = unhandled",
			Want: "FAIL",
			Run:  "^TestAskOfAReaderThatFails$",
			Hang: true,
		},
	},
}

var turnFaults = planted.Group{
	Run: "^Test(ReentrancyOfACallBack|TurnsAreFirstComeFirstServed|CallChainKeepsOthersOut|StopWaitsForSuspendedHandlers" +
		"|FailureOfOneOfSeveralHandlers|RingThroughAReentrantActor|ReentrantActorsUnderSimulation|LaneOfASuspendedHandler)$",
	Faults: []planted.Fault{
		{
			Name: "the turn is not given up",
			In:   "turn.GiveUp",
			Old:  "given := p.transitionFromRunning(a.f, a.todo, a.term, false)",
			New:  "given := true",
			Want: "somebody waits still",
			Run:  "^TestReentrantActorsUnderSimulation$",
		},
		{
			Name: "the last who came back goes first",
			In:   "activation.admit",
			Old:  "t.queue = slices.Delete(t.queue, 0, 1)",
			New:  "e, t.queue = t.queue[len(t.queue)-1], t.queue[:len(t.queue)-1]",
			Want: "the order is",
			Run:  "^TestTurnsAreFirstComeFirstServed$",
		},
		{
			Name: "a message of the call chain is not let in",
			In:   "proc.invitesLocked",
			Old:  "asked.slot != nil && p.hasRoomLocked() && p.inChain(asked)",
			New:  "false",
			Want: "a ring of actors",
			Run:  "^TestReentrancyOfACallBack$",
		},
		{
			Name: "a message that is not of the call chain is handled",
			In:   "proc.isCrowded",
			Old:  "p.reentrancy == CallChainReentrancy && n > 0 || n >= p.opts.maxSuspended",
			New:  "n >= p.opts.maxSuspended",
			Want: "the order is",
			Run:  "^TestCallChainKeepsOthersOut$",
		},
		{
			Name: "the end does not wait for handlers",
			In:   "activation.handlersAway",
			Old:  "a.reentrancy != NoReentrancy && a.suspended() > 0",
			New:  "false",
			Want: "deadlock",
			Run:  "^TestReentrantActorsUnderSimulation$",
		},
		{
			Name: "nobody goes on with the end",
			In:   "activation.goOnEnding",
			Old: `if due {
	a.leave()
	a.windDown()
}`,
			New: `if due && a.barred {
	a.leave()
	a.windDown()
}`,
			Want: "deadlock",
			Run:  "^TestReentrantActorsUnderSimulation$",
		},
		{
			Name: "a handler is not known by what it was asked",
			In:   "edge.HandledIn",
			Old:  "e.kind == AskWait && e.wait != nil && n.up == address{e.wait, e.round}",
			New:  "false",
			Want: "FAIL",
			Run:  "^TestRingThroughAReentrantActor$",
			Hang: true,
		},
		{
			Name: "a handler that has waited takes its message for the last one",
			In:   "turn.TakeBack",
			Old:  "t.scope.lane, t.scope.asked = t.lane, t.asked",
			New:  "",
			Want: "FAIL",
			Run:  "^TestLaneOfASuspendedHandler$",
		},
	},
}
