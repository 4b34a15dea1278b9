// Package invariants switches on checks that are too dear for production.
//
// A build with the tag invariants checks what must never break, shrinks
// queues so that their edges are met often, and yields at random where
// another schedule would be legal. Without the tag all of it is compiled away.
package invariants

import (
	"fmt"
	"math/rand/v2"
	"runtime"
)

// Check panics with the formatted message unless ok holds. Guard a call on a
// hot path with Enabled, since its arguments are evaluated in any case.
func Check(ok bool, format string, args ...any) {
	if Enabled && !ok {
		panic("invariant broken: " + fmt.Sprintf(format, args...))
	}
}

// Yield lets another goroutine run in one case of eight.
func Yield() {
	if Enabled && rand.Uint32N(8) == 0 {
		runtime.Gosched()
	}
}

// Stall lets other goroutines run for a while in one case of 32, as when the operating
// system takes the caller's thread off its processor.
func Stall() {
	if Enabled && rand.Uint32N(32) == 0 {
		for range 100 {
			runtime.Gosched()
		}
	}
}

// Shrink returns small in a build with the tag invariants, else n.
func Shrink(n, small int) int {
	if Enabled {
		return small
	}
	return n
}
