//go:build !race && !invariants

package task_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that none of what a group, a scope or a shield
// promises can be lost unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", joinerFaults, groupFaults, scopeFaults, keptFaults)
}

var joinerFaults = planted.Group{
	Run: "^Test(AllCompleted|Kotlin|Trio|FirstFailure|Loom|Quorum|ACustomJoiner|OutcomeErr)",
	Faults: []planted.Fault{
		{
			Name: "a cancelled task counts as failed",
			File: "joiners.go",
			Old:  "return st != sched.JobCompleted && st != sched.JobCancelled",
			New:  "return st != sched.JobCompleted",
			Want: "FAIL: TestKotlinACancelledTaskIsNoFailure",
			Run:  "^TestKotlinACancelledTaskIsNoFailure$",
		},
		{
			Name: "a failure does not decide",
			File: "joiners.go",
			Old:  "return t != nil && failed(t)",
			New:  "return t != nil && t.State() == sched.JobTimedOut",
			Want: "FAIL: TestDecisionsUnderAllSchedules",
			Run:  "^TestDecisionsUnderAllSchedules$",
		},
		{
			Name: "any end is a success",
			File: "joiners.go",
			Old:  "	return t != nil && t.State() == sched.JobCompleted\n",
			New:  "	return t != nil\n",
			Want: "FAIL: TestDecisionsUnderAllSchedules",
			Run:  "^TestDecisionsUnderAllSchedules$",
		},
		{
			Name: "a quorum needs one more",
			File: "joiners.go",
			Old:  "return c.Succeeded >= q.n ||",
			New:  "return c.Succeeded > q.n ||",
			Want: "FAIL: TestDecisionsUnderAllSchedules",
			Run:  "^TestDecisionsUnderAllSchedules$",
		},
		{
			Name: "a quorum out of reach is waited for",
			File: "joiners.go",
			Old:  " || c.Joining && c.Succeeded+c.Left() < q.n",
			New:  "",
			Want: "FAIL: TestDecisionsUnderAllSchedules",
			Run:  "^TestDecisionsUnderAllSchedules$",
		},
		{
			Name: "a quorum is given up before Join",
			File: "joiners.go",
			Old:  "c.Joining && c.Succeeded+c.Left() < q.n",
			New:  "c.Succeeded+c.Left() < q.n",
			Want: "FAIL: TestAQuorumIsNotGivenUpBeforeJoin",
			Run:  "^TestAQuorumIsNotGivenUpBeforeJoin$",
		},
		{
			Name: "the values come in the order of ends",
			File: "joiner.go",
			Old:  "	for t := range o.each {\n		var value T\n",
			New:  "	for t := range o.Ended() {\n		var value T\n",
			Want: "FAIL: Test",
			Run:  "^Test(AllCompleted|FirstFailure)Returns",
		},
		{
			Name: "each cancelled task is told of",
			File: "joiner.go",
			Old:  "			if told {\n				continue\n			}\n",
			New:  "			_ = told\n",
			Want: "FAIL: TestOutcomeErrHasOneOfManyCancelled",
		},
		{
			Name: "a joiner's panic is lost",
			File: "settle.go",
			Old:  "	if failure != nil {\n		g.failure = failure\n	}\n",
			New:  "",
			Want: "FAIL: TestACustomJoinerThatPanicsEndsTheGroup",
		},
	},
}

var groupFaults = planted.Group{
	Run: "^Test(Tasks|Cut|Many|GoAfterJoin|Join|Next|Detach|WhatHasEnded|TheLimit|CancelBefore|ATaskMayNot|AGroup|List|ADetached|Programs|FirstSuccess)",
	Faults: []planted.Fault{
		{
			Name: "each task by itself",
			File: "slab.go",
			Old:  "	n := max(1, min(2*len(s.tasks), slabMost, slabBytes/size))\n",
			New:  "	n := min(size, 1)\n",
			Want: "FAIL: TestTasksAreAllocatedTogether",
		},
		{
			Name: "a task that is cut short takes memory",
			File: "task.go",
			Old:  "	t.cut = sched.IsCut((*body[T])(t))\n",
			New:  "	t.cut = false\n",
			Want: "FAIL: TestCutTasksTakeNoMemory",
		},
		{
			Name: "each task that is cut short has the same error",
			File: "scope.go",
			Old:  "	case same(err, sc.cause):\n",
			New:  "	case true:\n",
			Want: "FAIL: TestCutTasksKeepTheirErrors",
		},
		{
			Name: "the error of a task that is cut short is lost",
			File: "task.go",
			Old:  "	if b.cut {\n		b.work = err\n	}\n",
			New:  "	if b.cut {\n		b.work = context.Canceled\n	}\n",
			Want: "FAIL: TestCutTasksKeepTheirErrors",
			Run:  "^TestCutTasksKeepTheirErrors$",
		},
		{
			Name: "a refused task keeps its place",
			File: "group.go",
			Old:  "		g.giveBack(t)\n",
			New:  "",
			Want: "FAIL: TestTasksThatCouldNotStartAreNotKept",
		},
		{
			Name: "a closed group grows",
			File: "group.go",
			Old:  "	if g.closed {\n		g.mu.Unlock()\n		return nil, ErrClosed\n	}\n",
			New:  "",
			Want: "FAIL: TestTasksOfAClosedGroupAreNotKept",
		},
		{
			Name: "a group does not close",
			File: "join.go",
			Old:  "		g.closed = true\n",
			New:  "		return true\n",
			Want: "FAIL: TestGoAfterJoin",
		},
		{
			Name: "a decision cancels nobody",
			File: "settle.go",
			Old:  "		cancels = g.decided && !g.acted\n",
			New:  "",
			Want: "FAIL: TestDecisionsUnderAllSchedules",
			Run:  "^TestDecisionsUnderAllSchedules$",
		},
		{
			Name: "a decision does not wait",
			File: "settle.go",
			Old:  "	return g.remaining() == 0 && !g.settling",
			New:  "	return (g.remaining() == 0 || g.decided) && !g.settling",
			Want: "FAIL: TestDecisionsUnderAllSchedules",
			Run:  "^TestDecisionsUnderAllSchedules$",
		},
		{
			Name: "a task may join its own group",
			File: "join.go",
			Old:  "		return ErrSelfJoin\n",
			New:  "		return ErrNoMore\n",
			Want: "FAIL: TestATaskMayNotJoinItsOwnGroup",
		},
		{
			Name: "Next returns a task again",
			File: "join.go",
			Old:  "			g.ready = next.next\n",
			New:  "			g.ready = next\n",
			Want: "FAIL: TestNext",
			Run:  "^TestNextReturnsTasksAsTheyEnd$",
		},
		{
			Name: "the limit is not kept",
			File: "group.go",
			Old:  "start := g.opts.limit == 0 || g.placed < g.opts.limit || cancelled",
			New:  "start := true || cancelled",
			Want: "FAIL: TestTheLimitHolds",
		},
		{
			Name: "a task starts in a cancelled group",
			File: "group.go",
			Old:  "	if cancelled {\n		t.Cancel(g.scope.Cause())\n	}\n",
			New:  "",
			Want: "FAIL: Test",
			Run:  "^TestCancelBeforeStart$",
		},
		{
			Name: "a joiner waits for its group",
			File: "settle.go",
			Old:  "return asking != 0 && asking == uintptr(gid.Current())",
			New:  "return asking == uintptr(gid.Current()) && false",
			Want: "FAIL: TestACustomJoinerMayNotWaitForItsGroup",
			Run:  "^TestACustomJoinerMayNotWaitForItsGroup$",
		},
		{
			Name: "a group that was joined stays listed",
			File: "join.go",
			Old:  "		g.unlist()\n",
			New:  "",
			Want: "FAIL: TestAJoinedGroupIsListedNoMore",
			Run:  "^TestAJoinedGroupIsListedNoMore$",
		},
		{
			Name: "groups that nobody joins stay listed",
			File: "registry.go",
			Old:  "		g.retire()\n",
			New:  "		_ = g\n",
			Want: "FAIL: TestGroupsThatNobodyJoinsAreSweptOut",
			Run:  "^TestGroupsThatNobodyJoinsAreSweptOut$",
		},
		{
			Name: "a detached task is not listed",
			File: "registry.go",
			Old:  "	r.detached[t] = struct{}{}\n",
			New:  "",
			Want: "FAIL: TestDetachTakesATaskOutOfItsGroup",
			Run:  "^TestDetachTakesATaskOutOfItsGroup$",
		},
		{
			Name: "a detached task stays listed",
			File: "registry.go",
			Old:  "	delete(r.detached, t)\n",
			New:  "",
			Want: "FAIL: Test",
			Run:  "^TestADetachedTaskOutlivesItsStarter$",
		},
		{
			Name: "a detached task stays a member",
			File: "group.go",
			Old:  "	g.remove(t)\n	g.started(-1)\n",
			New:  "	g.started(-1)\n",
			Want: "FAIL: Test",
			Run:  "^TestDetachTakesATaskOutOfItsGroup$",
		},
		{
			Name: "a forced stop leaves tasks alone",
			File: "registry.go",
			Old:  "	for _, t := range detached {\n		t.Cancel(sched.ErrStopped)\n	}\n",
			New:  "",
			Want: "FAIL: TestDetachedTasksUnderSchedules",
			Run:  "^TestDetachedTasksUnderSchedules$",
		},
		{
			Name: "a panic of Run's body leaves its tasks",
			File: "run.go",
			Old:  "			_ = g.Wait() // The panic says more.\n",
			New:  "",
			Want: "FAIL: TestAPanicOfTheBodyWaitsForTheTasks",
			Run:  "^TestAPanicOfTheBodyWaitsForTheTasks$",
		},
		{
			Name: "a taker is overlooked",
			File: "settle.go",
			Old:  "		takers, g.takers = g.takers, nil\n",
			New:  "",
			Want: "FAIL: TestManyTakersUnderSchedules",
			Run:  "^TestManyTakersUnderSchedules$",
		},
	},
}

var scopeFaults = planted.Group{
	Run: "^Test(Trio(ACan|Canc|AShield|ADead)|AScope|AShield|ANested|OnlyTheScope|Within|ADeadline|ALeaked|AFailureOf)",
	Faults: []planted.Fault{
		{
			Name: "a shield lets the end through",
			File: "shield.go",
			Old:  "sc := &Scope{parent: ctx, shielded: true}",
			New:  "sc := &Scope{parent: ctx}",
			Want: "FAIL: Test",
		},
		{
			Name: "a shield has no limit",
			File: "shield.go",
			Old:  "		sc.SetDeadline(time.Now().Add(limit))\n",
			New:  "		_ = time.Now().Add(limit)\n",
			Want: "FAIL: TestAShieldHasItsOwnLimit",
			Run:  "^TestAShieldHasItsOwnLimit$",
		},
		{
			Name: "a checkpoint does not ask",
			File: "shield.go",
			Old:  "	if ctx.Err() != nil {\n		return sched.Cause(ctx)\n	}\n	return nil\n",
			New:  "	return nil\n",
			Want: "FAIL: Test",
			Run:  "^TestTrioCancellationIsALevel$",
		},
		{
			Name: "an end inside is not told apart from one outside",
			File: "scope.go",
			Old:  "if err == nil || !sc.isOver() || !sc.own {",
			New:  "if err == nil || !sc.isOver() {",
			Want: "FAIL: Test",
		},
		{
			Name: "what surrounds a scope is not asked",
			File: "scope.go",
			Old:  "	if err := sc.parent.Err(); err != nil {\n		sc.inherit()\n		return sc.err\n	}\n",
			New:  "",
			Want: "FAIL: Test",
			Run:  "^Test(TrioCancellationIsALevel|OnlyTheScopeThatEndedHasCaughtTheError)$",
		},
		{
			Name: "a deadline that has passed ends nothing",
			File: "scope.go",
			Old:  "	return !moved && sc.end(",
			New:  "	return moved && sc.end(",
			Want: "FAIL: TestADeadlineInThePast",
			Run:  "^TestADeadlineInThePastEndsTheScopeAtOnce$",
		},
		{
			Name: "a leaked error of a context is a cancellation",
			File: "task.go",
			Old:  "	if ended == nil {\n		return err\n	}\n	cause := sched.Cause(ctx)\n",
			New:  "	cause := sched.Cause(ctx)\n	if ended == nil {\n		ended, cause = err, err\n	}\n",
			Want: "FAIL: TestALeakedErrorOfAContextIsAFailure",
		},
		{
			Name: "a failure of a cancelled task is lost",
			File: "task.go",
			Old:  "	if !why && !what {\n		return err\n	}\n",
			New:  "	_ = what\n",
			Want: "FAIL: TestAFailureOfACancelledTaskIsKept",
		},
	},
}

var keptFaults = planted.Group{
	Run: "^Test(TheEndOfAnActor|AKill|ARestart|AnActorWhose)",
	Faults: []planted.Fault{
		{
			Name: "a group is not kept",
			File: "group.go",
			Old:  "		g.kept = g.owner.Keep((*kept[T])(g))\n",
			New:  "",
			Want: "FAIL: TestTheEndOfAnActor",
			Run:  "^TestTheEndOfAnActorUnderSchedules$",
		},
		{
			Name: "a group is never let go",
			File: "kept.go",
			Old:  "		g.owner.LetGo(f, (*kept[T])(g))\n",
			New:  "",
			Want: "FAIL: TestTheEndOfAnActorUnderSchedules",
			Run:  "^TestTheEndOfAnActorUnderSchedules$",
		},
		{
			Name: "the end of an actor breaks shields",
			File: "kept.go",
			Old:  "	if !g.scope.isSheltered() && g.scope.state() == nil {\n		g.scope.endWith(cause)\n	}\n",
			New:  "	g.scope.endWith(cause)\n",
			Want: "FAIL: TestTheEndOfAnActorWaitsForAShield",
		},
		{
			Name: "an actor does not wait",
			File: "../actor/keep.go",
			Old:  "return p.eldest == nil && !p.keepsLocked()",
			New:  "return p.eldest == nil",
			Want: "FAIL: TestTheEndOfAnActor",
			Run:  "^TestTheEndOfAnActorUnderSchedules$",
		},
		{
			Name: "an actor is not told of the last",
			File: "../actor/keep.go",
			Old:  "	if last {\n		p.post(from, sysMessage{kind: sysChildGone})\n	}\n",
			New:  "	_ = last\n",
			Want: "FAIL: TestTheEndOfAnActorUnderSchedules",
			Run:  "^TestTheEndOfAnActorUnderSchedules$",
		},
		{
			Name: "a group below a detached task is kept",
			File: "task.go",
			Old:  "	if key == sched.KeeperKey && (c.g.opts.detached || c.standing.is(detached)) {\n		return nil\n	}\n",
			New:  "",
			Want: "FAIL: TestDetachedTasksUnderSchedules",
			Run:  "^TestDetachedTasksUnderSchedules$",
		},
	},
}
