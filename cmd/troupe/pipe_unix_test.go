//go:build unix

package main_test

import "syscall"

// makePipe makes a file that is neither regular nor a directory.
func makePipe(path string) error { return syscall.Mkfifo(path, 0o600) }
