//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package strand

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// polled is a transport on a descriptor of which the poller tells.
type polled struct {
	fd            int
	local, remote net.Addr
	socket        bool
	in, out       readiness
	// hungUp is set once the peer has ended its side: then a short read does not
	// say that nothing is left to be told. Written by the poller.
	hungUp atomic.Bool
	users  users
	p      *poller
}

// newPolled takes over a descriptor that does not block. It fails for one that
// can't be polled, such as a regular file; then the descriptor is still the
// caller's.
func newPolled(fd int, socket bool, local, remote net.Addr) (*polled, error) {
	p, err := acquirePoller()
	if err != nil {
		return nil, err
	}
	c := &polled{fd: fd, socket: socket, local: local, remote: remote, p: p}
	if err := p.add(c); err != nil {
		releasePoller(p)
		return nil, os.NewSyscallError("poller", err)
	}
	return c, nil
}

func (c *polled) addresses() (local, remote net.Addr) { return c.local, c.remote }

// await waits until there is something to be read.
func (c *polled) await(ctx context.Context) error { return c.in.wait(ctx) }

// read leaves it to its caller to see whether ctx has ended before.
func (c *polled) read(ctx context.Context, p []byte) (n int, err error) {
	if !c.users.enter() {
		return 0, net.ErrClosed
	}
	for err = unix.EAGAIN; err == unix.EAGAIN; { //nolint:errorlint // A system call's.
		c.in.begin()
		if n, err = readNow(c.fd, c.socket, p); n <= 0 && err == unix.EAGAIN { //nolint:errorlint // As above.
			if failed := c.in.wait(ctx); failed != nil {
				n, err = 0, failed
			}
			continue
		}
		n, err = c.got(n, len(p), err)
	}
	c.leave()
	return n, err
}

// got says what a call has read that did not have to wait.
func (c *polled) got(n, room int, err error) (int, error) {
	switch {
	case n > 0:
		if n == room || !c.socket || c.hungUp.Load() { // A terminal gives a line at a time.
			c.in.again() // There may be more bytes, and the poller will not report them again.
		}
		return n, nil
	case err == nil:
		c.in.again() // The end stays.
		return 0, io.EOF
	}
	c.in.again()
	return 0, os.NewSyscallError("read", err)
}

func (c *polled) write(ctx context.Context, p []byte) (done int, err error) {
	if !c.users.enter() {
		return 0, net.ErrClosed
	}
	for done < len(p) && err == nil {
		c.out.begin()
		n, failed := writeNow(c.fd, c.socket, p[done:])
		done += max(n, 0)
		switch {
		case failed == unix.EAGAIN: //nolint:errorlint // A system call's.
			err = c.out.wait(ctx)
		case failed != nil:
			err = os.NewSyscallError("write", failed)
		case done < len(p) && ctx.Err() != nil:
			err = cause(ctx)
		}
	}
	c.leave()
	return done, err
}

func (c *polled) offer(p []byte) (n int, err error) {
	if !c.users.enter() {
		return 0, net.ErrClosed
	}
	c.out.begin()
	n, err = writeNow(c.fd, c.socket, p)
	c.leave()
	switch {
	case err == unix.EAGAIN: //nolint:errorlint // A system call's.
		return 0, nil
	case err != nil:
		return 0, os.NewSyscallError("write", err)
	}
	return n, nil
}

func (c *polled) closeWrite() error {
	if !c.socket {
		return errNoCloseWrite
	}
	if !c.users.enter() {
		return net.ErrClosed
	}
	defer c.leave()
	return os.NewSyscallError("shutdown", unix.Shutdown(c.fd, unix.SHUT_WR))
}

// close wakes who waits. The descriptor is closed when nobody uses it any more. Else its
// number might be another one's by then.
func (c *polled) close() error {
	if !c.users.close() {
		return net.ErrClosed
	}
	c.in.close()
	c.out.close()
	c.leave()
	return nil
}

func (c *polled) leave() {
	if c.users.leave() {
		c.p.remove(c)
		_ = unix.Close(c.fd) // Nothing was left in it that could be lost.
		releasePoller(c.p)
	}
}

// users counts who uses a descriptor, in the low half of a word; the other half
// says that it was closed.
type users struct{ word atomic.Int64 }

const closing = 1 << 32

// enter returns false if the descriptor was closed. It must not be counted even for a
// moment then: the last to leave would not know that it is.
func (u *users) enter() bool {
	for {
		was := u.word.Load()
		if was&closing != 0 {
			return false
		}
		if u.word.CompareAndSwap(was, was+1) {
			return true
		}
	}
}

// close also enters.
func (u *users) close() bool {
	for {
		was := u.word.Load()
		if was&closing != 0 {
			return false
		}
		if u.word.CompareAndSwap(was, (was+1)|closing) {
			return true
		}
	}
}

// leave reports whether the caller was the last of a descriptor that was closed.
func (u *users) leave() bool { return u.word.Add(-1) == closing }

// polling is the process's poller, while there is anything to be polled.
var polling struct {
	mu   sync.Mutex
	p    *poller
	used int
}

func acquirePoller() (*poller, error) {
	polling.mu.Lock()
	defer polling.mu.Unlock()
	if polling.p == nil {
		p, err := newPoller()
		if err != nil {
			return nil, os.NewSyscallError("poller", err)
		}
		polling.p = p
		go p.run()
	}
	polling.used++
	return polling.p, nil
}

func releasePoller(p *poller) {
	polling.mu.Lock()
	defer polling.mu.Unlock()
	if polling.used--; polling.used == 0 {
		polling.p = nil
		p.stop()
	}
}

// detach makes a descriptor of our own from one of package net or os, which the
// caller closes afterwards.
func detach(f syscall.Conn) (fd int, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return -1, err
	}
	var dupErr error
	if err := raw.Control(func(old uintptr) {
		fd, dupErr = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0)
	}); err != nil {
		return -1, err
	}
	if dupErr != nil {
		return -1, os.NewSyscallError("dup", dupErr)
	}
	return fd, nil
}

// exhausted reports whether the system has run out of something that others may
// give back.
func exhausted(err error) bool {
	for _, e := range []error{unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
