// Package entity has virtual actors: actors that are always there. Each has an id. The first message for an id makes the
// actor, and when it has been idle for a while it goes, until the next message.
//
//	var accounts = entity.Register("account", entity.Config[command]{New: bank.For}) // Plain or journaled.
//
//	host, err := entity.Start(ctx, node, entity.Kinds(accounts))
//	ref := accounts.Ref(host, "1001")  // Makes no call, and no actor.
//	err = ref.Send(ctx, deposit{50})   // Makes the actor, if it is not there.
//	err = host.Stop(ctx)               // All actors handle what they have, and go.
//
// A ref of a virtual actor is an [actor.Ref] like any other: for Send, Ask, Gather, timers, routers, and inside messages. It never
// becomes stale while the host runs.
//
// # What is true of one node
//
// For now, a kind lives on the node that has started the host: all ids are there, and other nodes can't reach them. Two nodes
// that start hosts with one kind have an actor each for an id, so start it on one node only.
//
// # Main ideas
//
//   - The actor that is there for an id is its activation. There is one at a time. The actor's own Self is the ref of the
//     activation, which ends with it; so is [Kind.Activation].
//   - To passivate is to drain: the activation handles what it has, and what comes meanwhile makes the next one. A sender of
//     that waits for the end, TrySend returns [actor.ErrFull], and messages of one sender keep their order.
//   - Timers, links, names and children belong to the activation, and so they end with it.
//   - An activation that fails is begun again for the messages that wait, after a back-off. After too many failures in a row it
//     ends: what waits goes to the dead letters, and senders get an [*ActivationError] for a while.
//
// # Stop, Drain, Kill and Monitor of a virtual ref
//
// Drain passivates the activation. Stop ends it after the message in hand, and what waits goes to the dead letters. Kill
// kills its incarnation, and messages that wait are handled by the next. All three do nothing if there is no activation, and the
// next message makes one. Monitor, Done and Err tell of the end of the host alone, since a virtual actor
// has no end; monitor the activation for its end. Link, Suspend and Info return [actor.ErrElsewhere].
package entity
