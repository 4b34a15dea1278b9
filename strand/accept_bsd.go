//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package strand

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func accept(fd int) (int, unix.Sockaddr, error) {
	syscall.ForkLock.RLock()
	conn, from, err := unix.Accept(fd)
	if err == nil {
		unix.CloseOnExec(conn)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return -1, nil, err
	}
	if err := unix.SetNonblock(conn, true); err != nil {
		_ = unix.Close(conn) // The first error says more.
		return -1, nil, err
	}
	return conn, from, nil
}
