//go:build !modelcheck && !race && !invariants

package workers_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestModelFindsPlantedFaults runs the searches of TestModel, and shows that they
// see what they are there to see.
func TestModelFindsPlantedFaults(t *testing.T) {
	planted.Expect(t, "modelcheck", parkingFaults, placementFaults, balanceFaults, reservationFaults, jobFaults, liftFaults, roomFaults, suspensionFaults, forkFaults)
}

var parkingFaults = planted.Group{
	Run: "^TestModel$/^(park|stop)$",
	Faults: []planted.Fault{
		{
			Name: "a sleeper does not look again",
			In:   "Worker.sleep",
			Old:  "w.hold.Load() != holdFree || s.settled.Load() || w.queues.Inbox.Mask() != 0 || s.backlog(w.park.Tier())",
			New:  "w.hold.Load() != holdFree || s.settled.Load() || w.queues.Inbox.Mask() != 0",
			Want: "deadlock",
		},
		{
			Name: "a lost wake-up",
			In:   "Worker.sleep",
			Old:  "s.lot.Enter(&w.park)",
			New: `early := s.backlog(w.park.Tier())
s.lot.Enter(&w.park)
if !early {
	s.settle()
	w.park.Await()
	w.park.Searching = true
	return !s.settled.Load()
}`,
			Want: "deadlock",
		},
		{
			Name: "a submission wakes nobody",
			In:   "Scheduler.Submit",
			Old:  "s.summon(p)",
			New:  "",
			Want: "deadlock",
		},
		{
			Name: "a search ends unnoticed",
			Dir:  "parking",
			In:   "Lot.Enter",
			Old: `if w.Searching {
	w.Searching = false
	delta -= oneSearching
}`,
			New:  "w.Searching = false",
			Want: "deadlock",
		},
		{
			Name: "workers leave with work in the queue",
			In:   "Scheduler.allDone",
			Old:  "resting == len(*s.workers.Load()) && !s.hasWork()",
			New:  "resting == len(*s.workers.Load())",
			Want: "ran 0 times",
		},
		{
			Name: "the last to rest does not settle",
			In:   "Worker.sleep",
			Old: `s.settle()
w.note(recording.Park, 0)`,
			New:  "w.note(recording.Park, 0)",
			Want: "deadlock",
		},
	},
}

var placementFaults = planted.Group{
	Run: "^TestModel$/^place$",
	Faults: []planted.Fault{
		{
			Name: "a sleeper does not look into its inbox again",
			In:   "Worker.sleep",
			Old:  "w.hold.Load() != holdFree || s.settled.Load() || w.queues.Inbox.Mask() != 0 || s.backlog(w.park.Tier())",
			New:  "w.hold.Load() != holdFree || s.settled.Load() || s.backlog(w.park.Tier())",
			Want: "deadlock",
		},
		{
			Name: "nobody wakes the worker",
			In:   "Scheduler.delivered",
			Old:  "s.lot.WakeForInbox(&to.w.park)",
			New:  "",
			Want: "deadlock",
		},
		{
			Name: "another worker is woken instead",
			In:   "Scheduler.delivered",
			Old:  "s.lot.WakeForInbox(&to.w.park)",
			New:  "s.lot.Wake(queues.Priority(p))",
			Want: "deadlock",
		},
		{
			Name: "the worker rests after it has looked",
			In:   "Worker.sleep",
			Old: `w.park.Resting.Store(true)
s.lot.Enter(&w.park)`,
			New: `early := w.queues.Inbox.Mask()
w.park.Resting.Store(true)
s.lot.Enter(&w.park)
if early == 0 {
	s.settle()
	w.park.Await()
	w.park.Woken()
	return !s.settled.Load()
}`,
			Want: "deadlock",
		},
		{
			Name: "a worker that is woken for its inbox counts as searching",
			Dir:  "parking",
			In:   "Worker.Woken",
			Old:  "w.Searching, w.summoned = !w.summoned, false",
			New:  "w.Searching, w.summoned = true, false",
			Want: "deadlock",
		},
		{
			Name: "workers leave with work in an inbox",
			In:   "Scheduler.hasWork",
			Old:  "w.queues.Longest(queues.Low) > 0 || w.queues.Inbox.Mask() != 0",
			New:  "w.queues.Longest(queues.Low) > 0",
			Want: "ran 0 times",
		},
	},
}

var balanceFaults = planted.Group{
	Run: "^TestModel$/^(scatter|balance)$",
	Faults: []planted.Fault{
		{
			Name: "what is carried is taken for gone",
			In:   "Scheduler.carry",
			Old: `s.carried.Add(1)
move()
s.carried.Add(-1)`,
			New:  "move()",
			Want: "ran 0 times",
		},
		{
			Name: "nobody settles after a move",
			In:   "Scheduler.carry",
			Old:  "s.settle()",
			New:  "",
			Want: "deadlock",
		},
		{
			Name: "a submission is handed over and nobody is told",
			In:   "Scheduler.submitAt",
			Old:  "s.delivered(to, p)",
			New:  "",
			Want: "deadlock",
		},
	},
}

var reservationFaults = planted.Group{
	Run: "^TestModel$/^reserve$",
	Faults: []planted.Fault{
		{
			Name: "normal work wakes a reserved worker",
			Dir:  "parking",
			In:   "Lot.wakeFor",
			Old:  "able[0].least < p",
			New:  "able[0].least > p",
			Want: "deadlock",
		},
		{
			Name: "normal work relies on any search",
			Dir:  "parking",
			In:   "Lot.wakeFor",
			Old: `for _, t := range able {
	if t.Searching() != 0 {
		return true
	}
}`,
			New: `for _, t := range d.reserved {
	if t.Searching() != 0 {
		return true
	}
}`,
			Want: "deadlock",
		},
		{
			Name: "the last searcher wakes its own tier only",
			In:   "Scheduler.handOver",
			Old: `if s.lot.Wake(least) || !s.lot.Reserves() || least == queues.Critical {
	return
}`,
			New: `if s.lot.Wake(least); least >= queues.Critical {
	return
}`,
			Want: "deadlock",
		},
		{
			Name: "a reserved worker takes anything",
			Dir:  "parking",
			In:   "Tier.Takes",
			Old:  "t.least.UpTo()",
			New:  "queues.Low.UpTo()",
			Want: "FAIL",
		},
	},
}

var jobFaults = planted.Group{
	Run: "^TestModel$/^job$",
	Faults: []planted.Fault{
		{
			Name: "a torn transition",
			Dir:  "jobstate",
			In:   "Word.transition",
			Old: `if s.swap(old, next) {
	return true
}`,
			New: `s.word.Store(uint64(next))
return true`,
			Want: "job is",
		},
		{
			Name: "a cancelled job runs",
			Dir:  "jobstate",
			In:   "Word.TransitionToRunning",
			Old:  "old&(stateBits|MarkClaimed) > Value(Stolen)",
			New:  "old.State() == TimedOut",
			Want: "job is",
		},
		{
			Name: "a torn start",
			Dir:  "jobstate",
			In:   "Word.TransitionToRunning",
			Old: `if s.swap(old, old.with(Running)|started) {
	return true
}`,
			New: `s.word.Store(uint64(old.with(Running) | started))
return true`,
			Want: "job is",
		},
		{
			Name: "a job ends after its time was up",
			Dir:  "jobstate",
			In:   "Word.TransitionToEnded",
			Old:  "old.State() == TimedOut",
			New:  "false",
			Want: "and was ended as",
		},
		{
			Name: "a cancellation leaves no mark",
			Dir:  "jobstate",
			In:   "Word.TransitionToCancelled",
			Old:  "old | MarkCancelled",
			New:  "old",
			Want: "it was cancelled after its start",
		},
		{
			Name: "a waiter enters after its last look",
			In:   "Job.Wait",
			Old: `for !j.state.State().Ended() { // Either it is seen here, or the waiter there.
	if !w.Wait(ctx) && !j.state.State().Ended() {
		rare.forget(known)
		if edge != nil {
			j.shift(edge.Leave)
		}
		return context.Cause(ctx)
	}
}`,
			New: `for first := true; first || !j.state.State().Ended(); first = false {
	if !w.Wait(ctx) && !j.state.State().Ended() {
		rare.forget(known)
		if edge != nil {
			j.shift(edge.Leave)
		}
		return context.Cause(ctx)
	}
}`,
			Want: "deadlock",
		},
	},
}

var roomFaults = planted.Group{
	Run: "^TestModel$/^room$",
	Faults: []planted.Fault{
		{
			Name: "a submitter queues up after its last look",
			In:   "Scheduler.waitForRoom",
			Old: `case b.TryEnter():
	return nil`,
			New:  "",
			Want: "deadlock",
		},
		{
			Name: "a worker looks for submitters before it makes room",
			Dir:  "capacity",
			In:   "Bound.Leave",
			Old: `b.queued.Add(-1)
b.wakeOne()`,
			New: `b.wakeOne()
b.queued.Add(-1)`,
			Want: "deadlock",
		},
		{
			Name: "a submitter that leaves takes the wake-up along",
			Dir:  "capacity",
			In:   "Bound.Remove",
			Old:  "b.wakeOne()",
			New:  "",
			Want: "deadlock",
		},
		{
			Name: "a job is counted after the look for a stop",
			In:   "Scheduler.count",
			Old: `j.id = s.account.came.Add(1)
if s.stopping.Load() {
	s.bound.Leave()
	s.jobGone()
	return ErrStopped
}`,
			New: `stopping := s.stopping.Load()
j.id = s.account.came.Add(1)
if stopping {
	s.bound.Leave()
	s.jobGone()
	return ErrStopped
}`,
			Want: "ran",
			Run:  "^TestModel$/^stop$/^while",
		},
	},
}

var suspensionFaults = planted.Group{
	Run: "^TestModel$/^suspend$",
	Faults: []planted.Fault{
		{
			Name: "a resume before its suspend",
			Dir:  "fiberstate",
			In:   "Word.TransitionFromSuspended",
			Old: `if w.word.CompareAndSwap(running|mark, notified|mark) {
	return false
}`,
			New:  "return false",
			Want: "deadlock",
		},
		{
			Name: "a torn state change",
			Dir:  "fiberstate",
			In:   "Word.TransitionToSuspended",
			Old: `if w.word.CompareAndSwap(running, suspended) {
	return true
}`,
			New: `if w.word.Load() == running {
	w.word.And(lifted)
	w.word.Or(suspended)
	return true
}`,
			Want: "deadlock",
		},
		{
			Name: "two resumes queue twice",
			Dir:  "fiberstate",
			In:   "Word.TransitionFromSuspended",
			Old: `if w.word.CompareAndSwap(suspended|mark, running|mark) {
	return true
}`,
			New: `if w.word.And(mark); true {
	return true
}`,
			Want: "the fiber is queued though it runs",
		},
	},
}

var forkFaults = planted.Group{
	Run: "^TestModel$/^fork$",
	Faults: []planted.Fault{
		{
			Name: "a joiner does not look whether the branch has ended",
			In:   "branch.transitionToAwaited",
			Old:  "return b.state.CompareAndSwap(nil, f)",
			New:  "b.state.Store(f); return true",
			Want: "deadlock",
		},
		{
			Name: "the end of a branch resumes nobody",
			In:   "branch.transitionToEnded",
			Old:  "joiner != nil",
			New:  "joiner == branchEnded",
			Want: "deadlock",
		},
		{
			Name: "a joiner takes whatever branch is the newest",
			In:   "Worker.takeBack",
			Old:  "newest == nil || newest == n",
			New:  "true",
			Want: "ran",
		},
		{
			Name: "a branch that was taken by mistake is not put back",
			In:   "Worker.takeBack",
			Old:  "w.putOnOffer(newest)",
			New:  "",
			Want: "deadlock",
		},
		{
			Name: "a fiber leaves with its branches in private",
			In:   "Worker.shareForks",
			Old: `for _, n := range q.private[q.base:] {
	w.putOnOffer(n)
}`,
			New:  "",
			Want: "deadlock",
		},
	},
}
