// Package netio brings streams of bytes to actors: what a peer sends comes as an
// actor's messages, and what the actor sends goes to the peer.
//
// [Listen] serves each connection by an actor of its own, below a supervisor:
//
//	l, err := netio.Listen(ctx, sys, netio.ListenerConfig[string, string]{
//		Addr:  "localhost:7000",
//		Codec: netio.Lines{},
//		New: func(conn *netio.Conn[string]) actor.Actor[string] {
//			return actor.Func(func(ctx *actor.Context[string], line string) error {
//				return conn.Send(ctx, line)
//			})
//		},
//	})
//	...
//	err = l.Stop(ctx)
//
// By [NewListener] and [Listener.Child] the listener is a child of the program's own
// supervisor: it starts and stops in its turn, and is restarted when it fails.
//
// [Attach] makes a stream that is there already part of an actor that is there
// already: a connection that was dialled, a pipe, a serial port.
//
// # Codecs
//
// A [Codec] makes messages from the bytes of a stream, in whatever pieces they come, and
// bytes from messages: [Lines] of text, [Frames] behind their length, [JSON] values, or one
// of the program's own. [Map] puts what comes into the type of all messages of the actor.
// Data from a peer is not trusted: all sizes have limits, which hold before memory is
// taken, and bytes that make no message end the connection with a [*DecodeError].
//
// # Back-pressure
//
// Nothing is queued but in the actor's lanes. While its Data lane is full, nothing
// is read from the peer, which then waits by the flow control of TCP. While the
// peer does not read, [Conn.Send] waits, and so do the actor and its lanes. Waiting
// holds no worker and no goroutine, and how long the peer may take is bounded by
// [Timeouts]. Nor may a peer take more than 4 MiB of memory, or all peers of a listener
// more than 96 MiB, unless ListenerConfig.MaxBuffered and MaxBufferedTotal say otherwise:
// beyond, nothing is read, and peers that never read are cut off with [ErrBufferLimit].
// Another actor writes messages from elsewhere to the peer, so they do not wait
// behind the peer's own; see [Conn.Send].
//
// # Ends
//
// A connection ends in good order: whatever the peer has sent before its end is
// handled and answered before the actor stops and the connection is closed; so it
// is by [Conn.Close] and [Listener.Stop], from what had been read. An actor that
// fails takes its connection along, and no other.
package netio
