// Package simtest runs concurrent programs as a function of a seed: actors,
// supervisors, jobs, timers and goroutines, unchanged, under thousands of
// schedules a second, with virtual time, and replays exactly what went wrong.
//
//	func TestTransfer(t *testing.T) {
//		simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
//			sys := s.System(actor.Config{})
//			... start actors, send, ask, s.RunUntilIdle(), check ...
//		})
//	}
//
// [Run] calls the body again and again, each time under another schedule. If one
// fails, it looks for the simplest that fails in the same way and prints what
// happened, step by step, and the command that replays it.
//
// # What a schedule decides
//
// In a simulation one goroutine runs everything that schedulers have queued: a
// message of an actor, a job, the rest of a handler whose ask was answered. A
// schedule says which of them is next; whether a handler is interrupted where it
// sends, yields or passes a checkpoint; and whether a forked call runs on its own.
// It ignores priorities and the number of workers, since a program must not
// depend on them to be right. A program finds 4 workers, whatever GOMAXPROCS
// is. See [Strategy] for how schedules are chosen.
//
// # Time
//
// Each run is a bubble of [testing/synctest]: the clock of the time package stands still
// while anything can run, and then jumps to the next timer. Sleeping for an hour takes no
// time. Timers of actors and supervisors that are due in the same moment fire in an
// order that the schedule decides; timers of scopes, jobs and selects in the order in which
// they were set. [Sim.Advance], [Sim.AdvanceToNext] and [Sim.RunUntilIdle] let the body
// say when.
//
// # What is found
//
// Besides what the body checks itself: deadlocks, with who waits for whom;
// programs that never come to rest; schedulers, jobs and goroutines that are left
// behind; steps that hang in real time; and programs that are not deterministic,
// with the place where two runs of one schedule part. The natural schedule is run twice, a
// schedule that fails is repeated before it is offered for replay, and Config.Repeat has
// others repeated. [Sim.Always] checks an
// invariant after each step, and Config.Forbid what must not be left behind at the
// end. [Sim.PanicAt], [Sim.PanicRate], [Sim.FailAt], [Sim.FailActor],
// [Sim.KillAt], [Sim.KillRate], [Sim.Slow], [Sim.Delay] and [Sim.Full] inject failures, and
// [Sim.Target] leads the search to a narrow window of time. A message that was accepted is never
// dropped or doubled, since inside one process it never is, and those that an actor
// is sent by one sender stay in order.
//
// # What is outside its control
//
// Only what waits by means of this module is interleaved. Goroutines of the
// program's own run between two steps, until all of them are blocked, or beside the
// step that starts or wakes them; should they race with each other, or with that, the
// run is not a function of the seed. The same is true
// of the order of a map, of a select with several ready cases, of random numbers
// (use [Sim.Rand]), and of variables that outlive the body. A handler that blocks
// in a channel holds up everything, and is reported when nothing can wake it;
// one that blocks in a mutex or in a system call is reported after a second of real
// time, and one that computes for ever after a second of processor time. A synctest bubble must not use channels, timers
// or goroutines from outside it.
//
// The body must not call synctest.Test, nor methods of the outer testing.T that
// end the test; [Sim] is a [testing.TB] to be used instead.
package simtest
