// Package answers has a handler that answers.
package answers

import "github.com/troupe-go/troupe/actor"

type ask struct{ done actor.Reply[int] }

func handle(ctx *actor.Context[ask], m ask) error { return m.done.Send(ctx, 1) }
