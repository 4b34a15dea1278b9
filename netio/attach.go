package netio

import (
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/strand"
)

// AttachConfig says how a stream is attached to an actor. The actor takes messages of
// type M and writes messages of type Out.
type AttachConfig[M, Out any] struct {
	// Codec makes messages of bytes, and bytes of messages. It is needed. See [Map].
	Codec Codec[M, Out]
	// Ended makes the message by which the actor learns that nothing more comes. The
	// error is nil if the peer has ended the stream, else see [Conn.Err], or
	// [net.ErrClosed] after Conn.Close. It comes behind all messages of the stream.
	// It is needed: the actor closes the connection then. If it panics or calls Goexit,
	// that is the connection's error, and the connection is closed.
	Ended func(err error) M
	// Timeouts bound how long the other side may take.
	Timeouts Timeouts
	// MaxBuffered bounds the memory of the connection; see [ListenerConfig].
	MaxBuffered int64
}

// Attach has what comes from a connection be messages of an actor, until the stream
// ends, Conn.Close is called, or the actor has ended; a restart is no end. While the
// actor's lane is full, nothing is read. The connection must not be used otherwise
// any more. It is closed by Conn.Close and by the end of the actor; with an error of
// Attach it stays the caller's.
//
// It takes a strand and an actor, 8 KB together with their stacks and buffers.
func Attach[M, Out any](ctx context.Context, sys *actor.System, to actor.Ref[M], c *strand.Conn, cfg AttachConfig[M, Out]) (*Conn[Out], error) {
	if c == nil {
		return nil, fmt.Errorf("%w: Attach needs a Conn", ErrConfig)
	}
	decoder, err := cfg.complete(ctx, sys, to)
	if err != nil {
		return nil, err
	}
	return cfg.attach(ctx, sys, to, c, decoder)
}

// attach is Attach with all that is needed.
func (cfg *AttachConfig[M, Out]) attach(ctx context.Context, sys *actor.System, to actor.Ref[M], c *strand.Conn, decoder Decoder[M]) (*Conn[Out], error) {
	group := newStreams(new(past), lingering, math.MaxInt64)
	s := newStream(c, cfg.Timeouts, group, cfg.MaxBuffered)
	if err := group.add(ctx, s); err != nil {
		return nil, err
	}
	k, err := actor.Spawn(sys, actor.Actor[notice](newKeeper(group)))
	if err != nil {
		return nil, err
	}
	l := &link[M]{s: s, sys: sys, to: to, keeper: k, decoder: decoder, ended: cfg.Ended}
	_, err = strand.Go(context.Background(), func(me *strand.Strand) error {
		defer func() { _ = k.Stop(context.WithoutCancel(me)) }() // It has nothing to wait for.
		return l.run(me)
	}, strand.On(sys.Scheduler()), strand.Kind("netio"))
	if err != nil {
		group.remove(s) // Before its keeper closes the caller's connection.
		_ = k.Stop(context.WithoutCancel(ctx))
		return nil, err
	}
	return &Conn[Out]{encode: cfg.Codec.Append, s: s}, nil
}

// AttachStream is Attach for any stream of bytes. A [net.Conn] of TCP or a Unix
// socket is polled as a strand's; of any other stream, each call that waits takes a
// goroutine for so long. The stream is taken over, and closed if AttachStream
// returns an error that is not about its arguments.
func AttachStream[M, Out any](ctx context.Context, sys *actor.System, to actor.Ref[M], rw io.ReadWriteCloser, cfg AttachConfig[M, Out]) (*Conn[Out], error) {
	if rw == nil {
		return nil, fmt.Errorf("%w: AttachStream needs a stream", ErrConfig)
	}
	// Wrong settings are found before the stream is taken over.
	decoder, err := cfg.complete(ctx, sys, to)
	if err != nil {
		return nil, err
	}
	n, ok := rw.(net.Conn)
	if !ok {
		n = plain{rw}
	}
	c, err := strand.Wrap(n)
	if err != nil {
		_ = n.Close() // The first error says more.
		return nil, fmt.Errorf("netio: %w", err)
	}
	conn, err := cfg.attach(ctx, sys, to, c, decoder)
	if err != nil {
		_ = c.Close()
	}
	return conn, err
}

// complete puts in what is not set, and finds what is wrong.
func (cfg *AttachConfig[M, Out]) complete(ctx context.Context, sys *actor.System, to actor.Ref[M]) (Decoder[M], error) {
	switch {
	case ctx == nil || sys == nil:
		return nil, fmt.Errorf("%w: there is no Context or no System", ErrConfig)
	case cfg.Ended == nil:
		return nil, fmt.Errorf("%w: Ended is nil; without it the actor would not know when to close the connection", ErrConfig)
	case to == actor.Ref[M]{}:
		return nil, actor.ErrNoRef
	}
	if err := completeBytes(&cfg.MaxBuffered, "MaxBuffered", defaultBuffered); err != nil {
		return nil, err
	}
	if err := cfg.Timeouts.complete(); err != nil {
		return nil, err
	}
	return newDecoder(cfg.Codec)
}

func newDecoder[In, Out any](c Codec[In, Out]) (d Decoder[In], err error) {
	if c == nil {
		return nil, fmt.Errorf("%w: Codec is nil", ErrConfig)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("netio: NewDecoder panicked: %v", r)
		}
	}()
	d, err = c.NewDecoder()
	if d == nil && err == nil {
		err = fmt.Errorf("%w: NewDecoder of %T returned nil", ErrConfig, c)
	}
	return d, err
}

// plain is a stream that is no connection of package net: it has no addresses, and
// its deadlines come from contexts.
type plain struct{ io.ReadWriteCloser }

type plainAddr struct{}

func (plainAddr) Network() string { return "stream" }
func (plainAddr) String() string  { return "stream" }

func (plain) LocalAddr() net.Addr              { return plainAddr{} }
func (plain) RemoteAddr() net.Addr             { return plainAddr{} }
func (plain) SetDeadline(time.Time) error      { return nil }
func (plain) SetReadDeadline(time.Time) error  { return nil }
func (plain) SetWriteDeadline(time.Time) error { return nil }
