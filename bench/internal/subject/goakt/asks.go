package goakt

import (
	"github.com/tochemey/goakt/v3/actor"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

func answer(ctx *actor.ReceiveContext) {
	if m, ok := ctx.Message().(*wrapperspb.Int64Value); ok {
		ctx.Response(wrapperspb.Int64(m.Value + 1))
	}
}

func askOutside(r *suite.Run) (int64, error) {
	return run(func(sys actor.ActorSystem) (sum int64, err error) {
		server, err := sys.Spawn(background, "server", &receiver{answer}, longLived)
		if err != nil {
			return 0, err
		}
		r.Start()
		for i := range r.N {
			v, err := actor.Ask(background, server, wrapperspb.Int64(int64(i)), workload.Timeout)
			if err != nil {
				return sum, err
			}
			sum += v.(*wrapperspb.Int64Value).Value
		}
		r.Stop()
		return sum, nil
	})
}

func askInside(r *suite.Run) (int64, error) {
	return run(func(sys actor.ActorSystem) (sum int64, err error) {
		server, err := sys.Spawn(background, "server", &receiver{answer}, longLived)
		if err != nil {
			return 0, err
		}
		done := make(chan error, 1)
		asker, err := sys.Spawn(background, "asker", &receiver{func(ctx *actor.ReceiveContext) {
			n, ok := ctx.Message().(*wrapperspb.Int64Value)
			if !ok {
				return
			}
			for i := range n.Value {
				v, err := ctx.Self().Ask(background, server, wrapperspb.Int64(i), workload.Timeout)
				if err != nil {
					done <- err
					return
				}
				sum += v.(*wrapperspb.Int64Value).Value
			}
			done <- nil
		}}, longLived)
		if err != nil {
			return 0, err
		}
		r.Start()
		err = actor.Tell(background, asker, wrapperspb.Int64(int64(r.N)))
		if err == nil {
			err = <-done
		}
		r.Stop()
		return sum, err
	})
}
