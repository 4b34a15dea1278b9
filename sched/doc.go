// Package sched runs jobs on a few workers, and keeps them running whatever
// the jobs do.
//
// A [Scheduler] has as many workers as there are processors. Each has queues
// of its own, from which idle workers steal, and all share queues for what
// comes from outside. [Scheduler.Go] submits a function and returns its [Job];
// [Job.Wait] waits for its result.
//
//	s, err := sched.New(sched.Config{})
//	job, err := s.Go(ctx, func(ctx context.Context) error { return index(ctx, file) })
//	err = job.Wait(ctx)
//	err = s.Stop(ctx)
//
// # Jobs
//
// A [Job] is the handle of one function: its id, state, result, cancellation and
// a snapshot of its life ([Job.Info]). Options give it a priority, a kind, an
// estimate of its cost and a timeout. [GoResult] is for functions that return a
// value.
//
// Whatever happens, a job ends once, and [Job.Wait] says how: with what its
// function returned, with a [*PanicError] or [ErrGoexit], with [ErrJobTimeout],
// with the cause of a cancellation before it began, or with [ErrStopped]. A
// panic never ends the process.
//
// A job has 30 s ([Config].JobTimeout) from its beginning on. Then its context
// ends and so does the job; a function that does not look at its context goes on,
// keeps its worker, and shows as [Stats].Overdue. The context of a job ends with
// the job: for what shall go on, use [context.WithoutCancel].
//
// [Config].MaxQueued bounds the queue. Then [Scheduler.Go] waits or returns
// [ErrFull], as [Config].WhenFull says; a job that submits to its own scheduler
// never waits, so a full one can't deadlock.
//
// A job costs one allocation of 80 bytes and some 200 ns. Where that is more than
// the work itself, a [Group] runs plain functions, at a quarter of it, and waits
// for all of them.
//
// # Waiting and blocking
//
// A job that waits by means of this module, with the context that it was
// given, suspends: its stack steps aside and its worker goes on. A job that
// blocks otherwise, in a channel, a mutex, a system call or an endless loop,
// keeps its worker, and a spare worker takes that one's place: within 16 ms,
// and mostly much sooner, if a processor is idle, else up to 8 ms after
// Config.BlockedAfter. So jobs
// are ordinary Go code, with one exception made by the Go runtime, which ends
// the process for it: a job that has called [runtime.LockOSThread] must not
// wait by means of this module, nor return, before it has unlocked the thread.
//
// # Order
//
// Work is taken first in, first out, from each of four priorities. [Critical]
// work goes before everything else on every worker, and a job that takes long
// lets it pass by a checkpoint ([Fiber.Checkpoint]). Work that is Low may wait
// for as long as there is any that is High.
//
// # Divide and conquer
//
// [Join], [Do] and [For] share the work of one job out to idle workers: a call
// is put on offer, and made in place if nobody takes it. That is cheap enough,
// about 20 ns, to need no cut-off where a recursion becomes small.
//
// # For builders
//
// Actors, tasks and coroutines are built on [Runner], [Node], [Fiber] and
// [Waiter]: work without a handle, queued without an allocation, with explicit
// suspension. A program that uses jobs needs none of them.
//
// # How it works
//
// A worker is a goroutine that resumes coroutines, the fibers, on which its
// dispatch loop runs; see [Fiber]. That makes a suspension a coroutine switch,
// without the Go scheduler. Sleeping and waking is described at idle, spare
// workers at monitor, and the queues in internal/deque.
package sched
