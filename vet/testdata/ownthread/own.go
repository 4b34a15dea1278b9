// Package ownthread has an actor on a thread of its own, which may lock it.
package ownthread

import (
	"runtime"

	"github.com/troupe-go/troupe/actor"
)

func locks(ctx *actor.Context[int], m int) error {
	runtime.LockOSThread()
	return nil
}

// Spawn spawns it.
func Spawn(sys *actor.System) error {
	_, err := actor.Spawn(sys, actor.Func(locks), actor.WithBackend(actor.OnOwnThread))
	return err
}
