package protoactor

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/bench/internal/beside"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// besides runs do with what sends to a flooded actor.
func besides(r *suite.Run, do func(sys *actor.ActorSystem, b *beside.Driver, send func(m any) error) (int64, error)) (int64, error) {
	return run(func(sys *actor.ActorSystem) (int64, error) {
		b := beside.New(r)
		pid := sys.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
			switch ctx.Message().(type) {
			case urgent:
				b.Urgent()
			case data:
				b.Data()
			}
		}, actor.WithMailbox(actor.UnboundedPriorityMpsc())))
		return do(sys, b, func(m any) error { sys.Root.Send(pid, m); return nil })
	})
}

func besideTicks(r *suite.Run) (int64, error) {
	return besides(r, func(_ *actor.ActorSystem, b *beside.Driver, send func(m any) error) (int64, error) {
		return b.Ticks(func() error { return send(data{}) }, func() error { return send(urgent{}) })
	})
}

func besideHalt(r *suite.Run) (int64, error) {
	return besides(r, func(sys *actor.ActorSystem, b *beside.Driver, send func(m any) error) (int64, error) {
		return b.Halt(func() error { return send(data{}) }, func(n int) (func() error, error) {
			pids := spawnN(sys, n, func(int) actor.ReceiveFunc { return func(actor.Context) {} })
			return func() error {
				futures := make([]*actor.Future, n)
				for i, pid := range pids {
					futures[i] = sys.Root.StopFuture(pid)
				}
				for _, f := range futures {
					if err := f.Wait(); err != nil {
						return err
					}
				}
				return nil
			}, nil
		})
	})
}

func besideHTTP(r *suite.Run) (int64, error) {
	return run(func(sys *actor.ActorSystem) (int64, error) {
		b := beside.New(r)
		return b.HTTP(func(int) error {
			sys.Root.Send(sys.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
				if _, ok := ctx.Message().(data); ok && b.Compute() {
					ctx.Send(ctx.Self(), data{})
				}
			})), data{})
			return nil
		})
	})
}
