//go:build (amd64 || arm64) && !portable

package gid

// current is implemented in assembly.
func current() uintptr

// word returns a word of a goroutine's descriptor. It is implemented in assembly.
func word(descriptor, offset uintptr) uint64
