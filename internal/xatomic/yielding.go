//go:build yielding && !modelcheck

package xatomic

import (
	"math/rand/v2"
	"runtime"
	"sync"
)

// passRate is at one of how many operations another goroutine goes first. A message
// takes some ten of them, so that each second message meets another schedule, and a
// test takes little longer than without.
const passRate = 24

// pass lets another goroutine go first, now and then.
func pass() {
	if rand.Uint32N(passRate) == 0 {
		runtime.Gosched()
	}
}

func read[T any](*T)  { pass() }
func write[T any](*T) { pass() }

// Mutex is sync.Mutex, except that Unlock may yield the processor.
type Mutex struct{ m sync.Mutex }

// Lock does the same as in sync.Mutex.
func (m *Mutex) Lock() {
	pass()
	m.m.Lock()
}

// Unlock does the same as in sync.Mutex.
func (m *Mutex) Unlock() {
	m.m.Unlock()
	pass()
}
