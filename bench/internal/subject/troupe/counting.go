package troupe

import (
	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

func countingAll(r *suite.Run) (sum int64, err error) {
	return run(func(sys *actor.System) (int64, error) {
		r.Start()
		for range r.N {
			n, err := countAll(sys, r.Size)
			if err != nil {
				return 0, err
			}
			sum += n
		}
		r.Stop()
		return sum, nil
	})
}

func countAll(sys *actor.System, size int) (int64, error) {
	var n int64
	result := make(chan int64, 1)
	counter, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], m int) error {
		if m == savina.LastNumber {
			result <- n
			ctx.Stop()
			return nil
		}
		n++
		return nil
	}), actor.WithBuffer(actor.Data, actor.Unbounded))
	if err != nil {
		return 0, err
	}
	producer, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], _ int) error {
		defer ctx.Stop()
		for range size {
			if err := counter.Send(ctx, 1); err != nil {
				return err
			}
		}
		return counter.Send(ctx, savina.LastNumber)
	}))
	if err != nil {
		return 0, err
	}
	if err := producer.Send(background, 1); err != nil {
		return 0, err
	}
	return <-result, nil
}
