package strand

import (
	"context"
	"net"

	"github.com/troupe-go/troupe/internal/workers"
)

// Dial connects to an address, as [net.Dialer] does. While it looks names up and
// connects, it takes a goroutine, and two descriptors for a moment.
func Dial(ctx context.Context, network, address string) (*Conn, error) {
	if ctx == nil {
		return nil, errNilContext
	}
	c, err := onGoroutine(ctx, func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}, func(c net.Conn) { _ = c.Close() }) // Nobody wants it any more.
	if err != nil {
		return nil, err
	}
	wrapped, err := Wrap(c)
	if err != nil {
		_ = c.Close() // The first error says more.
		return nil, &net.OpError{Op: "dial", Net: network, Addr: c.RemoteAddr(), Err: err}
	}
	return wrapped, nil
}

// Wrap takes over a connection of package net, which must not be used any more; with
// an error it stays the caller's.
// TCP and Unix connections are polled from then on, and cost what an accepted one
// does. Of any other, such as one of crypto/tls, each call that waits takes a
// goroutine for so long; and to cancel a call, it is left behind, with its result
// kept for the next one.
func Wrap(c net.Conn) (*Conn, error) {
	if c == nil {
		return nil, errNilConn
	}
	t, err := wrapConn(c)
	if err != nil {
		return nil, err
	}
	return newConn(t), nil
}

// onGoroutine calls fn on a goroutine while the caller waits. If ctx ends first,
// what fn returns is given to drop.
func onGoroutine[T any](ctx context.Context, fn func(ctx context.Context) (T, error), drop func(T)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	var w workers.Waiter
	w.Arm(ctx, nil)
	defer w.Disarm()
	known := w // The goroutine has a copy of its own.
	done := make(chan outcome, 1)
	// A context of package context, whose derived ones cost no goroutine.
	below, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		value, err := fn(below)
		done <- outcome{value, err}
		known.Wake(nil, workers.Low)
	}()
	for {
		goOn := w.Wait(ctx)
		select {
		case o := <-done:
			if o.err != nil && ctx.Err() != nil {
				o.err = cause(ctx) // By the error of fn it was only cancelled.
			}
			return o.value, o.err
		default:
		}
		if !goOn {
			go func() {
				if o := <-done; o.err == nil {
					drop(o.value)
				}
			}()
			var none T
			return none, cause(ctx)
		}
	}
}
