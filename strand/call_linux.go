//go:build !race

package strand

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// readNow and writeNow are read and write for descriptors that do not block. The
// runtime is not told, as it is of calls that may: that takes 100 ns, and 180
// bytes of stack, by which that of a strand with a connection would not stay at
// 2 KB but grow to 4. P is not empty.

func readNow(fd int, p []byte) (int, error) { return callNow(syscall.SYS_READ, fd, p) }

func writeNow(fd int, p []byte) (int, error) { return callNow(syscall.SYS_WRITE, fd, p) }

func callNow(call uintptr, fd int, p []byte) (int, error) {
	for {
		n, _, err := syscall.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
		switch err {
		case 0:
			return int(n), nil
		case unix.EINTR:
		case unix.EAGAIN:
			return -1, unix.EAGAIN // No allocation for what comes all the time.
		default:
			return -1, err
		}
	}
}
