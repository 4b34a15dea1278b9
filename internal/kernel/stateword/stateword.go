// Package stateword has a word of state that is its own mutex.
package stateword

import (
	// Without these imports, the compiler does not inline the methods of the types in xatomic, but calls them.
	_ "sync"
	_ "sync/atomic"

	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// LockBit is the bit of a Word that says that a caller holds the lock. All other bits belong to the user.
const LockBit uint32 = 1 << 14

// Word is a mutex and a word of state in one: a sender locks an actor, puts its message in and announces it at the price
// of one locked instruction, where a mutex and a word beside it took three. The zero Word is unlocked, in state 0.
//
// # Protocol
//
// One bit of the word says that a caller holds the lock. While it is set nobody else changes the word, so the holder
// ends with a plain store of all of it, changed or not: see [xatomic.Release]. A caller that does not need the lock
// changes the word by compare-and-swap, from a value in which the bit is clear.
//
// A caller that finds the lock taken queues up at a mutex, and the first in that queue spins: what is done under the
// lock takes some ten nanoseconds. The mutex is not on the way of any other caller. A flag for "a caller waits", as in
// sync.Mutex, would need an exchange to unlock.
//
// The lock is not reentrant, and neither Or, And nor CompareAndSwap may be called by its holder.
type Word struct {
	word  xatomic.Uint32
	queue xatomic.Mutex
}

// Load returns the state.
func (w *Word) Load() uint32 { return w.word.Load() &^ LockBit }

// CompareAndSwap changes the state from before to after, and reports whether it has. It waits for the holder of the lock.
func (w *Word) CompareAndSwap(before, after uint32) bool {
	return w.word.CompareAndSwap(before, after) || w.compareSlowly(before, after)
}

func (w *Word) compareSlowly(before, after uint32) bool {
	if w.word.Load()&LockBit == 0 {
		return false
	}
	s := w.Acquire()
	if s != before {
		w.Release(s)
		return false
	}
	w.Release(after)
	return true
}

// Or sets bits and returns the state before.
func (w *Word) Or(bits uint32) uint32 { return w.change(^uint32(0), bits) }

// And keeps none but the given bits and returns the state before.
func (w *Word) And(keep uint32) uint32 { return w.change(keep, 0) }

func (w *Word) change(keep, set uint32) uint32 {
	s := w.Acquire()
	w.word.Store(s&keep | set)
	return s
}

// Init sets the state of a Word that no other goroutine has yet.
func (w *Word) Init(s uint32) { w.word.Store(s) }

// Lock locks the mutex. The state stays as it is.
func (w *Word) Lock() { w.Acquire() }

// Unlock unlocks the mutex. The state stays as it is.
func (w *Word) Unlock() {
	s := w.word.Load()
	if invariants.Enabled {
		invariants.Check(s&LockBit != 0, "a state word is unlocked that is not locked")
	}
	w.Release(s &^ LockBit)
}

// Acquire locks the mutex and returns the state, which only the caller changes until it calls Release.
func (w *Word) Acquire() uint32 {
	s := w.word.Load()
	if s&LockBit == 0 && w.word.CompareAndSwap(s, s|LockBit) {
		return s
	}
	return w.contend()
}

// Replace makes s the state. The caller holds the lock, and keeps it.
func (w *Word) Replace(s uint32) { w.word.Store(s | LockBit) }

// Release makes s the state and unlocks the mutex.
func (w *Word) Release(s uint32) { xatomic.Release(&w.word, s) }

// contend is Acquire where others want the lock, too.
func (w *Word) contend() uint32 {
	w.queue.Lock()
	defer w.queue.Unlock()
	for {
		if s := xatomic.SpinWhile(&w.word, LockBit); w.word.CompareAndSwap(s, s|LockBit) {
			return s
		}
	}
}
