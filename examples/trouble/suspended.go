package main

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// suspended has an actor that somebody has suspended, to look at it, and has not resumed.
func suspended(ctx context.Context, sys *actor.System, names *names) (func(), error) {
	ship, err := actor.Spawn(sys, shipper{}, actor.WithName(names.culprit()), actor.WithCapacity(actor.Data, 20))
	if err != nil {
		return nil, err
	}
	shop, err := actor.Spawn(sys, &checkout{ship}, actor.WithName(names.next()), actor.WithCapacity(actor.Data, 20))
	if err != nil {
		return nil, err
	}
	if err := sys.Suspend(ship.PID()); err != nil {
		return nil, err
	}
	return func() {
		for n := 0; shop.Send(ctx, order{n}) == nil; n++ {
			wait(ctx, 20*time.Millisecond)
		}
	}, nil
}

// shipper ships at once.
type shipper struct{}

func (shipper) Receive(*actor.Context[order], order) error { return nil }
