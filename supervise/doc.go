// Package supervise keeps actors going: a supervisor starts its children in order, restarts
// them when they fail, stops them in the opposite order, and gives up when they fail too
// often, so that the supervisor above it may act.
//
//	sup, err := supervise.Start(sys, supervise.Config{
//		Name:     "shop",
//		Strategy: supervise.RestForOne,
//		Children: []supervise.Spec{
//			supervise.Child[entry]{Name: "ledger", New: newLedger},
//			supervise.Child[sale]{Name: "till", New: newTill},
//		},
//	})
//	till, err := supervise.Ref[sale](sup, "till")
//	err = till.Send(ctx, sale{}) // However often the till was restarted.
//
// A [Supervisor] is itself an actor. Data describes its children: a [Child] is an actor,
// and a [Nested] is another supervisor. [Spawn] or a [Template] adds more. A [Troupe] is a
// group of children that know each other's refs. [Check] reports the mistakes in a
// description.
//
// # Main ideas
//
//   - A restart keeps the child's PID, refs, registered names and waiting messages. It
//     replaces the child's state by a new one from Child.New.
//   - The [Policy] of a child says whether it is restarted, the [Strategy] which others are
//     restarted with it, and the [Backoff] after what time.
//   - After too many restarts the supervisor stops all children and fails with
//     [ErrIntensity]. The supervisor above it may restart it.
//   - A child that does not stop within Child.Shutdown is killed. A supervisor never blocks
//     while it waits for a child.
//
// The semantics are the same as in OTP's module supervisor, except that an actor that was
// stopped by [actor.Ref.Stop] is not restarted, and that refs outlive restarts.
//
// # Where OTP's documentation is silent
//
//   - A restart that is exactly one period old no longer counts: the window is half open.
//   - Waiting in [Backoff] is no healthy time. Only the time from the end of Started to the
//     failure counts against Reset.
//   - A child that fails while its group is being stopped is down, and the failure does not
//     count. One that fails while its group is being started has the group start again, and
//     this counts as a restart.
//   - Under [RestForOne], if a child fails to start, the children before it run on.
//   - A child that is added while its group is being restarted waits for its turn. If a
//     Started of the group adds it, that ask ends with an [actor.CycleError].
//   - If a child had to be killed, Stop, Err and Terminate return [actor.ErrForced].
//
// All rules are in the [reference].
//
// [reference]: https://github.com/troupe-go/troupe/blob/main/docs/reference/supervision.md
package supervise
