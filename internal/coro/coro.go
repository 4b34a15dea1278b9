// Package coro gives a function a stack of its own that can be left and
// entered again: a stackful coroutine.
//
// It rests on [iter.Pull], in which the Go runtime switches directly from one
// goroutine to another without going through its scheduler: 57 ns a switch on
// the machine where a channel hand-off costs 238 ns.
//
// Two rules come from the runtime. A coroutine may be resumed by any
// goroutine, but by one at a time. And a switch must happen with the same
// [runtime.LockOSThread] state with which the coroutine was created; anything
// else ends the process.
package coro

import (
	"iter"
	"unsafe"
)

// Coro is a coroutine. Its methods are not safe for concurrent use: Resume
// and Stop belong to the one who drives it, Yield to its own body.
type Coro struct {
	next func() (struct{}, bool) // Written by Init alone.
	// yield is nil before the body has begun and once it was stopped, and never if it
	// was stopped before it has begun.
	yield func(struct{}) bool
}

func never(struct{}) bool { return false }

// New returns a coroutine that runs body from the first Resume on.
// It costs about 1 µs and, once resumed, a goroutine's stack.
func New(body func(*Coro)) *Coro {
	c := &Coro{}
	c.Init(func(yield func(struct{}) bool) {
		if c.Begin(yield) {
			body(c)
		}
	})
	return c
}

// Init is New for a coroutine that lies in a record of the caller's, whose method
// main is: so it takes one small object less on the heap, and a frame less on the
// stack. Main gives its argument to Begin before anything else, and returns if that
// returns false.
func (c *Coro) Init(main func(yield func(struct{}) bool)) {
	// Pull's own way of stopping is one closure more, which we do without: to stop is
	// to resume, with a mark.
	c.next, _ = iter.Pull(main)
}

// Begin is for main; see Init. It returns false if the coroutine was stopped
// before it began.
func (c *Coro) Begin(yield func(struct{}) bool) bool {
	if c.yield != nil {
		return false
	}
	c.yield = yield
	return true
}

// Resume enters the coroutine and returns when its body yields or ends. It
// reports whether the body can be resumed again. A panic or Goexit of the
// body goes on in the caller.
func (c *Coro) Resume() bool {
	if c.next == nil {
		return false
	}
	_, alive := c.next()
	return alive
}

// Yield leaves the coroutine until the next Resume. It returns false when
// Stop was called instead; the body should then return.
func (c *Coro) Yield() bool { return c.yield != nil && c.yield(struct{}{}) && c.yield != nil }

// Stop ends the coroutine: the pending Yield returns false, and so does each
// later one, and Stop returns when the body has. A coroutine that has not begun never runs.
func (c *Coro) Stop() {
	switch {
	case c.next == nil:
		return
	case c.yield == nil:
		c.yield = never
	default:
		c.yield = nil
	}
	c.next()
}

// At returns where in memory the coroutine's records are: near that address, since
// Pull makes them one after the other. It does not change, and serves to have them
// fetched. It is 0 before Init.
func (c *Coro) At() uintptr { return *(*uintptr)(unsafe.Pointer(&c.next)) }
