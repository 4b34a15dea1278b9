package troupe

import (
	"context"

	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

type question struct {
	of    int
	reply actor.Reply[int]
}

func answer(ctx *actor.Context[question], q question) error {
	return q.reply.Send(ctx, q.of+1)
}

func askAll(ctx context.Context, n int, server actor.Ref[question]) (int64, error) {
	var sum int64
	for i := range n {
		v, err := actor.Ask(ctx, server, func(reply actor.Reply[int]) question { return question{i, reply} })
		if err != nil {
			return sum, err
		}
		sum += int64(v)
	}
	return sum, nil
}

func askOutside(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		server, err := actor.Spawn(sys, actor.Func(answer))
		if err != nil {
			return 0, err
		}
		r.Start()
		sum, err := askAll(background, r.N, server)
		r.Stop()
		return sum, err
	})
}

func askInside(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		server, err := actor.Spawn(sys, actor.Func(answer))
		if err != nil {
			return 0, err
		}
		var sum int64
		asker, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[question], q question) error {
			var err error
			if sum, err = askAll(ctx, q.of, server); err != nil {
				return q.reply.Fail(ctx, err)
			}
			return q.reply.Send(ctx, 0)
		}))
		if err != nil {
			return 0, err
		}
		r.Start()
		_, err = actor.Ask(background, asker, func(reply actor.Reply[int]) question { return question{r.N, reply} })
		r.Stop()
		return sum, err
	})
}
