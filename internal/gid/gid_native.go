//go:build amd64 || arm64

package gid

// Known says whether Current tells goroutines apart.
const Known = true

// current is implemented in assembly.
func current() uintptr

// word returns a word of a goroutine's descriptor. It is implemented in assembly.
func word(descriptor, offset uintptr) uint64
