//go:build darwin || freebsd || netbsd || openbsd || dragonfly || (linux && race)

package strand

import "golang.org/x/sys/unix"

// readNow and writeNow are read and write for descriptors that do not block.

func readNow(fd int, _ bool, p []byte) (int, error) {
	return ignoringInterrupts(func() (int, error) { return unix.Read(fd, p) })
}

func writeNow(fd int, _ bool, p []byte) (int, error) {
	return ignoringInterrupts(func() (int, error) { return unix.Write(fd, p) })
}

// ignoringInterrupts makes a call again that a signal has interrupted.
func ignoringInterrupts(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR { //nolint:errorlint // A system call's.
			return n, err
		}
	}
}
