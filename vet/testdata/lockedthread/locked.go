// Package lockedthread has handlers that lock their thread.
package lockedthread

import (
	"runtime"

	"github.com/troupe-go/troupe/actor"
)

type locks struct{}

// One and two: a handler and a hook.
func (locks) Receive(ctx *actor.Context[int], m int) error {
	runtime.LockOSThread() // want `the handler locks its thread and does not unlock it`
	return nil
}

func (locks) Started(ctx *actor.Context[int]) error {
	runtime.LockOSThread() // want `does not unlock it`
	return nil
}

// Three: a behaviour.
func behaviour(ctx *actor.Context[int], m int) error {
	if m > 0 {
		runtime.LockOSThread() // want `does not unlock it`
	}
	return nil
}

// Four: a literal.
var literal = actor.Func(func(ctx *actor.Context[int], m int) error {
	(runtime.LockOSThread)() // want `does not unlock it`
	return nil
})

// Five: a function that the handler calls at once.
func nested(ctx *actor.Context[int], m int) error {
	func() {
		runtime.LockOSThread() // want `does not unlock it`
	}()
	return nil
}

// All below is right. One: it is unlocked.
func unlocks(ctx *actor.Context[int], m int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return nil
}

// Two: by a closure.
func unlocksLater(ctx *actor.Context[int], m int) error {
	runtime.LockOSThread()
	defer func() { runtime.UnlockOSThread() }()
	return nil
}

// Three: a goroutine of its own may end with its thread.
func goroutine(ctx *actor.Context[int], m int) error {
	go func() {
		runtime.LockOSThread()
	}()
	return nil
}

// Four: a function that is no handler.
func plain(m int) error {
	runtime.LockOSThread()
	return nil
}

type own struct{}

func (own) LockOSThread() {}

// Five: another function of that name.
func other(ctx *actor.Context[int], m int) error {
	own{}.LockOSThread()
	return nil
}
