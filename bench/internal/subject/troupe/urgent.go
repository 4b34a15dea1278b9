package troupe

import (
	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

type kind bool

const (
	data   kind = false
	urgent kind = true
)

func urgentFlood(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		f := workload.NewFlood(r)
		ref, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[kind], m kind) error {
			if m == urgent {
				f.Urgent()
			} else {
				f.Data()
			}
			return nil
		}), actor.WithCapacity(actor.Data, workload.FloodCapacity))
		if err != nil {
			return 0, err
		}
		control := ref.On(actor.Control)
		return f.Run(
			func() error { return ref.Send(background, data) },
			func() error { return control.Send(background, urgent) },
		)
	})
}

func urgentBusy(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		b := workload.NewBusy(r)
		hero, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error {
			b.Urgent()
			return nil
		}))
		if err != nil {
			return 0, err
		}
		busy, err := spawnN(sys, r.Size, func(int) func(*actor.Context[int], int) error {
			return func(ctx *actor.Context[int], m int) error {
				if !b.Work() {
					return nil
				}
				return ctx.Self().Send(ctx, m)
			}
		})
		if err != nil {
			return 0, err
		}
		control := hero.On(actor.Control)
		return b.Run(
			func(i int) error { return busy[i].Send(background, 1) },
			func() error { return control.Send(background, 1) },
		)
	})
}
