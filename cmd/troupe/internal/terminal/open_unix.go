//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// open opens a terminal whose reads and writes block, without making it the
// controlling terminal of the process.
func open(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}
