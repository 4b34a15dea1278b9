//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var backendFaults = planted.Group{
	Run: "^Test(PumpRingsOncePerBatch|UrgentActorsOfAPumpGoFirst|GoexitInAPump|BlockingLimit|GoexitOfTheOnlyBlockingGoroutine|" +
		"IdleBlockingGoroutinesLeave|HandlersAreLockedToTheirThread|BackendsKill)$",
	Faults: []planted.Fault{
		{
			Name: "the doorbell does not ring",
			Dir:  "../internal/kernel/hosts",
			In:   "Loop.Submit",
			Old:  "!l.rung && !l.busy",
			New:  "false && !l.rung && !l.busy",
			Want: "the doorbell rang 0 times",
			Run:  "^TestPumpRingsOncePerBatch$",
		},
		{
			Name: "the doorbell rings for each entry",
			Dir:  "../internal/kernel/hosts",
			In:   "Loop.Submit",
			Old:  "!l.rung && !l.busy",
			New:  "!l.busy",
			Want: "the doorbell rang 2 times",
			Run:  "^TestPumpRingsOncePerBatch$",
		},
		{
			Name: "a loop that finds nothing is not rung for again",
			Dir:  "../internal/kernel/hosts",
			In:   "Loop.next",
			Old:  "l.rung = false",
			New:  "",
			Want: "the doorbell rang 0 times",
			Run:  "^TestPumpRingsOncePerBatch$",
		},
		{
			Name: "the hint is to sleep though there is more",
			Dir:  "../internal/kernel/hosts",
			In:   "Loop.pause",
			Old: `if l.queue.empty() {
	l.rung = false
	return false
}
return true`,
			New: `if l.queue.empty() {
	l.rung = false
	return false
}
return false`,
			Want: "want poll",
			Run:  "^TestPumpRingsOncePerBatch$",
		},
		{
			Name: "what is urgent has its turn like anything else",
			Dir:  "../internal/kernel/hosts",
			In:   "entries.push",
			Old:  "e.p == workers.Critical",
			New:  "false",
			Want: "the order is",
			Run:  "^TestUrgentActorsOfAPumpGoFirst$",
		},
		{
			Name: "a Goexit leaves the pump at work",
			Dir:  "../internal/kernel/hosts",
			In:   "Loop.stop",
			Old: `l.leaveLocked()
l.rung = !l.queue.empty()`,
			New:  "l.rung = !l.queue.empty()",
			Want: "the next loop was told",
			Run:  "^TestGoexitInAPump$",
			Hang: true,
		},
		{
			Name: "a Goexit does not ring for what is left",
			Dir:  "../internal/kernel/hosts",
			In:   "Loop.stop",
			Old: `if left {
	l.ring()
}`,
			New: `if false {
	l.ring()
}`,
			Want: "the doorbell rang 1 times",
			Run:  "^TestGoexitInAPump$",
		},
		{
			Name: "a kill ends the loop",
			Dir:  "../internal/kernel/hosts",
			In:   "Loop.runOne",
			Old: `if _, ok := v.(Vanished); !ok {
	panic(v)
}`,
			New: `if _, ok := v.(Vanished); ok || !ok {
	panic(v)
}`,
			Want: "Vanished",
			Run:  "^TestBackendsKill$/^pump$",
		},
		{
			Name: "goroutines for what blocks are not limited",
			Dir:  "../internal/kernel/hosts",
			In:   "Pool.serveLocked",
			Old:  "b.limit < 0 || b.n < b.limit",
			New:  "true",
			Want: "there are 5 goroutines",
			Run:  "^TestBlockingLimit$",
		},
		{
			Name: "a Goexit leaves what is queued",
			Dir:  "../internal/kernel/hosts",
			In:   "Pool.leave",
			Old:  "!b.queue.empty()",
			New:  "false",
			Want: "FAIL",
			Run:  "^TestGoexitOfTheOnlyBlockingGoroutine$",
			Hang: true,
		},
		{
			Name: "a handler that waits keeps its place",
			Dir:  "../internal/kernel/hosts",
			In:   "Pool.run",
			Old:  "h.SetTurn(b)",
			New:  "",
			Want: "FAIL",
			Run:  "^TestBlockingHandlersThatWait$",
			Hang: true,
		},
		{
			Name: "a handler that has waited goes on without a place",
			Dir:  "../internal/kernel/hosts",
			In:   "Pool.TakeBack",
			Old:  "<-granted",
			New:  "",
			Want: "more handlers ran at a time",
			Run:  "^TestBlockingHandlersThatWait$",
		},
		{
			Name: "a goroutine that has left counts as idle",
			Dir:  "../internal/kernel/hosts",
			In:   "Pool.await",
			Old:  "b.idle = append(b.idle[:i], b.idle[i+1:]...)",
			New:  "_ = i",
			Want: "deadline exceeded",
			Run:  "^TestIdleBlockingGoroutinesLeave$",
		},
		{
			Name: "a goroutine that has left counts as there",
			Dir:  "../internal/kernel/hosts",
			In:   "Pool.leave",
			Old: `defer b.mu.Unlock()
b.n--`,
			New:  "defer b.mu.Unlock()",
			Want: "after a minute there are still",
			Run:  "^TestIdleBlockingGoroutinesLeave$",
		},
		{
			Name: "an actor has no thread of its own",
			Dir:  "../internal/kernel/hosts",
			In:   "Thread.run",
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
			Name: "a killed handler keeps the thread to itself",
			Dir:  "../internal/kernel/hosts",
			In:   "Thread.Abandon",
			Old:  "t.present = nil",
			New:  "",
			Want: "FAIL",
			Run:  "^TestBackendsKill$/^own_thread$",
			Hang: true,
		},
	},
}
