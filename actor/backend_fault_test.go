//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var backendFaults = planted.Group{
	Run: "^Test(PumpRingsOncePerBatch|UrgentActorsOfAPumpGoFirst|GoexitInAPump|BlockingLimit|GoexitOfTheOnlyBlockingGoroutine|" +
		"IdleBlockingGoroutinesLeave|HandlersAreLockedToTheirThread|BackendsKill)$",
	Faults: []planted.Fault{
		{
			Name: "the doorbell does not ring",
			In:   "Pump.submit",
			Old:  "!p.rung && !p.busy",
			New:  "false && !p.rung && !p.busy",
			Want: "the doorbell rang 0 times",
			Run:  "^TestPumpRingsOncePerBatch$",
		},
		{
			Name: "the doorbell rings for each entry",
			In:   "Pump.submit",
			Old:  "!p.rung && !p.busy",
			New:  "!p.busy",
			Want: "the doorbell rang 2 times",
			Run:  "^TestPumpRingsOncePerBatch$",
		},
		{
			Name: "a loop that finds nothing is not rung for again",
			In:   "Pump.next",
			Old:  "p.rung = false",
			New:  "",
			Want: "the doorbell rang 0 times",
			Run:  "^TestPumpRingsOncePerBatch$",
		},
		{
			Name: "the hint is to sleep though there is more",
			In:   "Pump.hint",
			Old: `if p.queue.empty() {
	p.rung = false
	return ParkWait
}
return ParkPoll`,
			New: `if p.queue.empty() {
	p.rung = false
	return ParkWait
}
return ParkWait`,
			Want: "want poll",
			Run:  "^TestPumpRingsOncePerBatch$",
		},
		{
			Name: "what is urgent has its turn like anything else",
			In:   "entries.push",
			Old:  "e.p == sched.Critical",
			New:  "false",
			Want: "the order is",
			Run:  "^TestUrgentActorsOfAPumpGoFirst$",
		},
		{
			Name: "a Goexit leaves the pump at work",
			In:   "Pump.stop",
			Old: `p.leaveLocked()
p.rung = !p.queue.empty()`,
			New:  "p.rung = !p.queue.empty()",
			Want: "the next loop was told",
			Run:  "^TestGoexitInAPump$",
			Hang: true,
		},
		{
			Name: "a Goexit does not ring for what is left",
			In:   "Pump.stop",
			Old: `if left {
	p.ring()
}`,
			New: `if false {
	p.ring()
}`,
			Want: "the doorbell rang 1 times",
			Run:  "^TestGoexitInAPump$",
		},
		{
			Name: "a kill ends the loop",
			In:   "Pump.runOne",
			Old: `if _, ok := v.(vanished); !ok {
	panic(v)
}`,
			New: `if _, ok := v.(vanished); ok || !ok {
	panic(v)
}`,
			Want: "vanished",
			Run:  "^TestBackendsKill$/^pump$",
		},
		{
			Name: "goroutines for what blocks are not limited",
			In:   "blocking.serveLocked",
			Old:  "b.limit < 0 || b.n < b.limit",
			New:  "true",
			Want: "there are 5 goroutines",
			Run:  "^TestBlockingLimit$",
		},
		{
			Name: "a Goexit leaves what is queued",
			In:   "blocking.leave",
			Old:  "!b.queue.empty()",
			New:  "false",
			Want: "FAIL",
			Run:  "^TestGoexitOfTheOnlyBlockingGoroutine$",
			Hang: true,
		},
		{
			Name: "a handler that waits keeps its place",
			In:   "blocking.run",
			Old:  "h.SetTurn(b)",
			New:  "",
			Want: "FAIL",
			Run:  "^TestBlockingHandlersThatWait$",
			Hang: true,
		},
		{
			Name: "a handler that has waited goes on without a place",
			In:   "blocking.TakeBack",
			Old:  "<-granted",
			New:  "",
			Want: "more handlers ran at a time",
			Run:  "^TestBlockingHandlersThatWait$",
		},
		{
			Name: "a goroutine that has left counts as idle",
			In:   "blocking.await",
			Old:  "b.idle = append(b.idle[:i], b.idle[i+1:]...)",
			New:  "_ = i",
			Want: "deadline exceeded",
			Run:  "^TestIdleBlockingGoroutinesLeave$",
		},
		{
			Name: "a goroutine that has left counts as there",
			In:   "blocking.leave",
			Old: `defer b.mu.Unlock()
b.n--`,
			New:  "defer b.mu.Unlock()",
			Want: "after a minute there are still",
			Run:  "^TestIdleBlockingGoroutinesLeave$",
		},
		{
			Name: "an actor has no thread of its own",
			In:   "thread.run",
			Old: `runtime.LockOSThread() // Not unlocked: what C code has left on the thread goes with it.
h := t.sys.scheduler.NewHost()`,
			New: `// Not unlocked: what C code has left on the thread goes with it.
h := t.sys.scheduler.NewHost()`,
			Want: "the handler runs on",
			Run:  "^TestHandlersAreLockedToTheirThread$",
		},
		{
			Name: "the main thread may be another",
			In:   "System.RunMain",
			Old: `runtime.LockOSThread()
defer runtime.UnlockOSThread()`,
			New:  "",
			Want: "the handler runs on",
			Run:  "^TestHandlersAreLockedToTheirThread$",
		},
		{
			Name: "an idle thread is abandoned and does not notice",
			In:   "thread.abandon",
			Old: `if t.present != nil {
	t.present.poke()
}`,
			New:  "",
			Want: "the system has not stopped",
			Run:  "^TestThreadThatIsAbandonedWhenIdle$",
		},
		{
			Name: "a killed handler keeps the thread to itself",
			In:   "thread.abandon",
			Old:  "t.present = nil",
			New:  "",
			Want: "FAIL",
			Run:  "^TestBackendsKill$/^own_thread$",
			Hang: true,
		},
	},
}
