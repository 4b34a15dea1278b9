// Package infer has mistakes about types, for kinds-of-messages.md.
package infer

import (
	"context"

	"github.com/troupe-go/troupe/actor"
)

type message interface{ isMessage() }

type deposit struct{ total actor.Reply[int] }

func (deposit) isMessage() {}

type other struct{}

type account struct{}

func (a *account) Receive(ctx *actor.Context[message], m message) error { return nil }

type wrong struct{}

func (wrong) Receive(ctx actor.Context[message], m message) error { return nil }

func mistakes(ctx context.Context, sys *actor.System) {
	acc, _ := actor.Spawn(sys, &account{})
	_ = acc.Send(ctx, other{})
	_, _ = actor.Ask(ctx, acc, func(r actor.Reply[int]) deposit { return deposit{r} })
	found, _ := actor.Lookup(sys, "account")
	_ = found
	_, _ = actor.Spawn(sys, account{})
	_, _ = actor.Spawn(sys, wrong{})
	var ref actor.Ref[deposit] = acc
	_ = ref
	_, _ = actor.Spawn(sys, actor.Func(func(ctx *actor.Context[message], m deposit) error { return nil }))
}
