package netio

import (
	"context"
	"fmt"
	"net"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/strand"
)

// Shutdown accepts no more connections, serves on those that are open, and returns nil when
// all of them have ended by themselves and the listener has stopped; that is what
// [net/http.Server.Shutdown] does. The listener is not restarted. Peers that were not accepted yet, and
// new ones, are refused by the operating system.
//
// If ctx ends first, Shutdown returns an error that wraps the cause of ctx and says how many
// connections are open. They are served on, so Shutdown may be called again, or
// [Listener.Stop], which ends them: first Shutdown with the time that peers may take, then
// Stop with the time for the last answers. Shutdown ends no connection, idle or not: see
// Timeouts.Idle, and for peers that stay, have the actors close their connections.
//
// The actor of a connection can't wait for its own end: in a handler of it, or of an actor
// below it, Shutdown returns [actor.ErrWouldDeadlock], and the listener stops in the background
// when the last connection has ended. A Listener that has not been started gets net.ErrClosed.
func (l *Listener) Shutdown(ctx context.Context) error {
	o := l.current()
	switch {
	case ctx == nil:
		return fmt.Errorf("%w: Shutdown with a nil Context", ErrConfig)
	case o == nil:
		return net.ErrClosed
	}
	o.close()
	if sys := o.sys; sys.Inside(ctx, o.keeper.PID()) {
		if _, err := strand.Go(context.Background(), func(me *strand.Strand) error { return o.runOut(me) }, strand.On(sys.Scheduler()), strand.Kind("netio")); err != nil {
			return fmt.Errorf("netio: %w", err)
		}
		return actor.ErrWouldDeadlock
	}
	return o.runOut(ctx)
}

// runOut waits until the connections have ended, and stops the listener then. No more
// connections come.
func (o *opening) runOut(ctx context.Context) error {
	_ = o.accepting.Join(ctx) // A connection that is just being accepted is served, too.
	err := context.Cause(ctx)
	if err == nil {
		err = o.group.wait.Wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("netio: %d connections are still open, and are served on: %w", o.group.number(), err)
	}
	return o.l.stopActor(context.WithoutCancel(ctx), o)
}
