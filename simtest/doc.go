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
// fails, Run looks for the simplest schedule that fails in the same way. It prints what
// happened, step by step, and the command that replays it.
//
// # Main ideas
//
//   - A schedule decides which work is next, and whether a handler is interrupted where it
//     sends, yields or passes a checkpoint. [Strategy] says how schedules are chosen.
//   - Each run is a bubble of [testing/synctest] with virtual time. [Sim.Advance],
//     [Sim.AdvanceToNext] and [Sim.RunUntilIdle] let it pass.
//   - A run fails by the body's own checks, and by deadlocks, work or goroutines that are left
//     behind, steps that hang, and programs that are not deterministic. [Sim.Always] checks
//     an invariant after each step.
//   - [Sim.PanicAt], [Sim.KillAt], [Sim.Delay], [Sim.Full] and others inject failures.
//   - A handler that blocks in a channel or in [time.Sleep] does not hold up others. One that
//     waits for a [sync.Mutex] does, and is reported.
//   - Goroutines that race, map order, a select with several ready cases, and random numbers
//     (use [Sim.Rand]) are left to chance.
//   - The body must not call synctest.Test, nor methods of the outer testing.T that end the
//     test. A [Sim] is a [testing.TB] to be used instead.
//
// All rules are in the [reference].
//
// [reference]: https://github.com/troupe-go/troupe/blob/main/docs/reference/simulation.md
package simtest
