//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package strand

import (
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// polledAcceptor is a listener on a descriptor of which the poller tells.
type polledAcceptor struct {
	*polled
	turn Mutex
	// Of a Unix listener: its file, to be removed when it is closed.
	path   string
	file   os.FileInfo
	closed atomic.Bool
}

func newAcceptor(l net.Listener) (acceptor, error) {
	conn, ok := l.(syscall.Conn)
	if !ok {
		return nil, errNotPollable
	}
	a := &polledAcceptor{}
	fd, err := detach(conn)
	if err != nil {
		return nil, err
	}
	if a.polled, err = newPolled(fd, true, l.Addr(), nil); err != nil {
		_ = unix.Close(fd) // It holds nothing.
		return nil, err
	}
	if u, ok := l.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(false)
		if a.path = l.Addr().String(); strings.HasPrefix(a.path, "@") && runtime.GOOS == "linux" {
			a.path = "" // It is a name of the system's, and no file.
		} else if a.file, err = os.Lstat(a.path); err != nil {
			a.path = "" // Somebody has removed it already.
		}
	}
	_ = l.Close() // The descriptor of our own goes on.
	return a, nil
}

func (a *polledAcceptor) address() net.Addr { return a.local }

// close removes the file first: once nobody listens, others may take its place.
func (a *polledAcceptor) close() error {
	if a.closed.Swap(true) {
		return a.wrap("close", net.ErrClosed)
	}
	if a.path != "" {
		if now, err := os.Lstat(a.path); err == nil && os.SameFile(now, a.file) {
			_ = os.Remove(a.path) // Somebody else may have been faster.
		}
	}
	return a.wrap("close", a.polled.close())
}

func (a *polledAcceptor) accept(ctx context.Context) (*Conn, error) {
	if err := a.turn.Lock(ctx); err != nil {
		return nil, err
	}
	fd, from, err := a.next(ctx)
	_ = a.turn.Unlock(ctx) // It was locked above.
	if err != nil {
		return nil, a.wrap("accept", err)
	}
	if a.local.Network() == "tcp" {
		// As package net does. Without them the connection works as well.
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1)
	}
	c, err := newPolled(fd, true, a.local, addrOf(from, a.local))
	if err != nil {
		_ = unix.Close(fd) // The first error says more.
		return nil, a.wrap("accept", err)
	}
	return newConn(c), nil
}

// wrap says which operation failed, as package net does.
func (a *polledAcceptor) wrap(op string, err error) error {
	if err == nil || !isOfSystem(err) {
		return err
	}
	return &net.OpError{Op: op, Net: a.local.Network(), Addr: a.local, Err: err}
}

// next returns the descriptor of the next connection.
func (a *polledAcceptor) next(ctx context.Context) (fd int, from unix.Sockaddr, err error) {
	if !a.users.enter() {
		return -1, nil, net.ErrClosed
	}
	defer a.leave()
	for {
		a.in.begin()
		fd, from, err = accept(a.fd)
		switch {
		case err == nil:
			a.in.again()
			return fd, from, nil
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.ECONNABORTED): // It went before it was accepted.
			continue
		case !errors.Is(err, unix.EAGAIN):
			a.in.again()
			return -1, nil, os.NewSyscallError("accept", err)
		}
		if err := a.in.wait(ctx); err != nil {
			return -1, nil, err
		}
	}
}

// addrOf turns an address of the system into one of package net.
func addrOf(from unix.Sockaddr, like net.Addr) net.Addr {
	switch a := from.(type) {
	case *unix.SockaddrInet4:
		return &net.TCPAddr{IP: a.Addr[:], Port: a.Port}
	case *unix.SockaddrInet6:
		addr := &net.TCPAddr{IP: a.Addr[:], Port: a.Port}
		if a.ZoneId != 0 {
			if i, err := net.InterfaceByIndex(int(a.ZoneId)); err == nil {
				addr.Zone = i.Name
			}
		}
		return addr
	case *unix.SockaddrUnix:
		return &net.UnixAddr{Name: a.Name, Net: "unix"}
	default:
		return like
	}
}

// wrapConn takes over a connection.
func wrapConn(c net.Conn) (transport, error) {
	switch c.(type) {
	case *net.TCPConn, *net.UnixConn:
	default:
		return newOffloaded(c, c.LocalAddr(), c.RemoteAddr()), nil
	}
	fd, err := detach(c.(syscall.Conn))
	if err != nil {
		return nil, err
	}
	p, err := newPolled(fd, true, c.LocalAddr(), c.RemoteAddr())
	if err != nil {
		_ = unix.Close(fd) // The first error says more.
		return nil, err
	}
	_ = c.Close() // The descriptor of our own goes on.
	return p, nil
}

// wrapFile takes over a file. One that blocks, because it was made so or is shared
// with other processes, and one that can't be polled, stay as they are.
func wrapFile(f *os.File) (transport, error) {
	name := fileAddr(f.Name())
	fd, err := detach(f)
	if err != nil {
		return nil, err
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err == nil && flags&unix.O_NONBLOCK != 0 {
		if p, err := newPolled(fd, false, name, name); err == nil {
			_ = f.Close() // The descriptor of our own goes on.
			return p, nil
		}
	}
	_ = unix.Close(fd) // The file has its own.
	return newOffloaded(f, name, name), nil
}
