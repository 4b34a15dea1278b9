//go:build !modelcheck && !race && !invariants

package sched_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestModelFindsPlantedFaults runs the searches of TestModel, and shows that they
// see what they are there to see.
func TestModelFindsPlantedFaults(t *testing.T) {
	planted.Expect(t, "modelcheck", parkingFaults, injectorFaults, placementFaults, balanceFaults, reservationFaults, jobFaults, roomFaults, suspensionFaults, forkFaults)
}

var parkingFaults = planted.Group{
	Run: "^TestModel$/^(park|stop)$",
	Faults: []planted.Fault{
		{
			Name: "a sleeper does not look again",
			File: "worker.go",
			Old:  "w.inbox.mask.Load() != 0 || s.backlog(w.crew())",
			New:  "w.inbox.mask.Load() != 0",
			Want: "deadlock",
		},
		{
			Name: "a lost wake-up",
			File: "worker.go",
			Old:  "	s.idle.enter(w)\n",
			New:  "	early := s.backlog(w.crew())\n	s.idle.enter(w)\n	if !early {\n		s.settle()\n		w.token.Receive()\n		w.searching = true\n		return !s.settled.Load()\n	}\n",
			Want: "deadlock",
		},
		{
			Name: "a submission wakes nobody",
			File: "scheduler.go",
			Old:  "		return ErrStopped\n	}\n	s.summon(p)\n",
			New:  "		return ErrStopped\n	}\n",
			Want: "deadlock",
		},
		{
			Name: "a search ends unnoticed",
			File: "idle.go",
			Old:  "	if w.searching {\n		w.searching = false\n		delta -= oneSearching\n	}\n",
			New:  "	w.searching = false\n",
			Want: "deadlock",
		},
		{
			Name: "workers leave with work in the queue",
			File: "stop.go",
			Old:  "len(*s.workers.Load()) && !s.hasWork()",
			New:  "len(*s.workers.Load())",
			Want: "ran 0 times",
		},
		{
			Name: "the last to rest does not settle",
			File: "worker.go",
			Old:  "	if !stay || !s.idle.leave(w) {\n		s.settle()\n",
			New:  "	if !stay || !s.idle.leave(w) {\n",
			Want: "deadlock",
		},
	},
}

var injectorFaults = planted.Group{
	Run: "^TestModel$/^inject$",
	Faults: []planted.Fault{
		{
			Name: "the mask is set outside the lock",
			File: "injector.go",
			Old:  "		q.mask.Or(p.bit())\n",
			New:  "		q.mu.Unlock()\n		q.mask.Or(p.bit())\n		q.mu.Lock()\n",
			Want: "the mask shows what is not there",
		},
		{
			Name: "the mask is set before the push, without the lock",
			File: "injector.go",
			Old:  "	q.queues[p].push(n)\n	if q.queues[p].n == 1 {\n		q.mask.Or(p.bit())\n	}\n",
			New:  "	q.mu.Unlock()\n	q.mask.Or(p.bit())\n	q.mu.Lock()\n	q.queues[p].push(n)\n",
			Want: "FAIL",
		},
		{
			Name: "the mask is cleared outside the lock",
			File: "injector.go",
			Old:  "	if queue.n == 0 {\n		q.mask.And(^p.bit())\n",
			New:  "	if queue.n == 0 {\n		q.mu.Unlock()\n		q.mask.And(^p.bit())\n		q.mu.Lock()\n",
			Want: "deadlock",
		},
		{
			Name: "the mask is cleared too early",
			File: "injector.go",
			Old:  "	if queue.n == 0 {\n		q.mask.And",
			New:  "	if queue.n <= 1 {\n		q.mask.And",
			Want: "deadlock",
		},
		{
			Name: "the mask is not cleared",
			File: "injector.go",
			Old:  "	if queue.n == 0 {\n		q.mask.And",
			New:  "	if queue.n < 0 {\n		q.mask.And",
			Want: "the mask shows what is not there",
		},
		{
			Name: "the mask of one queue is cleared for all",
			File: "injector.go",
			Old:  "	if queue.n == 0 {\n		q.mask.And(^p.bit())\n",
			New:  "	if queue.n == 0 {\n		q.mask.Store(0)\n",
			Want: "FAIL",
		},
		{
			Name: "a submission is accepted after the close",
			File: "injector.go",
			Old:  "	q.mu.Lock()\n	defer q.mu.Unlock()\n	if q.closed {\n		return false\n	}\n",
			New:  "	if q.closed {\n		return false\n	}\n	q.mu.Lock()\n	defer q.mu.Unlock()\n",
			Want: "accepted: true",
			Run:  "^TestModel$/^inject$/^close$",
		},
		{
			Name: "what does not fit into the batch is lost",
			File: "injector.go",
			Old:  "			next := queue.ring[queue.head]\n			if !local.Push(next) {\n				break\n			}\n			queue.pop()\n",
			New:  "			if !local.Push(queue.pop()) {\n				break\n			}\n",
			Want: "deadlock",
		},
	},
}

var placementFaults = planted.Group{
	Run: "^TestModel$/^place$",
	Faults: []planted.Fault{
		{
			Name: "a sleeper does not look into its inbox again",
			File: "worker.go",
			Old:  "w.inbox.mask.Load() != 0 || s.backlog(w.crew())",
			New:  "s.backlog(w.crew())",
			Want: "deadlock",
		},
		{
			Name: "nobody wakes the worker",
			File: "place.go",
			Old:  "	s.idle.wakeWorker(to.w)\n	s.monitor",
			New:  "	s.monitor",
			Want: "deadlock",
		},
		{
			Name: "another worker is woken instead",
			File: "place.go",
			Old:  "	s.idle.wakeWorker(to.w)\n	s.monitor",
			New:  "	s.idle.wake(p)\n	s.monitor",
			Want: "deadlock",
		},
		{
			Name: "the worker rests after it has looked",
			File: "worker.go",
			Old:  "	w.resting.Store(true)\n	s.idle.enter(w)\n",
			New:  "	early := w.inbox.mask.Load()\n	w.resting.Store(true)\n	s.idle.enter(w)\n	if early == 0 {\n		s.settle()\n		w.token.Receive()\n		w.searching, w.summoned = !w.summoned, false\n		return !s.settled.Load()\n	}\n",
			Want: "deadlock",
		},
		{
			Name: "who is summoned counts as searching",
			File: "worker.go",
			Old:  "w.searching, w.summoned = !w.summoned, false",
			New:  "w.searching, w.summoned = true, false",
			Want: "deadlock",
		},
		{
			Name: "workers leave with work in an inbox",
			File: "scheduler.go",
			Old:  "w.queued(Low) > 0 || w.inbox.mask.Load() != 0",
			New:  "w.queued(Low) > 0",
			Want: "ran 0 times",
		},
	},
}

var balanceFaults = planted.Group{
	Run: "^TestModel$/^(scatter|balance)$",
	Faults: []planted.Fault{
		{
			Name: "what is carried is taken for gone",
			File: "rebalance.go",
			Old:  "	s.carried.Add(1)\n	move()\n	s.carried.Add(-1)\n",
			New:  "	move()\n",
			Want: "ran 0 times",
		},
		{
			Name: "nobody settles after a move",
			File: "rebalance.go",
			Old:  "	s.carried.Add(-1)\n	s.settle()\n",
			New:  "	s.carried.Add(-1)\n",
			Want: "deadlock",
		},
		{
			Name: "a submission is handed over and nobody is told",
			File: "place.go",
			Old:  "		return ErrStopped\n	}\n	s.delivered(to, p)\n",
			New:  "		return ErrStopped\n	}\n",
			Want: "deadlock",
		},
	},
}

var reservationFaults = planted.Group{
	Run: "^TestModel$/^reserve$",
	Faults: []planted.Fault{
		{
			Name: "normal work wakes a reserved worker",
			File: "idle.go",
			Old:  "able[0].tier < p {",
			New:  "able[0].tier > p {",
			Want: "deadlock",
		},
		{
			Name: "normal work relies on any search",
			File: "idle.go",
			Old:  "	for _, c := range able {\n		if c.searching() != 0 {",
			New:  "	for _, c := range d.reserved {\n		if c.searching() != 0 {",
			Want: "deadlock",
		},
		{
			Name: "the last searcher wakes its own crew only",
			File: "crew.go",
			Old:  "	if s.idle.wake(c.tier) || len(s.idle.reserved) == 0 || c.tier == Critical {",
			New:  "	if s.idle.wake(c.tier); c.tier >= Critical {",
			Want: "deadlock",
		},
		{
			Name: "a reserved worker takes anything",
			File: "crew.go",
			Old:  "return 2<<c.tier - 1",
			New:  "return 2<<Low - 1",
			Want: "FAIL",
		},
	},
}

var jobFaults = planted.Group{
	Run: "^TestModel$/^job$",
	Faults: []planted.Fault{
		{
			Name: "a torn transition",
			File: "jobstate.go",
			Old:  "		if s.word.CompareAndSwap(word, next) {\n			return true\n		}\n",
			New:  "		s.word.Store(next)\n		return true\n",
			Want: "job is",
		},
		{
			Name: "a cancelled job runs",
			File: "jobstate.go",
			Old:  "if jobStateOf(word) > JobStolen {",
			New:  "if jobStateOf(word) == JobTimedOut {",
			Want: "job is",
		},
		{
			Name: "a torn start",
			File: "jobstate.go",
			Old:  "		if s.word.CompareAndSwap(word, with(word, JobRunning)|started) {\n			return true\n		}\n",
			New:  "		s.word.Store(with(word, JobRunning) | started)\n		return true\n",
			Want: "job is",
		},
		{
			Name: "a job ends after its time was up",
			File: "jobstate.go",
			Old:  "		if jobStateOf(word) == JobTimedOut {\n",
			New:  "		if false {\n",
			Want: "and was ended as",
		},
		{
			Name: "a cancellation leaves no mark",
			File: "jobstate.go",
			Old:  "return word | jobCancelled, true",
			New:  "return word, true",
			Want: "it was cancelled after its start",
		},
		{
			Name: "a waiter enters after its last look",
			File: "jobwait.go",
			Old:  "	for !j.state.get().Ended() { // Either it is seen here, or the waiter there.\n",
			New:  "	for first := true; first || !j.state.get().Ended(); first = false {\n",
			Want: "deadlock",
		},
	},
}

var roomFaults = planted.Group{
	Run: "^TestModel$/^room$",
	Faults: []planted.Fault{
		{
			Name: "a submitter queues up after its last look",
			File: "room.go",
			Old:  "		case r.tryEnter():\n			return nil\n		case !w.Wait(ctx):\n",
			New:  "		case !w.Wait(ctx):\n",
			Want: "deadlock",
		},
		{
			Name: "a worker looks for submitters before it makes room",
			File: "room.go",
			Old:  "		r.queued.Add(-1)\n		r.wakeOne()\n",
			New:  "		r.wakeOne()\n		r.queued.Add(-1)\n",
			Want: "deadlock",
		},
		{
			Name: "who leaves takes the wake-up along",
			File: "room.go",
			Old:  "	r.mu.Unlock()\n	r.wakeOne()\n",
			New:  "	r.mu.Unlock()\n",
			Want: "deadlock",
		},
		{
			Name: "a job is counted after the look for a stop",
			File: "room.go",
			Old:  "	j.id = s.account.came.Add(1)\n	if s.stopping.Load() {\n",
			New:  "	stopping := s.stopping.Load()\n	j.id = s.account.came.Add(1)\n	if stopping {\n",
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
			File: "fiber.go",
			Old:  "			if f.state.CompareAndSwap(fiberRunning, fiberNotified) {\n				return false\n			}\n",
			New:  "			return false\n",
			Want: "deadlock",
		},
		{
			Name: "a torn state change",
			File: "fiber.go",
			Old:  "	if f.state.CompareAndSwap(fiberRunning, fiberSuspended) {\n		return true\n	}\n",
			New:  "	if f.state.Load() == fiberRunning {\n		f.state.Store(fiberSuspended)\n		return true\n	}\n",
			Want: "deadlock",
		},
		{
			Name: "two resumes queue twice",
			File: "fiber.go",
			Old:  "			if f.state.CompareAndSwap(fiberSuspended, fiberRunning) {\n",
			New:  "			if f.state.Store(fiberRunning); true {\n",
			Want: "the fiber is queued though it runs",
		},
	},
}

var forkFaults = planted.Group{
	Run: "^TestModel$/^fork$",
	Faults: []planted.Fault{
		{
			Name: "a joiner does not look whether the branch has ended",
			File: "fork.go",
			Old:  "return b.state.CompareAndSwap(nil, f)",
			New:  "b.state.Store(f); return true",
			Want: "deadlock",
		},
		{
			Name: "the end of a branch resumes nobody",
			File: "fork.go",
			Old:  "joiner != nil {",
			New:  "joiner == branchEnded {",
			Want: "deadlock",
		},
		{
			Name: "a joiner takes whatever branch is the newest",
			File: "forks.go",
			Old:  "if newest == nil || newest == n {",
			New:  "if true {",
			Want: "ran",
		},
		{
			Name: "a branch that was taken by mistake is not put back",
			File: "forks.go",
			Old:  "	w.putOnOffer(newest)\n	w.s",
			New:  "	w.s",
			Want: "deadlock",
		},
		{
			Name: "a fiber leaves with its branches in private",
			File: "forks.go",
			Old:  "	for _, n := range q.private[q.base:] {\n		w.putOnOffer(n)\n	}\n	clear(q.private)\n",
			New:  "	clear(q.private)\n",
			Want: "deadlock",
		},
	},
}
