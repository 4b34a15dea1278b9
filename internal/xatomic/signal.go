//go:build !modelcheck

package xatomic

import (
	"runtime"
	"sync"
)

// Checked is true in builds with the tag modelcheck.
const Checked = false

type (
	// Once is sync.Once.
	Once = sync.Once
	// Pool is sync.Pool.
	Pool = sync.Pool
)

// Spin lets others go on while the caller waits for x to be something else than
// v.
func Spin(*Uint64, uint64) { runtime.Gosched() }

// SpinWhile waits until none of the bits is set in x, and returns its value. It
// is for what takes another thread some steps.
//
// Where that thread has lost its processor to another program, nobody here can
// have it back before the system gives it. So after a while the waiting thread
// gives up its own, and does not burn all of its time: that cost tell, where the lock
// is held for a third of the time, 70% on a busy machine.
func SpinWhile(x *Uint32, bits uint32) uint32 {
	for round := 0; ; round++ {
		v := x.Load()
		switch {
		case v&bits == 0:
			return v
		case round < spinRounds:
			Pause()
		case round < spinRounds+yieldRounds:
			runtime.Gosched()
		default:
			runtime.Gosched()
			rest(restNanoseconds)
		}
	}
}

const (
	// spinRounds is how long SpinWhile waits before it lets other goroutines run:
	// 1 to 3 us, far more than the steps that it waits for.
	spinRounds = 64
	// yieldRounds is how often it lets them run, one of which may be the one that
	// it waits for, before it rests. Picked out of thin air.
	yieldRounds = 16
	// restNanoseconds is short beside the time slice of a system, some ms.
	restNanoseconds = 50_000
)

// Signal wakes one waiter. It holds one token at most. The zero Signal is none.
type Signal chan struct{}

// NewSignal returns a signal without a token.
func NewSignal() Signal { return make(Signal, 1) }

// Made reports whether the signal comes from NewSignal.
func (s Signal) Made() bool { return s != nil }

// Send puts a token in. It waits while there is one.
func (s Signal) Send() {
	pass()
	s <- struct{}{}
}

// Offer puts a token in unless there is one.
func (s Signal) Offer() {
	pass()
	select {
	case s <- struct{}{}:
	default:
	}
}

// Await waits for the token and takes it. It returns false if done is closed
// first.
func (s Signal) Await(done <-chan struct{}) bool {
	pass()
	if done == nil { // A select of two costs 50 ns more.
		<-s
		return true
	}
	select {
	case <-s:
		return true
	case <-done:
		return false
	}
}

// AwaitEither is Await with two channels.
func (s Signal) AwaitEither(done, over <-chan struct{}) bool {
	select {
	case <-s:
		return true
	case <-done:
		return false
	case <-over:
		return false
	}
}

// Receive waits for the token and takes it.
func (s Signal) Receive() {
	pass()
	<-s
}

// TryReceive takes the token if there is one.
func (s Signal) TryReceive() bool {
	select {
	case <-s:
		return true
	default:
		return false
	}
}
