package protoactor

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

type (
	data   struct{}
	urgent struct{}
)

// GetPriority puts the message before all messages with the default priority, 4.
func (urgent) GetPriority() int8 { return 7 }

func urgentFlood(r *suite.Run) (int64, error) {
	return run(func(sys *actor.ActorSystem) (int64, error) {
		f := workload.NewFlood(r)
		pid := sys.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
			switch ctx.Message().(type) {
			case urgent:
				f.Urgent()
			case data:
				f.Data()
			}
		}, actor.WithMailbox(actor.UnboundedPriorityMpsc())))
		return f.Run(
			func() error { sys.Root.Send(pid, data{}); return nil },
			func() error { sys.Root.Send(pid, urgent{}); return nil },
		)
	})
}

func urgentBusy(r *suite.Run) (int64, error) {
	return run(func(sys *actor.ActorSystem) (int64, error) {
		b := workload.NewBusy(r)
		hero := sys.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
			if _, ok := ctx.Message().(urgent); ok {
				b.Urgent()
			}
		}))
		busy := spawnN(sys, r.Size, func(int) actor.ReceiveFunc {
			return func(ctx actor.Context) {
				if _, ok := ctx.Message().(data); ok && b.Work() {
					ctx.Send(ctx.Self(), data{})
				}
			}
		})
		return b.Run(
			func(i int) error { sys.Root.Send(busy[i], data{}); return nil },
			func() error { sys.Root.Send(hero, urgent{}); return nil },
		)
	})
}
