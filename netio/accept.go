package netio

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/strand"
	"github.com/troupe-go/troupe/supervise"
)

// accept is the function of the strand that accepts.
func (o *opening) accept(me *strand.Strand) error {
	l, pause := o.l, minPause
	for {
		if err := l.takeSlot(me); err != nil {
			return err
		}
		c, err := o.socket.Accept(me)
		if err == nil {
			l.accepted.Add(1)
			err = l.serve(o, c)
		}
		switch {
		case err == nil:
			pause = minPause
			continue
		case errors.Is(err, net.ErrClosed) || me.Err() != nil:
			l.freeSlot(context.WithoutCancel(me))
			return err
		}
		l.troubles.Add(1)
		l.freeSlot(me)
		if err := me.Sleep(pause); err != nil {
			return err
		}
		pause = min(2*pause, maxPause)
	}
}

// The pauses after an Accept that has failed are the same as in package strand.
const (
	minPause = 5 * time.Millisecond
	maxPause = time.Second
)

func (l *Listener) takeSlot(ctx context.Context) error {
	if l.slots == nil {
		return nil
	}
	return l.slots.Send(ctx, struct{}{})
}

func (l *Listener) freeSlot(ctx context.Context) {
	if l.slots != nil {
		_, _, _ = l.slots.TryReceive(ctx) // There is a slot in it for each caller.
	}
}

// serve starts the strand of a connection, which starts its actor: so the next one is
// accepted meanwhile.
func serve[M, Out any](o *opening, cfg *ListenerConfig[M, Out], c *strand.Conn) error {
	s := newStream(c, cfg.Timeouts, o.group, cfg.MaxBuffered)
	if err := o.group.add(context.Background(), s); err != nil {
		_ = c.Close()
		return err
	}
	conn := &Conn[Out]{encode: cfg.Codec.Append, s: s}
	child := supervise.Child[M]{
		New:      func() actor.Actor[M] { return cfg.New(conn) },
		Restart:  supervise.Temporary,
		Shutdown: cfg.Shutdown,
		Options:  cfg.Options,
	}
	k := &link[M]{
		s: s, sys: o.sys, keeper: o.keeper, ended: cfg.Ended, halfOpen: cfg.HalfOpen,
	}
	k.start = func(ctx context.Context) (to actor.Ref[M], err error) {
		defer func() {
			if k.decoder == nil && err == nil {
				s.fail(fmt.Errorf("%w: NewDecoder called runtime.Goexit", ErrNoActor))
			}
		}()
		if k.decoder, err = newDecoder(cfg.Codec); err != nil {
			return to, err
		}
		return supervise.Spawn(ctx, o.sup, child)
	}
	s.atEnd = func(ctx context.Context) {
		defer o.l.freeSlot(ctx) // When it is over for OnEnd as well.
		if cfg.OnEnd != nil {
			defer func() { _ = recover() }() // It is only told.
			cfg.OnEnd(End{c.RemoteAddr(), s.err(), s.traffic()})
		}
	}
	if _, err := strand.Go(context.Background(), k.run, strand.On(o.sys.Scheduler()), strand.Kind("netio")); err != nil {
		_ = c.Close()
		o.group.remove(s)
		return err
	}
	return nil
}
