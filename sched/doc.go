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
// Config.BlockedAfter. [Scheduler.Held] names what holds workers, and
// [Scheduler.HeldStacks] shows where it stands.
//
// So jobs are ordinary Go code, with two exceptions made by the Go runtime. It
// ends the process if a job that has called [runtime.LockOSThread] waits by means
// of this module, or returns, before it has unlocked the thread. And a loop that
// calls nothing can only be interrupted by the runtime's asynchronous preemption:
// with GODEBUG=asyncpreemptoff=1, or on a platform without it, such a loop keeps
// its processor from everybody.
//
// # Order
//
// Work is taken first in, first out, from each of four priorities. [Critical]
// work goes before everything else on every worker. A job that takes long lets it
// pass by a [Checkpoint]: it steps aside with its stack and goes on afterwards, on
// this worker or another. Three such interruptions nest; the next critical work
// waits for the running one. If every worker is on work without checkpoints, the
// submitter of critical work has a spare worker start it. If there is no spare left,
// one of four workers does that take critical work alone.
//
// A loop counts what it does with a [Budget], and so leaves room not only for
// what is critical but for its equals.
//
// Work that has waited for Config.AgeAfter rises by one priority, again and again
// until it runs, so nothing waits for ever behind more urgent work.
//
// # Placement
//
// A job runs on whichever worker comes to it. [WithWorker] pins it to one, which
// alone continues it after each wait, and for which it waits even if that is
// blocked; [WithAffinity] lets it prefer one as long as that can keep up. A job
// that submits without either stays on its own worker, and is stolen by idle ones.
//
// Config.Reserved keeps workers free for urgent work: bulk jobs, even if they
// block every other worker, delay nothing that those workers take. Work from
// outside goes to a shared queue, or, by Config.Placement, to the worker with
// least to do. Where queues become uneven although all workers are busy, work is
// moved, every 1 to 50 ms by how much the loads change; see
// Config.ImbalanceThreshold.
//
// # Divide and conquer
//
// [Join], [Do] and [For] share the work of one job out to idle workers: a call
// is put on offer, and made in place if nobody takes it. That is cheap enough,
// about 20 ns, to need no cut-off where a recursion becomes small.
//
// # Stealing
//
// A worker without work takes some from others. How much follows from what the
// work costs: up to half of a queue, at most 64 pieces, and about 200 us of work,
// so that ten small jobs are not moved like one that is huge. By default each
// worker decides by its own measurements ([StealAdaptive]); Config.Steal and
// [Scheduler.SetStealStrategy] choose otherwise. A worker that finds nothing
// sleeps; new work wakes it at once.
//
// [StealLocal] goes by the machine's caches and NUMA nodes, and Config.PinWorkers
// binds workers to processors.
//
// # Statistics
//
// [Scheduler.Stats] returns a snapshot at any time, without stopping anything:
// what each worker does ([WorkerState]), what waits in its queues, and what it has
// counted; [Stats.Total] adds up. While [Scheduler.Stop] lets the accepted work
// finish, the workers are draining.
//
// # How it works
//
// A worker is a goroutine that resumes coroutines, on which its loop takes work and calls
// it. So a job that waits costs a coroutine switch, without the Go scheduler.
// ARCHITECTURE.md tells more; the workers are in internal/workers.
package sched
