// Package strand runs sequential code on stacks of its own that cost a few KB and
// no thread: stackful coroutines on a [sched.Scheduler].
//
//	err := strand.Run(ctx, sched.Config{}, func(s *strand.Strand) error {
//		numbers := strand.NewChan[int](0)
//		if _, err := strand.Go(s, func(s *strand.Strand) error { return count(s, numbers) }); err != nil {
//			return err
//		}
//		for n := range numbers.All(s) {
//			...
//		}
//		return nil
//	})
//
// A [Strand] is a job that may wait at any depth of calls, as in a loop that reads,
// thinks and writes. While it waits it holds its stack and nothing else, so a
// program has hundreds of thousands of them.
//
// [Run] has a scheduler of its own. It shuts the scheduler down when the main strand has
// ended. [Go] starts strands beside whatever else a scheduler runs: jobs, tasks,
// actors. The strand is itself the context that it hands to the functions it calls.
//
// # Main ideas
//
//   - [Strand.Sleep], [Strand.Join], [Chan], [Select], [Mutex], [WaitGroup] and all waits of
//     this module suspend the strand, and end early when it is cancelled. A strand that
//     blocks by other means holds a worker until a spare takes over.
//   - Loops that never wait give way by [Strand.Checkpoint] or a [Strand.Budget].
//   - A [Conn] is a connection, a file, a pipe or a terminal. A strand that waits for it
//     holds no thread, goroutine or buffer where the system can poll it.
//   - A strand must not wait while it has locked its thread by [runtime.LockOSThread], or
//     below a callback from C: the Go runtime would end the process.
//   - In a simulation, see package simtest, strands run under schedules that a seed
//     chooses, in virtual time. A [Pipe] takes the place of a connection there.
//
// All rules, and the cost of a strand, are in the [reference].
//
// [reference]: https://github.com/troupe-go/troupe/blob/main/docs/reference/strands.md
package strand
