//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package strand

import (
	"context"
	"net"
	"os"
)

// Elsewhere there is no poller: each call that waits takes a goroutine for so
// long.

func exhausted(error) bool { return false }

// blockingAcceptor is a listener of package net.
type blockingAcceptor struct{ l net.Listener }

func newAcceptor(l net.Listener) (acceptor, error) { return blockingAcceptor{l}, nil }

func (a blockingAcceptor) address() net.Addr { return a.l.Addr() }
func (a blockingAcceptor) close() error      { return a.l.Close() }

// accept leaves a call behind if it is cancelled, whose connection is closed.
func (a blockingAcceptor) accept(ctx context.Context) (*Conn, error) {
	c, err := onGoroutine(ctx, func(context.Context) (net.Conn, error) { return a.l.Accept() },
		func(c net.Conn) { _ = c.Close() }) // Nobody wants it any more.
	if err != nil {
		return nil, err
	}
	return Wrap(c)
}

func wrapConn(c net.Conn) (transport, error) {
	return newOffloaded(c, c.LocalAddr(), c.RemoteAddr()), nil
}

func wrapFile(f *os.File) (transport, error) {
	return newOffloaded(f, fileAddr(f.Name()), fileAddr(f.Name())), nil
}
