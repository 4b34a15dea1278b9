package main

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/actor"
)

type order struct{ number int }

// checkout passes orders on.
type checkout struct{ payments actor.Ref[order] }

func (c *checkout) Receive(ctx *actor.Context[order], o order) error {
	return c.payments.Send(ctx, o)
}

// payments charges the bank for each order. The bank answers the first three.
type payments struct{ answers chan string }

func (p *payments) Receive(_ *actor.Context[order], o order) error {
	if o.number < 3 {
		p.answers <- "paid"
	}
	p.charge()
	return nil
}

// charge waits for the answer, however long that takes: this is the mistake.
func (p *payments) charge() string { return <-p.answers }

func stuck(ctx context.Context, sys *actor.System, names *names) (func(), error) {
	pay, err := actor.Spawn(sys, &payments{make(chan string, 1)}, actor.WithName(names.culprit()), actor.WithCapacity(actor.Data, 20))
	if err != nil {
		return nil, err
	}
	shop, err := actor.Spawn(sys, &checkout{pay}, actor.WithName(names.next()), actor.WithCapacity(actor.Data, 20))
	if err != nil {
		return nil, err
	}
	return func() {
		for n := 0; shop.Send(ctx, order{n}) == nil; n++ {
			wait(ctx, 20*time.Millisecond)
		}
	}, nil
}
