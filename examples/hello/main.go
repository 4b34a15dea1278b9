// Command hello asks an actor for a greeting and prints the answer, or why
// there is none. It ignores two errors: the zero Config causes none, and a Spawn
// that fails returns the zero Ref, which makes the Ask fail.
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
