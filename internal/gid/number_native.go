//go:build (amd64 || arm64) && !portable

package gid

import "sync"

// Number returns the number of a goroutine, as the function does. The goroutine must be
// alive. Otherwise the result is the number of a later goroutine with the same
// descriptor: the runtime reuses descriptors, and never frees their memory.
func (id ID) Number() uint64 {
	if at := place(); at >= 0 && id != 0 {
		return word(uintptr(id), uintptr(at))
	}
	return 0
}

const (
	wordSize = 8
	// searched is how many words of the descriptor are looked at.
	searched = 32
	// witnesses is how many goroutines have to agree.
	witnesses = 5
)

// place is the offset of the number in the descriptor, or -1.
//
// The runtime keeps the number in the goroutine's descriptor, at a place that
// may change with its version. So the first call looks for it: it has several
// goroutines find out their numbers from [runtime.Stack], and takes the place
// where all of them have theirs. Unless there is exactly one, no number is
// known. Only the beginning of the descriptor is read, which is several times as
// long.
var place = sync.OnceValue(func() int {
	candidates := uint64(1)<<searched - 1
	for range witnesses {
		found := make(chan uint64)
		go func() { found <- matches(fromStack()) }()
		candidates &= <-found
	}
	place := -1
	for i := range searched {
		switch {
		case candidates&(1<<i) == 0:
		case place >= 0:
			return -1
		default:
			place = i * wordSize
		}
	}
	return place
})

// matches returns a set of bits: the words of the caller's descriptor that are
// equal to number.
func matches(number uint64) (set uint64) {
	if number == 0 {
		return 0
	}
	for i := range searched {
		if word(current(), uintptr(i*wordSize)) == number {
			set |= 1 << i
		}
	}
	return set
}
