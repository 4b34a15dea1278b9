// Command first is the first program of the guide: one actor, an account.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
)

// deposit is the message that an account takes.
type deposit struct {
	cents   int64
	balance actor.Reply[int64]
}

// account is the actor. Its fields belong to its handlers alone.
type account struct{ cents int64 }

// Receive handles one deposit. It never runs twice at the same time.
func (a *account) Receive(ctx *actor.Context[deposit], d deposit) error {
	a.cents += d.cents
	return d.balance.Send(ctx, a.cents)
}

func main() {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	acc, err := actor.Spawn(sys, &account{})
	if err != nil {
		log.Fatal(err)
	}
	if err := acc.Send(ctx, deposit{cents: 500}); err != nil { // Nobody waits for an answer.
		log.Fatal(err)
	}
	balance, err := actor.Ask(ctx, acc, func(r actor.Reply[int64]) deposit {
		return deposit{cents: 250, balance: r}
	})
	fmt.Println(balance, err)
	if err := sys.Stop(ctx); err != nil {
		log.Fatal(err)
	}
}
