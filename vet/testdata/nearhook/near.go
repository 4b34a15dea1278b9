// Package nearhook has methods that are nearly hooks.
package nearhook

import (
	"context"

	"github.com/troupe-go/troupe/actor"
)

type one struct{}

func (one) Receive(ctx *actor.Context[int], m int) error { return nil }

// One to three: the name of a hook, and another signature.
func (one) Started(ctx context.Context) error { return nil } // want `Started is no hook with this signature, and Spawn refuses it; want Started\(ctx \*github.com/troupe-go/troupe/actor.Context\[int\]\) error`

func (one) Stopped(ctx *actor.Context[int]) {} // want `Stopped is no hook with this signature`

func (one) Down(ctx *actor.Context[int], e actor.Exit) error { return nil } // want `Down is no hook with this signature`

type two struct{}

func (*two) Receive(ctx *actor.Context[string], m string) error { return nil }

// Four: the messages of another actor.
func (*two) Started(ctx *actor.Context[int]) error { return nil } // want `Started is no hook with this signature`

// Five to seven: nearly the name.
func (*two) Stoped(ctx *actor.Context[string], reason error) {} // want `Stoped is never called; the hook is Stopped`

func (*two) OnExited(ctx *actor.Context[string], e actor.Exit) error { return nil } // want `OnExited is never called; the hook is Exited`

func (*two) ChildExit(ctx *actor.Context[string], e actor.Exit) error { return nil } // want `ChildExit is never called; the hook is ChildExited`

type three struct{}

func (*three) Receive(ctx *actor.Context[string], m string) error {
	return ctx.Become((*three)(nil).Startd2)
}

// All below is right. One to four: hooks as they should be.
func (*three) Started(ctx *actor.Context[string]) error { return nil }

func (*three) Stopped(_ *actor.Context[string], _ error) {}

func (*three) Down(ctx *actor.Context[string], m actor.Monitor, e actor.Exit) error { return nil }

func (*three) Health(ctx *actor.Context[string]) actor.Health { return actor.Health{} }

// Five: a behaviour, whose name happens to be near.
func (*three) Startd2(ctx *actor.Context[string], m string) error { return nil }

type four struct{}

func (*four) Receive(ctx *actor.Context[string], m string) error { return (*four)(nil).Start(ctx) }

// Six: a method that the actor calls itself.
func (*four) Start(ctx *actor.Context[string]) error { return nil }

// Seven: a type that is no actor.
type five struct{}

func (five) Started() bool { return true }

func (five) Down(n int) int { return n }
