package main

import (
	"context"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
)

type letter struct{ to string }

// mailer takes 5 ms for a letter: 200 a second.
type mailer struct{}

func (mailer) Receive(ctx *actor.Context[letter], _ letter) error {
	wait(ctx, 5*time.Millisecond)
	return nil
}

// backlog has eight customers that send 100 letters a second each.
func backlog(ctx context.Context, sys *actor.System, names *names) (func(), error) {
	mail, err := actor.Spawn(sys, mailer{}, actor.WithName(names.culprit()), actor.WithCapacity(actor.Data, 500))
	if err != nil {
		return nil, err
	}
	return func() {
		var customers sync.WaitGroup
		for range 8 {
			customers.Go(func() {
				for mail.Send(ctx, letter{"somebody"}) == nil {
					wait(ctx, 10*time.Millisecond)
				}
			})
		}
		customers.Wait()
	}, nil
}
