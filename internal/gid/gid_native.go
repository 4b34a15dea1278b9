//go:build amd64 || arm64

package gid

// current is implemented in assembly.
func current() uintptr
