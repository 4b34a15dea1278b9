//go:build !unix

package main_test

import "os"

// makePipe makes a file that is neither regular nor a directory.
func makePipe(path string) error { return os.Symlink("nowhere", path) }
