package troupe

import (
	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/beside"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// besides runs do with a reference to a flooded actor.
func besides(r *suite.Run, do func(sys *actor.System, b *beside.Driver, flooded actor.Ref[kind]) (int64, error)) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		b := beside.New(r)
		ref, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[kind], m kind) error {
			if m == urgent {
				b.Urgent()
			} else {
				b.Data()
			}
			return nil
		}), actor.WithCapacity(actor.Data, beside.Capacity))
		if err != nil {
			return 0, err
		}
		return do(sys, b, ref)
	})
}

func besideTicks(r *suite.Run) (int64, error) {
	return besides(r, func(_ *actor.System, b *beside.Driver, flooded actor.Ref[kind]) (int64, error) {
		control := flooded.On(actor.Control)
		return b.Ticks(
			func() error { return flooded.Send(background, data) },
			func() error { return control.Send(background, urgent) },
		)
	})
}

func besideHalt(r *suite.Run) (int64, error) {
	return besides(r, func(sys *actor.System, b *beside.Driver, flooded actor.Ref[kind]) (int64, error) {
		return b.Halt(func() error { return flooded.Send(background, data) }, func(n int) (func() error, error) {
			refs, err := spawnN(sys, n, func(int) func(*actor.Context[int], int) error {
				return func(*actor.Context[int], int) error { return nil }
			})
			return func() error {
				for _, ref := range refs {
					if err := sys.RequestStop(ref.PID()); err != nil {
						return err
					}
				}
				for _, ref := range refs {
					<-ref.Done()
				}
				return nil
			}, err
		})
	})
}

func besideHTTP(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		b := beside.New(r)
		return b.HTTP(func(int) error {
			ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], m int) error {
				if !b.Compute() {
					return nil
				}
				return ctx.Self().Send(ctx, m)
			}))
			if err != nil {
				return err
			}
			return ref.Send(background, 1)
		})
	})
}
