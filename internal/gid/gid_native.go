//go:build (amd64 || arm64) && !portable

package gid

// ByStack says that Current walks the caller's stack.
const ByStack = false

// current is implemented in assembly.
func current() uintptr

// word returns a word of a goroutine's descriptor. It is implemented in assembly.
func word(descriptor, offset uintptr) uint64
