package actor

import (
	"github.com/troupe-go/troupe/internal/invariants"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// latch is a mutex and the state word of an actor in one, so that a sender
// locks, puts its message in and announces it at the price of one locked
// instruction, where a mutex and a word beside it took three.
//
// # Protocol
//
// One bit of the word says that somebody has the lock. While it is set nobody
// else changes the word, so that the holder ends with a plain store of all of it,
// changed or not: see [xatomic.Release]. Who changes the word without need of
// the lock does so by compare-and-swap, from a value in which the bit is clear.
//
// Who finds the lock taken queues up at a mutex, and the first in that queue
// spins: what is done under the lock takes some ten nanoseconds. That mutex is
// not on the way of anybody else. A flag for "somebody waits", as in sync.Mutex,
// would need an exchange to unlock.
//
// The lock is not reentrant, which goes for compare-and-swap under it, too.
type latch struct {
	word  xatomic.Uint32
	queue xatomic.Mutex
}

// Load returns the state.
func (l *latch) Load() uint32 { return l.word.Load() &^ latched }

// CompareAndSwap changes the state from before to after. It waits for whoever
// has the lock.
func (l *latch) CompareAndSwap(before, after uint32) bool {
	return l.word.CompareAndSwap(before, after) || l.compareSlowly(before, after)
}

func (l *latch) compareSlowly(before, after uint32) bool {
	if l.word.Load()&latched == 0 {
		return false
	}
	s := l.lock()
	if s != before {
		l.unlock(s)
		return false
	}
	l.unlock(after)
	return true
}

// Or sets bits and returns the state before.
func (l *latch) Or(bits uint32) uint32 { return l.change(^uint32(0), bits) }

// And keeps none but the given bits and returns the state before.
func (l *latch) And(keep uint32) uint32 { return l.change(keep, 0) }

func (l *latch) change(keep, set uint32) uint32 {
	s := l.lock()
	l.word.Store(s&keep | set)
	return s
}

// init sets the state of a latch that nobody else has yet.
func (l *latch) init(s uint32) { l.word.Store(s) }

// Lock is that of a mutex.
func (l *latch) Lock() { l.lock() }

// Unlock is that of a mutex.
func (l *latch) Unlock() {
	s := l.word.Load()
	if invariants.Enabled {
		invariants.Check(s&latched != 0, "a latch is unlocked that is not locked")
	}
	l.unlock(s &^ latched)
}

// lock is Lock, and returns the state, which stays as it is until the lock is
// given back.
func (l *latch) lock() uint32 {
	s := l.word.Load()
	if s&latched == 0 && l.word.CompareAndSwap(s, s|latched) {
		return s
	}
	return l.contend()
}

// replace makes s the state. It is for who has the lock, and keeps it.
func (l *latch) replace(s uint32) { l.word.Store(s | latched) }

// unlock ends what lock has begun and makes s the state.
func (l *latch) unlock(s uint32) { xatomic.Release(&l.word, s) }

// contend is lock where others want it too.
func (l *latch) contend() uint32 {
	l.queue.Lock()
	defer l.queue.Unlock()
	for {
		if s := xatomic.SpinWhile(&l.word, latched); l.word.CompareAndSwap(s, s|latched) {
			return s
		}
	}
}
