//go:build !race && !invariants

package task_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that none of what a group, a scope or a shield
// promises can be lost unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", joinerFaults, groupFaults, scopeFaults, keptFaults, inheritFaults)
}

var joinerFaults = planted.Group{
	Run: "^Test(AllCompleted|Kotlin|Trio|FirstFailure|Loom|Quorum|ACustomJoiner|OutcomeErr)",
	Faults: []planted.Fault{
		{
			Name: "a cancelled task counts as failed",
			In:   "failed",
			Old:  "st != workers.JobCompleted && st != workers.JobCancelled",
			New:  "st != workers.JobCompleted",
			Want: "FAIL: TestKotlinACancelledTaskIsNoFailure",
			Run:  "^TestKotlinACancelledTaskIsNoFailure$",
		},
		{
			Name: "a failure does not decide",
			In:   "firstFailure.Decide",
			Old:  "failed(t)",
			New:  "t.State() == workers.JobTimedOut",
			Want: "FAIL: TestDecisionsUnderAllSchedules",
			Run:  "^TestDecisionsUnderAllSchedules$",
		},
		{
			Name: "any end is a success",
			In:   "firstSuccess.Decide",
			Old:  "t != nil && t.State() == workers.JobCompleted",
			New:  "t != nil",
			Want: "FAIL: TestDecisionsUnderAllSchedules",
			Run:  "^TestDecisionsUnderAllSchedules$",
		},
		{
			Name: "a quorum needs one more",
			In:   "quorum.Decide",
			Old:  "c.Succeeded >= q.n",
			New:  "c.Succeeded > q.n",
			Want: "FAIL: TestDecisionsUnderAllSchedules",
			Run:  "^TestDecisionsUnderAllSchedules$",
		},
		{
			Name: "a quorum out of reach is waited for",
			In:   "quorum.Decide",
			Old:  "c.Succeeded >= q.n || c.Joining && c.Succeeded+c.Left() < q.n",
			New:  "c.Succeeded >= q.n",
			Want: "FAIL: TestDecisionsUnderAllSchedules",
			Run:  "^TestDecisionsUnderAllSchedules$",
		},
		{
			Name: "a quorum is given up before Join",
			In:   "quorum.Decide",
			Old:  "c.Joining && c.Succeeded+c.Left() < q.n",
			New:  "c.Succeeded+c.Left() < q.n",
			Want: "FAIL: TestAQuorumIsNotGivenUpBeforeJoin",
			Run:  "^TestAQuorumIsNotGivenUpBeforeJoin$",
		},
		{
			Name: "the values come in the order of ends",
			In:   "Outcome.Values",
			Old: `for t := range o.each {
	var value T
	if all || t.State() == workers.JobCompleted {
		value = t.value
	}
	values = append(values, value)
}`,
			New: `for t := o.group.ended.first; t != nil; t = t.next {
	var value T
	if all || t.State() == workers.JobCompleted {
		value = t.value
	}
	values = append(values, value)
}`,
			Want: "FAIL: Test",
			Run:  "^Test(AllCompleted|FirstFailure)Returns",
		},
		{
			Name: "each cancelled task is told of",
			In:   "Outcome.Err",
			Old:  "onlyCancelled(err, nil)",
			New:  "false",
			Want: "FAIL: TestOutcomeErrHasOneOfManyCancelled",
		},
		{
			Name: "a joiner's panic is lost",
			In:   "Group.asks",
			Old: `if failure != nil {
	g.failure = failure
}`,
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
			In:   "Group.grow",
			Old:  "max(1, min(2*len(s.tasks), slabMost, slabBytes/size))",
			New:  "min(size, 1)",
			Want: "FAIL: TestTasksAreAllocatedTogether",
		},
		{
			Name: "a task that is cut short takes memory",
			In:   "Task.explain",
			Old:  "workers.IsCut((*body[T])(t))",
			New:  "false",
			Want: "FAIL: TestCutTasksTakeNoMemory",
		},
		{
			Name: "each task that is cut short has the same error",
			In:   "Scope.cutShort",
			Old:  "same(err, sc.cause)",
			New:  "true",
			Want: "FAIL: TestCutTasksKeepTheirErrors",
		},
		{
			Name: "the error of a task that is cut short is lost",
			In:   "body.KeepCut",
			Old:  "b.work = err",
			New:  "b.work = context.Canceled",
			Want: "FAIL: TestCutTasksKeepTheirErrors",
			Run:  "^TestCutTasksKeepTheirErrors$",
		},
		{
			Name: "a refused task keeps its place",
			In:   "Group.start",
			Old:  "g.giveBack(t)",
			New:  "",
			Want: "FAIL: TestTasksThatCouldNotStartAreNotKept",
		},
		{
			Name: "a closed group grows",
			In:   "Group.start",
			Old: `if g.closed {
	g.mu.Unlock()
	return nil, ErrClosed
}`,
			New:  "",
			Want: "FAIL: TestTasksOfAClosedGroupAreNotKept",
		},
		{
			Name: "a group does not close",
			In:   "Group.finished",
			Old:  "g.closed = true",
			New:  "return true",
			Want: "FAIL: TestGoAfterJoin",
		},
		{
			Name: "a decision cancels nobody",
			In:   "Group.release",
			Old:  "cancels = g.decided && !g.acted",
			New:  "",
			Want: "FAIL: TestDecisionsUnderAllSchedules",
			Run:  "^TestDecisionsUnderAllSchedules$",
		},
		{
			Name: "a decision does not wait",
			In:   "Group.quiet",
			Old:  "g.remaining() == 0",
			New:  "(g.remaining() == 0 || g.decided)",
			Want: "FAIL: TestDecisionsUnderAllSchedules",
			Run:  "^TestDecisionsUnderAllSchedules$",
		},
		{
			Name: "a task may join its own group",
			In:   "Group.wait",
			Old:  "return ErrSelfJoin",
			New:  "return ErrNoMore",
			Want: "FAIL: TestATaskMayNotJoinItsOwnGroup",
		},
		{
			Name: "Next returns a task again",
			In:   "Group.Next",
			Old:  "g.ready = next.next",
			New:  "g.ready = next",
			Want: "FAIL: TestNext",
			Run:  "^TestNextReturnsTasksAsTheyEnd$",
		},
		{
			Name: "the limit is not kept",
			In:   "Group.add",
			Old:  "g.opts.limit == 0 || g.placed < g.opts.limit",
			New:  "true",
			Want: "FAIL: TestTheLimitHolds",
		},
		{
			Name: "a task starts in a cancelled group",
			In:   "Group.add",
			Old: `if cancelled {
	t.Cancel(g.scope.Cause())
}`,
			New:  "",
			Want: "FAIL: Test",
			Run:  "^TestCancelBeforeStart$",
		},
		{
			Name: "a joiner waits for its group",
			In:   "Group.asksHere",
			Old:  "asking != 0 && asking == uintptr(gid.Current())",
			New:  "asking == uintptr(gid.Current()) && false",
			Want: "FAIL: TestACustomJoinerMayNotWaitForItsGroup",
			Run:  "^TestACustomJoinerMayNotWaitForItsGroup$",
		},
		{
			Name: "a group that was joined stays listed",
			In:   "Group.finished",
			Old:  "g.unlist()",
			New:  "",
			Want: "FAIL: TestAJoinedGroupIsListedNoMore",
			Run:  "^TestAJoinedGroupIsListedNoMore$",
			Hang: true,
		},
		{
			Name: "groups that nobody joins stay listed",
			In:   "registry.sweep",
			Old:  "g.retire()",
			New:  "_ = g",
			Want: "FAIL: TestGroupsThatNobodyJoinsAreSweptOut",
			Run:  "^TestGroupsThatNobodyJoinsAreSweptOut$",
		},
		{
			Name: "a detached task is not listed",
			In:   "registry.detach",
			Old:  "r.detached[t] = struct{}{}",
			New:  "",
			Want: "FAIL: TestDetachTakesATaskOutOfItsGroup",
			Run:  "^TestDetachTakesATaskOutOfItsGroup$",
		},
		{
			Name: "a detached task stays listed",
			In:   "registry.removeDetached",
			Old:  "delete(r.detached, t)",
			New:  "",
			Want: "FAIL: Test",
			Run:  "^TestADetachedTaskOutlivesItsStarter$",
		},
		{
			Name: "a detached task stays a member",
			In:   "Group.detach",
			Old:  "g.remove(t)",
			New:  "",
			Want: "FAIL: Test",
			Run:  "^TestDetachTakesATaskOutOfItsGroup$",
		},
		{
			Name: "a forced stop leaves tasks alone",
			In:   "registry.Forced",
			Old: `for _, g := range groups {
	g.Cancel(workers.ErrStopped)
}
for _, t := range detached {
	t.Cancel(workers.ErrStopped)
}`,
			New: `for _, g := range groups {
	g.Cancel(workers.ErrStopped)
}`,
			Want: "FAIL: TestDetachedTasksUnderSchedules",
			Run:  "^TestDetachedTasksUnderSchedules$",
		},
		{
			Name: "a panic of Run's body leaves its tasks",
			In:   "Run",
			Old:  "_ = g.Wait()",
			New:  "",
			Want: "FAIL: TestAPanicOfTheBodyWaitsForTheTasks",
			Run:  "^TestAPanicOfTheBodyWaitsForTheTasks$",
		},
		{
			Name: "a taker is overlooked",
			In:   "Group.release",
			Old: `takers, g.takers = g.takers, nil
g.watched.Store(false)`,
			New:  "g.watched.Store(false)",
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
			In:   "Shield",
			Old:  "Scope{parent: ctx, shielded: true}",
			New:  "Scope{parent: ctx}",
			Want: "FAIL: Test",
		},
		{
			Name: "a shield has no limit",
			In:   "Shield",
			Old:  "sc.SetDeadline(time.Now().Add(limit))",
			New:  "_ = time.Now().Add(limit)",
			Want: "FAIL: TestAShieldHasItsOwnLimit",
			Run:  "^TestAShieldHasItsOwnLimit$",
		},
		{
			Name: "a checkpoint does not ask",
			In:   "Checkpoint",
			Old: `if ctx.Err() != nil {
	return workers.Cause(ctx)
}`,
			New:  "",
			Want: "FAIL: Test",
			Run:  "^TestTrioCancellationIsALevel$",
		},
		{
			Name: "an end inside is not told apart from one outside",
			In:   "Scope.Caught",
			Old:  "err == nil || !sc.isOver() || !sc.own || sc.isOvertaken()",
			New:  "err == nil || !sc.isOver()",
			Want: "FAIL: Test",
		},
		{
			Name: "what surrounds a scope is not asked",
			In:   "Scope.state",
			Old: `if err := sc.parent.Err(); err != nil {
	sc.inherit()
	return sc.err
}`,
			New:  "",
			Want: "FAIL: Test",
			Run:  "^Test(TrioCancellationIsALevel|OnlyTheScopeThatEndedHasCaughtTheError)$",
		},
		{
			Name: "a deadline that has passed ends nothing",
			In:   "Scope.expire",
			Old:  "!moved && sc.end(context.DeadlineExceeded, ErrDeadline, true)",
			New:  "moved && sc.end(context.DeadlineExceeded, ErrDeadline, true)",
			Want: "FAIL: TestADeadlineInThePast",
			Run:  "^TestADeadlineInThePastEndsTheScopeAtOnce$",
		},
		{
			Name: "a leaked error of a context is a cancellation",
			In:   "Task.explain",
			Old: `if ended == nil {
	return err
}
cause := workers.Cause(ctx)`,
			New: `cause := workers.Cause(ctx)
if ended == nil {
	ended, cause = err, err
}`,
			Want: "FAIL: TestALeakedErrorOfAContextIsAFailure",
		},
		{
			Name: "a failure of a cancelled task is lost",
			In:   "Task.explain",
			Old: `if !why && !what {
	return err
}`,
			New:  "_ = what",
			Want: "FAIL: TestAFailureOfACancelledTaskIsKept",
		},
	},
}

var keptFaults = planted.Group{
	Run: "^Test(TheEndOfAnActor|AKill|ARestart|AnActorWhose)",
	Faults: []planted.Fault{
		{
			Name: "a group is not kept",
			In:   "Group.add",
			Old:  "g.kept = g.owner.Keep((*kept[T])(g))",
			New:  "",
			Want: "FAIL: TestTheEndOfAnActor",
			Run:  "^TestTheEndOfAnActorUnderSchedules$",
		},
		{
			Name: "a group is never let go",
			In:   "Group.beLetGo",
			Old:  "g.owner.LetGo(f, (*kept[T])(g))",
			New:  "",
			Want: "FAIL: TestTheEndOfAnActorUnderSchedules",
			Run:  "^TestTheEndOfAnActorUnderSchedules$",
		},
		{
			Name: "the end of an actor breaks shields",
			In:   "kept.KeeperEnds",
			Old: `if !g.scope.isSheltered() && g.scope.state() == nil {
	g.scope.endWith(cause)
}`,
			New:  "g.scope.endWith(cause)",
			Want: "FAIL: TestTheEndOfAnActorWaitsForAShield",
		},
		{
			Name: "an actor does not wait",
			Dir:  "../actor",
			In:   "proc.aloneLocked",
			Old:  "p.eldest == nil && !p.keepsLocked()",
			New:  "p.eldest == nil",
			Want: "FAIL: TestTheEndOfAnActor",
			Run:  "^TestTheEndOfAnActorUnderSchedules$",
		},
		{
			Name: "an actor is not told of the last",
			Dir:  "../actor",
			In:   "proc.letGo",
			Old: `if last {
	p.post(from, sysMessage{kind: sysChildGone})
}`,
			New:  "_ = last",
			Want: "FAIL: TestTheEndOfAnActorUnderSchedules",
			Run:  "^TestTheEndOfAnActorUnderSchedules$",
		},
		{
			Name: "a group below a detached task is kept",
			In:   "taskContext.Value",
			Old: `if c.g.opts.detached || c.standing.is(detached) {
	return nil
}`,
			New:  "",
			Want: "FAIL: TestDetachedTasksUnderSchedules",
			Run:  "^TestDetachedTasksUnderSchedules$",
		},
	},
}

var inheritFaults = planted.Group{
	Run: "^Test(TasksAreAsUrgentAsWhoJoinsThem|UrgencyOfAGroupEndsWithTheWait)$",
	Faults: []planted.Fault{
		{
			Name: "a group does not lift its tasks",
			In:   "Group.lift",
			Old:  "by = 1",
			New:  "by = 0",
			Want: "pieces of usual work",
		},
		{
			Name: "a task that comes later is not lifted",
			In:   "Group.add",
			Old:  "t.lifted = g.urgent > 0",
			New:  "t.lifted = false",
			Want: "pieces of usual work",
		},
		{
			Name: "a lifted task begins without a place",
			In:   "body.Held",
			Old:  "return !t.placed",
			New:  "return false",
			Want: "and the limit is",
		},
		{
			Name: "the tasks stay lifted behind the wait",
			In:   "Group.look",
			Old:  "w.lifts = w.edge.Retire()",
			New:  "_ = w.edge.Retire()",
			Want: "nobody critical waits",
		},
	},
}
