package tests

import "github.com/troupe-go/troupe/actor"

type ask struct{ done actor.Reply[int] }

func forgets(ctx *actor.Context[ask], m ask) error {
	ctx.Self().Send(ctx, m)
	return nil
}
