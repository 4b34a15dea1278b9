//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package strand

import (
	"context"
	"net"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Users counts who uses a descriptor.
type Users struct{ u users }

// Enter returns false if the descriptor was closed.
func (u *Users) Enter() bool { return u.u.enter() }

// Close enters, and reports whether it is the first.
func (u *Users) Close() bool { return u.u.close() }

// Leave reports whether the caller was the last of a descriptor that was closed.
func (u *Users) Leave() bool { return u.u.leave() }

// NewExhaustedListener returns a listener that finds no descriptor for any connection.
func NewExhaustedListener() *Listener { return newListener(&exhaustedAcceptor{}) }

type exhaustedAcceptor struct{ closed atomic.Bool }

func (a *exhaustedAcceptor) accept(context.Context) (*Conn, error) {
	if a.closed.Load() {
		return nil, net.ErrClosed
	}
	return nil, unix.EMFILE
}

func (a *exhaustedAcceptor) close() error { a.closed.Store(true); return nil }

func (a *exhaustedAcceptor) address() net.Addr { return memoryAddr("exhausted") }
