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
// A [Supervisor] is itself an actor. Its children are described by data: a
// [Child] is an actor, a [Nested] another supervisor. More are added by [Spawn],
// or by a [Template]. [Check] says what is wrong with a description.
//
// # Restarts
//
// A restart keeps the child's place: its PID, its refs, its registered names, and the
// messages that wait for it. It replaces the child's state by a new one from Child.New.
// Child.DropMail lets go of the messages, and Child.Retry has the message in which the
// child failed handled again, so many times.
//
// The [Policy] of a child says whether it is restarted, the [Strategy] which others are
// restarted with it, and the [Backoff] after what time. If more than Config.Intensity
// restarts happen within Config.Period, the supervisor stops all children and fails with
// [ErrIntensity]. A nested supervisor that has failed is restarted by the one above it,
// which may fail in its turn.
//
// A [Troupe] is a group of children that know each other's refs before the first
// of them begins, declared as a struct.
//
// # Starts and stops
//
// A child has started when its Started hook has returned; then the next one
// starts. The first start of all children succeeds as a whole or not at all. A
// child that is stopped ends after the message that it is handling; if it has not
// within Child.Shutdown, it is killed with all below it. A supervisor never waits
// for a child by blocking: it answers at all times, and can be stopped while a
// child is starting or waits for its restart.
//
// A killed child has not cleaned up, so the error of a stop names it. A
// supervisor that is suspended, see [actor.System.Suspend], carries out no orders,
// but keeps its limits and restarts its children.
//
// If a supervisor is killed, or its Config.OnRestart panics, its children are
// stopped all at once. Their limits hold nevertheless.
//
// Semantics are the same as in OTP's module supervisor, as far as that speaks of it. An
// actor that was stopped by [actor.Ref.Stop] is not restarted, though, and refs outlive
// restarts.
//
// # Cost
//
// A restart takes a few microseconds. The children of a [OneForOne] or [Dynamic]
// supervisor cost the same however many there are.
package supervise
