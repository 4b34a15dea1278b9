//go:build !unix

package terminal

import "os"

// open is not reached: where there is no pseudo-terminal, pty.Open has failed.
func open(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR, 0) }
