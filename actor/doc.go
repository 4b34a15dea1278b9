// Package actor has typed actors: values that own their state, handle one
// message at a time, and are reached by refs alone.
//
//	type greet struct {
//		name  string
//		reply actor.Reply[string]
//	}
//
//	hello, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[greet], m greet) error {
//		return m.reply.Send(ctx, "hello, "+m.name)
//	}))
//	s, err := actor.Ask(ctx, hello, func(r actor.Reply[string]) greet { return greet{"gopher", r} })
//
// A [System] holds actors. [Spawn] starts one, from any value with a Receive
// method, and returns its [Ref]. Ref.Send puts a message into one of the actor's
// three lanes. [Ask] sends a message that carries a [Reply], and waits for the
// answer. The type of an actor's messages is part of its ref, so a wrong message
// does not compile. Messages travel by value.
//
// # Main ideas
//
//   - One sender's messages on one lane are handled in their order. [Control] goes
//     before [Management] and [Data]. A full lane makes its senders wait, unless
//     [WithBuffer] or [WithMailboxLimit] says otherwise.
//   - A handler may block. If it waits by means of this module, it holds no worker. A
//     ring of handlers that wait for each other gets a [*CycleError]. While a handler
//     waits its actor handles nothing else, unless [WithReentrancy] or [WithReadOnly]
//     lets other messages in.
//   - An ask carries the deadline, the values and the end of its context.
//   - An actor ends by an error, a panic, a stop or a kill. Links and monitors report
//     the end. A supervisor restarts the actor with the same refs, names and messages;
//     see package supervise.
//   - [SpawnProcess] writes an actor as a sequential process, and [WithBackend] runs it
//     outside of the scheduler.
//
// On the scheduler, a handler that has called [runtime.LockOSThread] must unlock the
// thread before it waits or returns: else the Go runtime ends the process, when the
// handler waits, or later, at the latest when the system stops. Its message names no actor.
//
// # Reference
//
// All rules are in docs/reference: [messages] (order, lanes, timers, cost), [waiting]
// (rings, reentrancy, readers, contexts), [lifecycle] (ends, links, timeouts, places),
// and [choices], with a test for each choice.
//
// [messages]: https://github.com/troupe-go/troupe/blob/main/docs/reference/messages.md
// [waiting]: https://github.com/troupe-go/troupe/blob/main/docs/reference/waiting.md
// [lifecycle]: https://github.com/troupe-go/troupe/blob/main/docs/reference/lifecycle.md
// [choices]: https://github.com/troupe-go/troupe/blob/main/docs/reference/choices.md
package actor
