package main

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

type question struct {
	article string
	answer  actor.Reply[int]
}

// stock asks prices what an article is worth, before it says how many there are.
// prices asks stock how many there are, before it says what one is worth.
type stock struct{ prices *actor.Ref[question] }

func (s stock) Receive(ctx *actor.Context[question], q question) error {
	price, err := actor.Ask(ctx, *s.prices, func(r actor.Reply[int]) question { return question{q.article, r} })
	if err != nil {
		return q.answer.Send(ctx, 0) // Sold out, for all that we know.
	}
	return q.answer.Send(ctx, 1000/price)
}

type prices struct{ stock actor.Ref[question] }

func (p prices) Receive(ctx *actor.Context[question], q question) error {
	number, err := actor.Ask(ctx, p.stock, func(r actor.Reply[int]) question { return question{q.article, r} })
	if err != nil {
		return err
	}
	return q.answer.Send(ctx, 100-number)
}

func ring(ctx context.Context, sys *actor.System, names *names) (func(), error) {
	sup, err := supervise.Start(sys, supervise.Config{Name: names.next(), Intensity: 1000, Period: time.Second})
	if err != nil {
		return nil, err
	}
	var priced actor.Ref[question]
	store, err := supervise.Spawn(ctx, sup, supervise.Child[question]{
		Name: names.next(), New: func() actor.Actor[question] { return stock{&priced} },
	})
	if err != nil {
		return nil, err
	}
	priced, err = supervise.Spawn(ctx, sup, supervise.Child[question]{
		Name: names.culprit(), New: func() actor.Actor[question] { return prices{store} },
	})
	if err != nil {
		return nil, err
	}
	return func() {
		for ctx.Err() == nil {
			_, _ = actor.Ask(ctx, store, func(r actor.Reply[int]) question { return question{"tea", r} })
			wait(ctx, 200*time.Millisecond)
		}
	}, nil
}
