package netio

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/strand"
	"github.com/troupe-go/troupe/supervise"
)

// door is the actor of a listener. Each incarnation opens the listener and watches
// over the connections, whose actors are below it. When it is asked to stop, it closes
// the listener first, and then the connections.
type door struct {
	*keeper
	l       *Listener
	o       *opening // Nil before Started has succeeded.
	leaving bool
	why     error // Why it leaves; nil if it was asked to.
}

// Started opens the listener.
func (d *door) Started(ctx *actor.Context[notice]) (err error) {
	if d.o, err = d.l.open(ctx); err != nil {
		return err
	}
	d.keeper = newKeeper(d.o.group)
	context.AfterFunc(ctx, d.o.cut) // If the actor is killed, Stopped is not called.
	return nil
}

// Receive watches the actor of one more connection, or learns of an end.
func (d *door) Receive(ctx *actor.Context[notice], n notice) error {
	switch {
	case n.of == nil:
		return d.keeper.Receive(ctx, n)
	case n.of != d.o: // It was meant for an earlier incarnation.
		return nil
	case n.lost != nil:
		return d.leave(ctx, n.lost)
	case d.why == nil:
		ctx.Stop()
	}
	return d.why
}

// Down ends the connection of an actor that has ended. Without the supervisor of the
// connections' actors the listener fails.
func (d *door) Down(ctx *actor.Context[notice], m actor.Monitor, e actor.Exit) error {
	if m.PID() != d.o.sup.PID() {
		return d.keeper.Down(ctx, m, e)
	}
	if e.Reason == nil {
		e.Reason = errors.New("it was stopped")
	}
	return d.leave(ctx, fmt.Errorf("netio: the connections of %s are not supervised any more: %w", ctx.Path(), e.Reason))
}

// Leave is called when the listener is asked to stop.
func (d *door) Leave(ctx *actor.Context[notice]) error { return d.leave(ctx, nil) }

// leave ends the listener in good order. The actor learns by a notice when that is done.
func (d *door) leave(ctx *actor.Context[notice], why error) error {
	if d.leaving {
		return nil
	}
	d.leaving, d.why = true, why
	d.o.end(ctx)
	if _, err := strand.Go(ctx, d.o.awaitEnd, strand.On(ctx.System().Scheduler()), strand.Kind("netio")); err != nil {
		return errors.Join(why, err)
	}
	return nil
}

// Stopped closes what is left.
func (d *door) Stopped(*actor.Context[notice], error) {
	if d.o != nil {
		d.o.cut()
	}
}

// opening is what an incarnation of a listener's actor has opened.
type opening struct {
	l         *Listener
	sys       *actor.System
	socket    *strand.Listener
	group     *streams
	keeper    actor.Ref[notice]
	sup       *supervise.Supervisor // Of the connections' actors.
	accepting *strand.Strand
	closed    atomic.Bool // It was closed on purpose.
	once      sync.Once   // Of cut.
}

// open opens the listener for an incarnation of its actor: after a restart at the
// same address.
func (l *Listener) open(ctx *actor.Context[notice]) (*opening, error) {
	last, socket, addr := l.before()
	if last != nil {
		if last.isOfAnother(ctx.PID()) {
			return nil, fmt.Errorf("%w: %s was started before, as %s, and has not ended; each Child needs a Listener of its own", ErrConfig, ctx.Path(), last.keeper.Path())
		}
		last.cut() // Its actor was killed, perhaps just now.
		if err := last.awaitClosed(ctx); err != nil {
			return nil, err
		}
	}
	if socket == nil {
		var err error
		if socket, err = strand.Listen(ctx, l.network, addr); err != nil {
			return nil, fmt.Errorf("netio: %w", err)
		}
	}
	o := &opening{l: l, sys: ctx.System(), socket: socket, group: newStreams(&l.past, l.lingering, l.total), keeper: ctx.Self()}
	if err := o.begin(ctx); err != nil {
		_ = socket.Close() // The first error says more.
		return nil, err
	}
	if !l.follow(last, o) {
		o.cut()
		return nil, fmt.Errorf("%w: %s was started twice at the same time", ErrConfig, ctx.Path())
	}
	return o, nil
}

// before returns what was opened last, the socket that Listen has opened for the first
// incarnation, and the address for the next socket.
func (l *Listener) before() (last *opening, socket *strand.Listener, addr string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	socket, l.socket = l.socket, nil
	return l.latest, socket, l.addr
}

// follow makes o the latest opening, if that is still last.
func (l *Listener) follow(last, o *opening) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.latest != last {
		return false
	}
	l.latest = o
	if last != nil {
		l.troubles.Add(uint64(last.socket.Exhausted()))
	}
	host, _, err := net.SplitHostPort(l.addr)
	if tcp, ok := o.socket.Addr().(*net.TCPAddr); ok && err == nil {
		l.addr = net.JoinHostPort(host, strconv.Itoa(tcp.Port)) // The port may have been chosen by the system.
	}
	return true
}

// begin begins to accept.
func (o *opening) begin(ctx *actor.Context[notice]) (err error) {
	o.sup, err = supervise.Start(ctx, supervise.Config{Name: "connections", Strategy: supervise.Dynamic})
	if err != nil {
		return err
	}
	if _, err = ctx.Monitor(o.sup.PID()); err != nil {
		return err
	}
	o.accepting, err = strand.Go(context.Background(), o.accept, strand.On(ctx.System().Scheduler()), strand.Kind("netio"))
	if err == nil {
		go o.awaitAccepting() // Outside of the strand, which may be cancelled before it begins.
	}
	return err
}

// isOfAnother reports whether the opening belongs to another actor than the one with the
// given PID, which has not ended.
func (o *opening) isOfAnother(id actor.PID) bool {
	select {
	case <-o.keeper.Done():
		return false
	default:
		return o.keeper.PID() != id
	}
}

// close accepts no more connections.
func (o *opening) close() {
	o.closed.Store(true)
	o.accepting.Cancel(net.ErrClosed)
	_ = o.socket.Close() // It may be closed already.
}

// awaitClosed waits until nothing is accepted any more after close: until then the address may be in use.
func (o *opening) awaitClosed(ctx context.Context) error {
	_ = o.accepting.Join(ctx) // It says that it was cancelled.
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("netio: the last listener at %v still accepts: %w", o.socket.Addr(), err)
	}
	return nil
}

// end closes the listener, and ends all connections in good order.
func (o *opening) end(ctx context.Context) {
	o.close()
	for _, s := range o.group.refuse(net.ErrClosed) {
		s.end(ctx, ErrListenerStopped)
	}
}

// cut closes the listener and all connections at once.
func (o *opening) cut() {
	o.once.Do(func() {
		o.close()
		for _, s := range o.group.refuse(net.ErrClosed) {
			s.fail(ErrListenerStopped)
		}
	})
}

// awaitEnd waits for the end of all connections, and cuts off those that take too long.
// It is the function of a strand.
func (o *opening) awaitEnd(me *strand.Strand) error {
	calm := context.WithoutCancel(me)
	limit, cancel := o.l.limit(me)
	defer cancel()
	if err := o.group.wait.Wait(limit); err != nil {
		o.group.force(ErrListenerStopped)
	}
	_ = o.accepting.Join(calm) // It says that it was cancelled.
	return o.keeper.Send(calm, notice{of: o})
}

// limit returns a context that ends when the connections have had their time to stop.
func (l *Listener) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	switch l.shutdown {
	case supervise.Infinity:
		return ctx, func() {}
	case supervise.BrutalKill:
		return context.WithTimeout(ctx, 0)
	}
	return context.WithTimeout(ctx, l.shutdown)
}

// awaitAccepting tells the listener's actor when nothing is accepted any more, unless
// that was on purpose.
func (o *opening) awaitAccepting() {
	calm := context.Background()
	why := o.accepting.Join(calm)
	if o.closed.Load() {
		return
	}
	_ = o.keeper.Send(calm, notice{of: o, lost: fmt.Errorf("netio: accepting at %v has failed: %w", o.socket.Addr(), why)})
}
