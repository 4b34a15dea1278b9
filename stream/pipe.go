package stream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/netio"
	"github.com/troupe-go/troupe/strand"
)

// PipeConfig says how a connection and topics are connected. The peer sends messages of type In, and gets messages of
// type Out.
type PipeConfig[In, Out any] struct {
	// Codec makes messages of bytes, and bytes of messages. It is needed.
	Codec netio.Codec[In, Out]
	// In is the topic to which each message of the peer is published. While a subscriber has no
	// room, nothing is read from the peer, which then waits by the flow control of TCP. If In is
	// nil, what the peer sends is dropped, and [Piped.Traffic] counts it.
	In *Live[In]
	// Out is the topic whose messages are sent to the peer. If it is nil, the peer gets none.
	// One of In and Out is needed.
	Out *Live[Out]
	// Where chooses the messages that the peer gets; see [Subscriber]. Nil chooses all.
	Where func(Out) bool
	// Buffer is how many messages may wait for the peer besides the 16 in the lane of the actor that
	// writes, and WhenFull says what becomes of others. They default to 0 and WaitForRoom: a
	// peer that does not read makes those wait who publish to Out, until
	// Timeouts.Write ends the connection.
	Buffer   int
	WhenFull WhenFull
	// HalfOpen says that a peer that has ended its side still gets messages. Otherwise the
	// connection is closed then.
	HalfOpen bool
	// Timeouts bound how long the peer may take. A peer that has nothing to say for longer than
	// Timeouts.Idle, which defaults to 5 minutes, is cut off, also if it only listens.
	Timeouts netio.Timeouts
	// MaxBuffered bounds the memory of the connection, in bytes. Defaults to 4 MiB; -1 means no
	// limit. See [netio.ListenerConfig].
	MaxBuffered int64
}

// writerLane is how many messages wait in the lane of the actor that writes. It was picked out of thin air.
const writerLane = 16

// Piped is a connection that [Pipe] has connected. All methods are safe for concurrent use. A nil or zero
// Piped is one that has ended.
type Piped struct {
	sys   *actor.System
	chief actor.Ref[pipeEvent]

	mu   sync.Mutex
	conn pipeConn
	err  error
}

// pipeConn is a connection, whatever its messages.
type pipeConn interface {
	Close() error
	CloseWrite() error
	Traffic() netio.Traffic
	Err() error
}

// pipeEvent is what happens to a pipe: one of these.
type pipeEvent struct {
	attached          bool // The connection is there, and will be used.
	inEnded, outEnded bool
	err               error // Of an end, or nil.
}

// pipeInput is a message from the peer, or the end of them.
type pipeInput[In any] struct {
	v     In
	ended bool
	err   error
}

// Pipe connects a connection with topics: what the peer sends is published to In, and what is published to
// Out is sent to the peer. It takes the connection over, which must not be used otherwise any
// more, and which is closed at the end; with an error of Pipe it stays the caller's. It costs four actors
// and a strand.
//
// Flow control goes from end to end: a slow subscriber of In stops the reading, and a peer that does not read holds
// up the publishers of Out, unless WhenFull says otherwise. All that was read before the peer's end, or before Close,
// is published.
//
// The pipe ends when the peer ends its side (but see HalfOpen), with an error of the connection, when In is closed, and by
// [Piped.Close]. When Out is closed, the peer gets what was published, and then the end of the
// stream; what it sends after that is still published, and its own end ends the pipe.
func Pipe[In, Out any](ctx context.Context, sys *actor.System, c *strand.Conn, cfg PipeConfig[In, Out]) (*Piped, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if cfg.In.isVoid() && cfg.Out.isVoid() {
		return nil, fmt.Errorf("stream: pipe: both In and Out are nil: %w", ErrNoLive)
	}
	if err := cfg.WhenFull.check(cfg.Buffer); err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	if sys.Scheduler() == nil || cfg.Codec == nil {
		return nil, fmt.Errorf("stream: pipe: %w: the System or the Codec is nil", netio.ErrConfig)
	}
	p := &Piped{sys: sys}
	chief := &pipeChief{p: p, halfOpen: cfg.HalfOpen, outOver: cfg.Out.isVoid()}
	var err error
	if p.chief, err = actor.Spawn(sys, actor.Actor[pipeEvent](chief), actor.WithName("pipe")); err == nil {
		err = attachPipe(ctx, p, chief, c, &cfg)
	}
	if err == nil {
		err = p.chief.Send(ctx, pipeEvent{attached: true})
	}
	if err != nil {
		return nil, fmt.Errorf("stream: pipe: %w", err)
	}
	return p, nil
}

// attachPipe starts the actors of a pipe, and attaches the connection at last. With an error all of them end.
func attachPipe[In, Out any](ctx context.Context, p *Piped, chief *pipeChief, c *strand.Conn, cfg *PipeConfig[In, Out]) (err error) {
	stops := []func(){func() { _ = p.sys.RequestStop(p.chief.PID()) }}
	defer func() {
		if err != nil {
			for _, stop := range stops {
				stop()
			}
		}
	}()
	reader, err := actor.Spawn(p.sys, actor.Func(func(ctx *actor.Context[pipeInput[In]], m pipeInput[In]) error {
		switch {
		case m.ended:
			_ = p.chief.Offer(ctx, pipeEvent{inEnded: true, err: m.err}) // If it has ended, so has the pipe.
		case !cfg.In.isVoid():
			p.published(cfg.In.Publish(ctx, m.v))
		}
		return nil
	}), actor.WithName("pipe reader"), actor.WithCapacity(actor.Data, writerLane))
	if err != nil {
		return err
	}
	stops = append(stops, func() { _ = p.sys.RequestStop(reader.PID()) })
	chief.reader = reader.PID()
	var conn *netio.Conn[Out]
	if !cfg.Out.isVoid() {
		writer, err := actor.Spawn(p.sys, actor.Func(func(ctx *actor.Context[Out], v Out) error {
			if err := conn.Send(ctx, v); err != nil {
				_ = p.chief.Offer(ctx, pipeEvent{outEnded: true, err: fmt.Errorf("stream: send to the peer: %w", err)})
				ctx.Stop()
			}
			return nil
		}), actor.WithName("pipe writer"), actor.WithCapacity(actor.Data, writerLane))
		if err != nil {
			return err
		}
		stops = append(stops, func() { _ = p.sys.RequestStop(writer.PID()) })
		chief.drain = writer.Drain
		chief.sub, err = subscribe(ctx, cfg.Out, Subscriber[Out, Out]{To: writer, Where: cfg.Where, Buffer: cfg.Buffer, WhenFull: cfg.WhenFull}, liveBegin{
			state: subPaused,
			atEnd: func(s *Subscription) {
				_ = p.chief.On(actor.Control).TryOffer(context.Background(), pipeEvent{outEnded: true, err: s.Err()})
			},
		})
		if err != nil {
			return err
		}
		stops = append(stops, chief.sub.End)
	}
	conn, err = netio.Attach(ctx, p.sys, reader, c, netio.AttachConfig[pipeInput[In], Out]{
		Codec:    netio.Map(cfg.Codec, func(v In) pipeInput[In] { return pipeInput[In]{v: v} }),
		Ended:    func(err error) pipeInput[In] { return pipeInput[In]{ended: true, err: err} },
		Timeouts: cfg.Timeouts, MaxBuffered: cfg.MaxBuffered,
	})
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.conn = conn
	p.mu.Unlock()
	if chief.sub != nil {
		chief.sub.Resume() // The writer sees conn from now on.
	}
	return nil
}

// published deals with the error of a publish. Subscribers that have missed a message are in the topic's figures.
func (p *Piped) published(err error) {
	if errors.Is(err, ErrLiveClosed) {
		p.fail(err)
		_ = p.Close() // The connection tells the reader of the end.
	}
}

// fail notes why the pipe ends.
func (p *Piped) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
}

func (p *Piped) isVoid() bool { return p == nil || p.sys == nil }

// Close ends the pipe in good order: nothing more is read or written, and what was read is published. It does
// not wait; see Done. Closing it again does nothing.
func (p *Piped) Close() error {
	if p.isVoid() {
		return net.ErrClosed
	}
	p.mu.Lock()
	conn := p.conn
	p.mu.Unlock()
	if conn == nil { // It is being made.
		return nil
	}
	return conn.Close()
}

// Done returns a channel that is closed when the pipe has ended: what was read is published, and the connection is closed.
func (p *Piped) Done() <-chan struct{} {
	if p.isVoid() {
		return actor.Ref[int]{}.Done()
	}
	return p.chief.Done()
}

// Err returns why the pipe has ended: an error of the connection, see [netio.Conn.Err], [ErrTooSlow],
// [ErrLiveClosed] if In was closed, or what the codec said of a message that it can't encode. It is nil while the pipe goes on,
// and if it was ended by the peer, by the close of Out, or by Close.
func (p *Piped) Err() error {
	if p.isVoid() {
		return net.ErrClosed
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Traffic returns what has gone over the connection so far.
func (p *Piped) Traffic() netio.Traffic {
	if p.isVoid() {
		return netio.Traffic{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == nil {
		return netio.Traffic{}
	}
	return p.conn.Traffic()
}

// pipeChief is the actor that ends a pipe. The input is over when the reader has published all that was read,
// and the output when the writer has written all that it gets. If the pipe is to end, the connection is closed first, by which
// the input ends.
type pipeChief struct {
	p        *Piped
	halfOpen bool
	reader   actor.PID
	sub      *Subscription
	drain    func(ctx context.Context) error // The writer's.

	attached, inOver, outOver bool
	outEnded                  bool // The output is to end.
	closing                   bool // Nothing more is to be written.
}

// Receive notes what has happened, and ends what is to end.
func (c *pipeChief) Receive(ctx *actor.Context[pipeEvent], e pipeEvent) error {
	err := e.err
	if errors.Is(err, net.ErrClosed) || e.outEnded && errors.Is(err, ErrLiveClosed) {
		err = nil
	}
	if err != nil {
		c.p.fail(err)
		c.closing = true
	}
	c.attached = c.attached || e.attached
	c.inOver = c.inOver || e.inEnded
	c.outEnded = c.outEnded || e.outEnded || errors.Is(e.err, net.ErrClosed)
	if !c.attached {
		return nil
	}
	if !c.outOver && (c.outEnded || c.closing || c.inOver && !c.halfOpen) {
		c.endOutput(ctx)
	}
	if c.closing || c.inOver && c.outOver {
		_ = c.p.Close() // The first error counts.
	}
	if c.inOver && (c.closing || c.outOver) {
		ctx.Stop()
	}
	return nil
}

// endOutput ends the side that writes: what was published so far is written first, unless the connection has failed.
func (c *pipeChief) endOutput(ctx context.Context) {
	c.outOver = true
	c.sub.End()
	if c.closing {
		return
	}
	if err := c.drain(ctx); err == nil {
		_ = c.p.conn.CloseWrite() // Where there are no directions, the end comes with the close.
	}
}

// Stopped ends what is left, if the system stops.
func (c *pipeChief) Stopped(*actor.Context[pipeEvent], error) {
	c.sub.End()
	_ = c.p.Close()
	_ = c.p.sys.RequestStop(c.reader) // It has published all, or the system stops.
}
