// Package strand runs sequential code on stacks of its own that cost a few KB and
// no thread: stackful coroutines on a [sched.Scheduler].
//
// A [Strand] is a job that may wait at any depth of calls, as in a loop that reads,
// thinks and writes. While it waits it holds its stack and nothing else, so a
// program has hundreds of thousands of them:
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
// [Run] has a scheduler of its own, which it shuts down when the main strand has
// ended. [Go] starts strands beside whatever else a scheduler runs: jobs, tasks,
// actors. The strand is itself the context that is handed to whatever it calls.
//
// # Waiting
//
// [Strand.Yield] lets others take their turn, first in, first out among equals.
// [Strand.Sleep], [Strand.Park], [Strand.Join], [Chan], [Select], [Mutex] and [WaitGroup]
// suspend the strand; so does all waiting in this module that is given its context, as for
// an actor's answer or a task. They end early, with the cause, when the strand is
// cancelled. A strand that blocks by other means, such as a Go channel or a system call,
// holds a worker until a spare takes over: that is allowed, and expensive.
//
// The context bounds a wait, also if it is not the strand's own. A strand may also pass the
// context of another strand, job or actor of its scheduler, one that it has captured, say.
// It suspends all the same, and goes on when that context ends rather than its own. With a
// context from outside, such as context.Background, or of another scheduler, it holds its
// worker like a Go channel.
//
// Loops that never wait give way by [Strand.Checkpoint] or a [Strand.Budget], and
// so does each operation on a channel: 4,000 reductions, then the next in turn.
//
// # Input and output
//
// A [Conn] is a stream of bytes: a connection of [Listen] or [Dial], a file, a pipe, a
// terminal, or a [Pipe] in memory. A strand that would have to wait for it suspends, and a
// connection on which nothing happens takes a strand, a descriptor and some state, no
// goroutine and no buffer. Sockets and pipes go through the operating system's event queue,
// epoll or kqueue; one thread waits for all of them, from the first to the last that is
// open. A stream that can't be polled takes a goroutine for each call that waits. So does
// every stream on systems that have neither queue. [Conn.Net] makes a [net.Conn] of it, as
// for crypto/tls.
//
// # Stacks
//
// A strand has the stack of a goroutine: 2 KB at first, more as calls need it, up to the
// limit of [runtime/debug.SetMaxStack], 1 GB; since stacks double, the largest within it
// has 512 MB. Beyond that the Go runtime ends the process, as for any goroutine; nothing
// can catch it. The collector halves a stack of which less than a quarter is in use, each
// time it runs. A strand that has not waited yet has no stack of its own: it runs on its
// worker's.
//
// A strand must not wait by means of this module while it has locked its thread by
// [runtime.LockOSThread], nor below a callback from C: the Go runtime ends the
// process.
//
// # Cost
//
// An idle strand takes 3.1 KB where its stack has stayed at 2 KB, and a switch between two
// some 100 ns, 55 of them for two coroutine switches. The package's benchmarks compare with
// goroutines in one run: go test -bench . ./strand.
//
// In a simulation, see [simtest], strands run under schedules that a seed chooses,
// their time is virtual, and deadlocks among them are found. The operating system is
// outside of that: what comes from its connections and files comes when it comes, and
// a run that uses them can't be repeated. [Pipe] takes their place.
//
// [simtest]: https://pkg.go.dev/github.com/troupe-go/troupe/simtest
package strand
