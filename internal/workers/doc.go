// Package workers runs pieces of work on a few workers. Package sched is what users see
// of it: its jobs, groups and figures are those here, under types of its own that cost
// nothing ([Scheduler] and sched.Scheduler are the same memory).
//
// Other packages of this module build on these types, which users do not see:
//
//   - [Node] and [Runner]: work without a handle, queued without an allocation.
//   - [Fiber] and [Frame]: where work runs, and how its context leads there.
//   - [Waiter]: a wait that suspends the fiber, or parks the goroutine.
//   - [Body] and [Admission]: a job that lies in a record of its own, as a task does.
//   - [Host]: a loop outside the scheduler on which work runs as on a worker.
//   - [Keeper] and [Kept]: work that ends with the actor or task that has begun it.
//   - [Guest]: a goroutine outside that takes its turns in a simulation.
//
// # How it works
//
// A worker is a goroutine that resumes coroutines, the fibers, on which its dispatch loop
// runs; see [Fiber]. That makes a suspension a coroutine switch, without the Go scheduler.
// Sleeping and waking is described in package parking, spare workers at monitor, and the
// queues in package queues and internal/deque.
package workers
