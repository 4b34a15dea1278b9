//go:build portable || (!amd64 && !arm64)

package gid

// ByStack says that Current walks the caller's stack.
const ByStack = true

func current() uintptr {
	n := fromStack()
	if n == 0 {
		panic("gid: runtime.Stack does not begin with the number of the goroutine")
	}
	return max(1, uintptr(n)) // Words of 32 bits may make 0 of it.
}

// Number returns the number of a goroutine, as the function does.
func (id ID) Number() uint64 { return uint64(id) }
