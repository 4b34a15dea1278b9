package netio

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

// Conn is an actor's end of a connection: by it the actor writes messages of type Out. Data
// from the peer comes to the actor as its messages. All methods are safe for concurrent
// use. A nil Conn, and one that is none of this package's making, is like one that was
// closed: what has an error to return returns [net.ErrClosed].
type Conn[Out any] struct {
	encode func(dst []byte, v Out) ([]byte, error)
	s      *stream // Nil in the zero Conn.
}

// Timeouts bound how long the other side may take. A connection for which one is
// over ends; see [Conn.Err].
type Timeouts struct {
	// Idle is how long nothing may come between two messages. Bytes that a decoder passes
	// over, such as white space between JSON values, do not count. Defaults to 5 minutes;
	// -1 means for ever.
	Idle time.Duration
	// Message is how long a message may take from its first byte to its last.
	// Defaults to 30 seconds; -1 means for ever. Time in which nothing is read,
	// since the actor's lane is full, does not count, for Idle neither.
	Message time.Duration
	// Write is how long the peer may take for one message of Conn.Send. Defaults to
	// 30 seconds; -1 means for ever.
	Write time.Duration
}

func (t *Timeouts) complete() error {
	for _, one := range []struct {
		name      string
		d         *time.Duration
		byDefault time.Duration
	}{{"Idle", &t.Idle, 5 * time.Minute}, {"Message", &t.Message, 30 * time.Second}, {"Write", &t.Write, 30 * time.Second}} {
		if *one.d == 0 {
			*one.d = one.byDefault
		}
		if *one.d < -1 {
			return fmt.Errorf("%w: Timeouts.%s is %v; it must be positive, 0 for the default, or -1 for ever", ErrConfig, one.name, *one.d)
		}
	}
	return nil
}

// Traffic counts what has gone over a connection, or all of a listener's.
type Traffic struct {
	BytesIn, BytesOut uint64
	// MessagesIn are those that the actor has accepted, MessagesOut those that were
	// written.
	MessagesIn, MessagesOut uint64
}

func (t *Traffic) add(o Traffic) {
	t.BytesIn += o.BytesIn
	t.BytesOut += o.BytesOut
	t.MessagesIn += o.MessagesIn
	t.MessagesOut += o.MessagesOut
}

// maxKept is the size of the largest buffer that is kept for the next message.
const maxKept = 64 << 10

var outgoing = sync.Pool{New: func() any { return new([]byte) }}

// Send writes v, and returns when the operating system has taken all of it. While
// the peer does not read, Send waits, in a handler without holding a worker; the
// actor handles nothing meanwhile, its lane fills, and nothing more is read from
// the peer. So a peer takes no more memory than ListenerConfig.MaxBuffered.
//
// That a lane of such an actor is full does not mean that its peer reads too slowly: the
// peer may just have sent much. Where others have something to say to the peer as well,
// a second actor should write it, as in examples/chat: that one's lane is full only if
// the peer does not read.
//
// If the peer takes longer than Timeouts.Write the connection ends, and Send returns
// ErrWriteTimeout. It returns net.ErrClosed after Close or CloseWrite, what the
// codec says about v, and the cause if ctx ends before anything was written.
// When half of a message was written, the connection ends as well.
//
// It costs one system call, and allocates nothing besides the codec.
func (c *Conn[Out]) Send(ctx context.Context, v Out) error {
	switch {
	case ctx == nil:
		return fmt.Errorf("%w: Send with a nil Context", ErrConfig)
	case c.isVoid():
		return net.ErrClosed
	}
	// The bytes are made when it is their turn, so a Send that waits takes no memory.
	if err := c.s.beginWrite(ctx); err != nil {
		return err
	}
	defer c.s.endWrite(ctx)
	b := outgoing.Get().(*[]byte)
	defer func() {
		if cap(*b) <= maxKept {
			outgoing.Put(b)
		}
	}()
	out, err := c.encode((*b)[:0], v)
	if err != nil {
		return err
	}
	*b = out
	return c.s.write(ctx, out)
}

func (c *Conn[Out]) isVoid() bool { return c == nil || c.s == nil }

// CloseWrite tells the peer that nothing more will come. Its messages still come to the
// actor. After Close or CloseWrite it returns net.ErrClosed.
func (c *Conn[Out]) CloseWrite() error {
	if c.isVoid() {
		return net.ErrClosed
	}
	return c.s.closeWrite()
}

// Close ends the connection in good order: nothing more is read or written, what
// was read before still comes to the actor, and what was sent to the peer. The
// actor of a listener's connection is then drained. Close does not wait; see Done.
// Closing again does nothing.
func (c *Conn[Out]) Close() error {
	if c.isVoid() {
		return net.ErrClosed
	}
	err := c.s.closeWrite()
	c.s.end(context.Background(), net.ErrClosed)
	if err != nil && c.s.err() == nil && !isClosed(err) {
		return err
	}
	return nil
}

// LocalAddr returns the address of this end.
func (c *Conn[Out]) LocalAddr() net.Addr {
	if c.isVoid() {
		return nil
	}
	return c.s.conn.LocalAddr()
}

// RemoteAddr returns the address of the peer.
func (c *Conn[Out]) RemoteAddr() net.Addr {
	if c.isVoid() {
		return nil
	}
	return c.s.conn.RemoteAddr()
}

// alreadyDone is closed.
var alreadyDone = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// Done returns a channel that is closed when the connection is closed and nothing
// more of it comes to the actor.
func (c *Conn[Out]) Done() <-chan struct{} {
	if c.isVoid() {
		return alreadyDone
	}
	return c.s.done
}

// Err returns why the connection has ended, or is about to: a [*DecodeError],
// [ErrIdle], [ErrSlow], [ErrWriteTimeout], [ErrListenerStopped], or what the
// operating system said. It is nil while it goes on, and if it was ended by the
// peer, by Close, or by the end of its actor.
func (c *Conn[Out]) Err() error {
	if c.isVoid() {
		return net.ErrClosed
	}
	return c.s.err()
}

// Traffic returns what has gone over the connection so far.
func (c *Conn[Out]) Traffic() Traffic {
	if c.isVoid() {
		return Traffic{}
	}
	return c.s.traffic()
}
