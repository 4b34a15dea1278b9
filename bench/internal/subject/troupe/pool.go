package troupe

import (
	"context"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"

	"github.com/troupe-go/troupe/bench/internal/workload"
)

var poolRuns = workload.Pools(func(workers, k int, task func()) error {
	_, err := run(func(sys *actor.System) (int64, error) {
		p, err := router.NewPool(sys, router.PoolConfig[struct{}, struct{}]{
			Workers: workers,
			Do:      func(context.Context, struct{}) (struct{}, error) { task(); return struct{}{}, nil },
		})
		if err != nil {
			return 0, err
		}
		for range k {
			if err := p.Send(background, struct{}{}); err != nil {
				return 0, err
			}
		}
		return 0, p.Drain(background)
	})
	return err
})
