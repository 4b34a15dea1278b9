// Command hello asks an actor for a greeting and prints the answer, or why
// there is none. Two errors are left out: the zero Config has none, and a Spawn
// that fails returns the zero Ref, of which the Ask tells.
package main

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/actor"
)

type greet struct {
	name  string
	reply actor.Reply[string]
}

func main() {
	sys, _ := actor.NewSystem(actor.Config{})
	hello, _ := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[greet], m greet) error {
		return m.reply.Send(ctx, "hello, "+m.name)
	}))
	fmt.Println(actor.Ask(context.Background(), hello, func(r actor.Reply[string]) greet { return greet{"gopher", r} }))
}
