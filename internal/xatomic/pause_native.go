//go:build (amd64 || arm64) && !portable

package xatomic

// Pause tells the processor that the caller looks at a word again and again,
// waiting for another thread to change it. It costs 10 to 50 ns, in which the
// other thread of the same core has more of it.
func Pause()
