// Package session joins two births of nodes: what one side sends arrives at the other in
// order, once, or comes back to its sender with an error.
//
//	end, err := session.Listen(session.Config{Bus: bus, Self: session.Node{Name: "a", Birth: 7}, Deliver: deliver})
//	s, err := end.Session(ctx, session.Node{Name: "b", Birth: 9})
//	err = s.Send(ctx, session.Message{Kind: session.Tell, Lane: session.Data, Target: 12}, payload)
//	err = end.Close(ctx)
//
// A birth is one life of a node. An [End] is a birth's end of all its sessions. A [Session]
// has three streams, one for each [Lane]. Each stream numbers its frames, keeps them until the other side
// has acknowledged them, and sends them again after a gap, silence or a cut. The bus below may
// lose, double and reorder frames.
//
// # Bounds
//
// A sender waits while its lane has 256 KiB that are not acknowledged, or while its target has
// 256 messages or 256 KiB that are not taken there. TrySend returns ErrFull instead. A target
// that takes nothing stops its own senders alone. Memory is bounded before it is
// taken: a frame has 16 KiB, a message 512 KiB, and a target that is full holds what its credits allow.
//
// # Ends
//
// A session ends by Close, by Lost, by a mistake of the other side (ErrProtocol), or when nothing was heard or acknowledged for 15 s
// (ErrUnreachable). Waiting senders then get the error, and each message that was not
// acknowledged is handed to Config.Unconfirmed: it may have arrived. A later session of the
// same births has other epochs, and frames of the earlier one are refused.
//
// # How it is built
//
// outbound has what is to be sent, inbound what has come, link the handshake and the clock;
// they start no goroutine and read no clock, so that tests run thousands of schedules
// a second. writer has the goroutines, one a class of the bus.
//
// The package is internal, and not below cluster, since package wire will export its first ref
// before there is a cluster. It knows neither actors nor codecs.
package session
