package strand

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"
)

// Listener accepts connections. Its methods are safe for concurrent use. A nil
// Listener, and one that Listen has not made, is like one that was closed.
type Listener struct {
	a         acceptor
	exhausted atomic.Int64
	closed    *Chan[struct{}] // Closed with the listener.
}

func newListener(a acceptor) *Listener { return &Listener{a: a, closed: NewChan[struct{}](0)} }

// acceptor is what the operating system does for a listener.
type acceptor interface {
	// accept returns the next connection. An error for which exhausted holds goes
	// by.
	accept(ctx context.Context) (*Conn, error)
	close() error
	address() net.Addr
}

const (
	// acceptAgainMin and acceptAgainMax bound the pause after an Accept that has
	// failed for want of descriptors or memory, as in net/http.
	acceptAgainMin = 5 * time.Millisecond
	acceptAgainMax = time.Second
)

// Listen listens at an address, as [net.Listen] does: "tcp", "tcp4", "tcp6" or
// "unix". ctx bounds the look-up of a name.
func Listen(ctx context.Context, network, address string) (*Listener, error) {
	if ctx == nil {
		return nil, errNilContext
	}
	switch network {
	case "tcp", "tcp4", "tcp6", "unix":
	default:
		return nil, fmt.Errorf("strand: listening on %s: %w; use tcp, tcp4, tcp6 or unix", address, net.UnknownNetworkError(network))
	}
	l, err := onGoroutine(ctx, func(ctx context.Context) (net.Listener, error) {
		return (&net.ListenConfig{}).Listen(ctx, network, address)
	}, func(l net.Listener) { _ = l.Close() }) // Nobody wants it any more.
	if err != nil {
		return nil, err
	}
	a, err := newAcceptor(l)
	if err != nil {
		_ = l.Close() // The first error says more.
		return nil, fmt.Errorf("strand: listening on %s: %w", address, err)
	}
	return newListener(a), nil
}

// Accept waits for the next connection. When the process has run out of file
// descriptors, or the system of memory, it waits until there are some again,
// looking after 5 ms, then ever more seldom, up to once a second; see Exhausted.
// It returns [net.ErrClosed] once the listener is closed, and the cause if ctx
// ends first.
func (l *Listener) Accept(ctx context.Context) (*Conn, error) {
	switch {
	case ctx == nil:
		return nil, errNilContext
	case l.isVoid():
		return nil, &net.OpError{Op: "accept", Net: "strand", Err: net.ErrClosed}
	}
	pause := acceptAgainMin
	for {
		if err := pass(ctx); err != nil {
			return nil, err
		}
		c, err := l.a.accept(ctx)
		if err == nil || !exhausted(err) {
			return c, err
		}
		l.exhausted.Add(1)
		switch at, err := Select(ctx, After(pause), l.closed.ToReceive(nil)); {
		case at == 1: // The acceptor says that it is closed.
		case err != nil:
			return nil, err
		}
		pause = min(2*pause, acceptAgainMax)
	}
}

// Exhausted returns how often Accept had to wait for want of descriptors or
// memory.
func (l *Listener) Exhausted() int64 {
	if l == nil {
		return 0
	}
	return l.exhausted.Load()
}

// Addr returns the address at which the listener listens, also after Close.
func (l *Listener) Addr() net.Addr {
	if l.isVoid() {
		return nil
	}
	return l.a.address()
}

// Close ends the listener. Connections that it has accepted go on. A call that waits in
// Accept, also for descriptors, gets [net.ErrClosed], and so does a second Close. The file
// of a Unix listener is removed, unless another has taken its place.
func (l *Listener) Close() error {
	if l.isVoid() {
		return &net.OpError{Op: "close", Net: "strand", Err: net.ErrClosed}
	}
	err := l.a.close()
	_ = l.closed.Close(context.Background()) // It may be closed already.
	return err
}

func (l *Listener) isVoid() bool { return l == nil || l.a == nil }
