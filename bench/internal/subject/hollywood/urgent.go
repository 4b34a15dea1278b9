package hollywood

import (
	"github.com/anthdm/hollywood/actor"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

type (
	data   struct{}
	urgent struct{}
)

func urgentFlood(r *suite.Run) (int64, error) {
	return run(func(e *actor.Engine) (int64, error) {
		f := workload.NewFlood(r)
		pid := e.SpawnFunc(func(ctx *actor.Context) {
			switch ctx.Message().(type) {
			case urgent:
				f.Urgent()
			case data:
				f.Data()
			}
		}, "flooded")
		return f.Run(
			func() error { e.Send(pid, data{}); return nil },
			func() error { e.Send(pid, urgent{}); return nil },
		)
	})
}

func urgentBusy(r *suite.Run) (int64, error) {
	return run(func(e *actor.Engine) (int64, error) {
		b := workload.NewBusy(r)
		hero := e.SpawnFunc(func(ctx *actor.Context) {
			if _, ok := ctx.Message().(urgent); ok {
				b.Urgent()
			}
		}, "urgent")
		busy := spawnN(e, r.Size, func(int) func(*actor.Context) {
			return func(ctx *actor.Context) {
				if _, ok := ctx.Message().(data); ok && b.Work() {
					ctx.Send(ctx.PID(), data{})
				}
			}
		})
		return b.Run(
			func(i int) error { e.Send(busy[i], data{}); return nil },
			func() error { e.Send(hero, urgent{}); return nil },
		)
	})
}
