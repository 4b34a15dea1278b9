// Package forgets has a handler that does not answer.
package forgets

import "github.com/troupe-go/troupe/actor"

type ask struct{ done actor.Reply[int] }

func handle(ctx *actor.Context[ask], m ask) error { return nil }
