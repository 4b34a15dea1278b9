//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var readerFaults = planted.Group{
	Run: "^Test(SharedActorsUnderSimulation|AWriteWaitsForReads|RingThroughReaders|KillOfReaders|AskOfAReaderThatFails|GhostThatIsAboutToRead|GhostThatIsAboutToTakeATick)$",
	Faults: []planted.Fault{
		{
			Name: "a write does not wait for readers",
			File: "reader.go",
			Old:  "	waits := len(t.away) > 0\n",
			New:  "	waits := false && len(t.away) > 0\n",
			Want: "readers and",
			Run:  "^TestSharedActorsUnderSimulation$",
		},
		{
			Name: "the last reader does not let the write begin",
			File: "reader.go",
			Old:  "	if announce {\n",
			New:  "	if announce && ghost {\n",
			Want: "somebody waits still",
			Run:  "^TestSharedActorsUnderSimulation$",
		},
		{
			Name: "a write that waits makes no rings",
			File: "reader.go",
			Old:  "	if asked.slot != nil {\n		a.breakRing(asked)\n	}\n	for _, e := range a.edges() {\n",
			New:  "	for _, e := range a.edges()[:0] {\n",
			Want: "FAIL",
			Run:  "^TestRingThroughReaders$",
			Hang: true,
		},
		{
			Name: "who asks a reader that panics is not told",
			File: "reader.go",
			Old:  "	a.abandon(m, err)\n	if v == nil {\n",
			New:  "	if v == nil {\n",
			Want: "FAIL",
			Run:  "^TestAskOfAReaderThatFails$",
			Hang: true,
		},
		{
			Name: "a ghost reads beside the next incarnation",
			File: "reader.go",
			Old:  "	case a.mu.Load()&termBits != a.term:\n		return nil",
			New:  "	case false:\n		return nil",
			Want: "want \"one two\"",
			Run:  "^TestGhostThatIsAboutToRead$",
		},
		{
			Name: "a ghost is among the readers of the next incarnation",
			File: "reader.go",
			Old:  "	if a.mu.Load()&termBits != a.term { // A ghost",
			New:  "	if false { // A ghost",
			Want: "want \"one slow two write\"",
			Run:  "^TestGhostThatIsAboutToRead$",
		},
		{
			Name: "a ghost that is about to write keeps readers out",
			File: "reader.go",
			Old:  "	if a.mu.Load()&termBits != a.term {\n		a.mu.Unlock()\n		return true\n",
			New:  "	if false {\n		return true\n",
			Want: "want \"zero slow one two\"",
			Run:  "^TestGhostThatIsAboutToTakeATick$",
		},
		{
			Name: "a ghost takes the tick of the next incarnation",
			File: "mark.go",
			Old:  "	if a.mu.Load()&termBits != a.term {\n		return nil, turnOfUrgent",
			New:  "	if false {\n		return nil, turnOfUrgent",
			Want: "FAIL",
			Run:  "^TestGhostThatIsAboutToTakeATick$",
		},
		{
			Name: "what a reader does not handle is no dead letter",
			File: "reader.go",
			Old:  "		if unhandled {\n			a.deadLetter(which, m, err)\n		}\n		if bears",
			New:  "		_ = unhandled\n		if bears",
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
			File: "turn.go",
			Old:  "	if p.transitionFromRunning(a.f, a.todo, a.term, false) {\n		return\n	}\n",
			New:  "	return\n",
			Want: "somebody waits still",
			Run:  "^TestReentrantActorsUnderSimulation$",
		},
		{
			Name: "the last who came back goes first",
			File: "turns.go",
			Old:  "	t.queue = slices.Delete(t.queue, 0, 1)\n	if len(t.queue) == 0 {",
			New:  "	e, t.queue = t.queue[len(t.queue)-1], t.queue[:len(t.queue)-1]\n	if len(t.queue) == 0 {",
			Want: "the order is",
			Run:  "^TestTurnsAreFirstComeFirstServed$",
		},
		{
			Name: "a message of the call chain is not let in",
			File: "chain.go",
			Old:  "	return asked.slot != nil && p.hasRoomLocked() && p.inChain(asked)\n",
			New:  "	return false\n",
			Want: "a ring of actors",
			Run:  "^TestReentrancyOfACallBack$",
		},
		{
			Name: "a message that is not of the call chain is handled",
			File: "turns.go",
			Old:  "	return p.reentrancy == CallChainReentrancy && n > 0 || n >= p.opts.maxSuspended\n",
			New:  "	return n >= p.opts.maxSuspended\n",
			Want: "the order is",
			Run:  "^TestCallChainKeepsOthersOut$",
		},
		{
			Name: "the end does not wait for handlers",
			File: "turns.go",
			Old:  "	return a.reentrancy != NoReentrancy && a.suspended() > 0\n",
			New:  "	return false\n",
			Want: "deadlock",
			Run:  "^TestReentrantActorsUnderSimulation$",
		},
		{
			Name: "nobody goes on with the end",
			File: "turns.go",
			Old:  "	if due {\n",
			New:  "	if due && a.barred {\n",
			Want: "deadlock",
			Run:  "^TestReentrantActorsUnderSimulation$",
		},
		{
			Name: "a handler is not known by what it was asked",
			File: "ring.go",
			Old:  "	return e.kind == AskWait && e.wait != nil && n.up == address{e.wait, e.round}\n",
			New:  "	return false\n",
			Want: "FAIL",
			Run:  "^TestRingThroughAReentrantActor$",
			Hang: true,
		},
		{
			Name: "a handler that has waited takes its message for the last one",
			File: "turn.go",
			Old:  "	t.scope.lane, t.scope.asked = t.lane, t.asked\n	a.inCode",
			New:  "	a.inCode",
			Want: "FAIL",
			Run:  "^TestLaneOfASuspendedHandler$",
		},
	},
}
