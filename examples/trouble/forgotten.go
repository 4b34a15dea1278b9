package main

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/actor"
)

type request struct {
	path   string
	answer actor.Reply[string]
}

// front asks the back for each request.
type front struct{ back actor.Ref[request] }

func (f front) Receive(ctx *actor.Context[request], r request) error {
	answer, err := actor.Ask(ctx, f.back, func(a actor.Reply[string]) request { return request{r.path, a} })
	if err != nil {
		return r.answer.Send(ctx, "sorry")
	}
	return r.answer.Send(ctx, answer)
}

// back answers what it has cached. For the rest it forgets the reply: this is the mistake.
type back struct{ cached map[string]string }

func (b back) Receive(ctx *actor.Context[request], r request) error {
	if page, ok := b.cached[r.path]; ok {
		return r.answer.Send(ctx, page)
	}
	return nil //troupe:ignore reply: to forget it is the example
}

func forgotten(ctx context.Context, sys *actor.System, names *names) (func(), error) {
	b, err := actor.Spawn(sys, back{map[string]string{"/": "welcome"}}, actor.WithName(names.culprit()))
	if err != nil {
		return nil, err
	}
	f, err := actor.Spawn(sys, front{b}, actor.WithName(names.next()))
	if err != nil {
		return nil, err
	}
	return func() {
		for ctx.Err() == nil {
			for _, path := range []string{"/", "/news"} {
				_, _ = actor.Ask(ctx, f, func(a actor.Reply[string]) request { return request{path, a} })
			}
			wait(ctx, 10*time.Millisecond)
		}
	}, nil
}
