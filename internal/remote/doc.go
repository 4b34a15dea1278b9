// Package remote carries the messages of stand-ins over sessions: what an actor sends to an actor of another node.
//
//	node, err := remote.Join(remote.Config{System: sys, Self: session.Node{Name: "a", Birth: 7}, Bus: bus, Registry: wire.Default})
//	ref, err := wire.Import[Transfer](sys, exported)
//	err = ref.Send(ctx, Transfer{...}) // A session with the actor's node begins with the first message.
//	err = node.Close(ctx)
//
// A [Node] is a system that has joined. It joins three things: the stand-ins of package actor, for which it is the carrier; the agreement of package
// wire on types; and the sessions of package session. Births come from its caller, and so does the news that a node is lost.
//
// # What becomes of messages
//
// Send encodes the message into the session and returns when the session has it. The other node decodes it, binds its refs and gives it to
// the actor. If the actor's lane is full, one goroutine waits for it there, later messages wait in the session, and when the credits are
// used up, senders wait. When a session ends, each message that was not acknowledged is a dead letter on this side, with
// wire.ErrUnconfirmed; asks get the reason, and so do monitors. A later message begins another session.
//
// # What goes where
//
// Tells, asks, and the answers to these go in the lane of the message. Drain follows the messages in the Data lane. Stop, Kill, watches and ends of asks
// go in the Control lane. The end of an actor waits for all that its node has sent before.
//
// A frame that must not wait, such as an answer, goes through an outbox: a queue for each node, which a goroutine empties while there is
// something in it.
package remote
