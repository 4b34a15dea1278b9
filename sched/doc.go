// Package sched runs jobs on a few workers, and keeps them running whatever
// the jobs do.
//
//	s, err := sched.New(sched.Config{})
//	job, err := s.Go(ctx, func(ctx context.Context) error { return index(ctx, file) })
//	err = job.Wait(ctx)
//	err = s.Stop(ctx)
//
// A [Scheduler] has as many workers as there are processors. Each has queues of its
// own, and idle workers steal from them. All workers share queues for work from
// outside. [Scheduler.Go] submits a function and returns its [Job]. [Job.Wait] waits
// for the result. [GoResult] is for functions that return a value, and a [Group] runs
// many small functions for less.
//
// # Main ideas
//
//   - A job ends exactly once. A panic never ends the process. A job has a timeout of
//     30 s, see [Config].JobTimeout.
//   - A job that waits by means of this module, with its context, suspends and holds no
//     worker. A spare worker takes the place of a worker that blocks otherwise.
//   - Work has four priorities, and work that waits long rises. A long job lets
//     [Critical] work pass by a [Checkpoint] or a [Budget].
//   - [WithWorker] and [WithAffinity] say where a job runs. Idle workers steal by the cost
//     of the work, see [StealAdaptive].
//   - [Join], [Do] and [For] share the work of one job among idle workers.
//   - [Scheduler.Stats] shows workers, queues and counters without stopping anything.
//     [Scheduler.Held] names the jobs that hold workers.
//
// A job must not wait or return while it has locked its thread by
// [runtime.LockOSThread]: the Go runtime would end the process.
//
// # How it works
//
// A worker is a goroutine that resumes coroutines. The loop of a coroutine takes work and
// calls it. So a job that waits costs a coroutine switch, without the Go scheduler.
// ARCHITECTURE.md tells more; the workers are in internal/workers.
//
// All rules are in the [reference].
//
// [reference]: https://github.com/troupe-go/troupe/blob/main/docs/reference/scheduler.md
package sched
