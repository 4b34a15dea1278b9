package troupe

import (
	"sync"

	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// growthRuns are the runs of the workloads about growth.
func growthRuns() map[string]suite.Func {
	runs := map[string]suite.Func{}
	for _, size := range workload.Crowds {
		runs[workload.GrowthName(workload.GrowMessage, size)] = hop
		runs[workload.GrowthName(workload.GrowActor, size)] = spawn
		runs[workload.GrowthName(workload.GrowMemory, size)] = func(r *suite.Run) (int64, error) { return memory(r, true) }
	}
	return runs
}

// hopper passes a message on. It counts what it handles.
type hopper struct {
	handled int64
	i       int
	all     []actor.Ref[int]
	arrived *sync.WaitGroup
}

func (h *hopper) Receive(ctx *actor.Context[int], hops int) error {
	if h.handled++; hops == 1 {
		h.arrived.Done()
		return nil
	}
	return h.all[workload.Hop(h.i, len(h.all))].Send(ctx, hops-1)
}

func hop(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (handled int64, err error) {
		var arrived sync.WaitGroup
		arrived.Add(workload.Tokens(r.Size))
		refs, actors := make([]actor.Ref[int], r.Size), make([]hopper, r.Size)
		for i := range actors {
			actors[i] = hopper{i: i, all: refs, arrived: &arrived}
			if refs[i], err = actor.Spawn(sys, &actors[i]); err != nil {
				return 0, err
			}
		}
		r.Start()
		err = workload.Shares(r.N, r.Size, func(token, hops int) error { return refs[token].Send(background, hops) })
		if err != nil {
			return 0, err
		}
		arrived.Wait()
		r.Stop()
		for i := range actors {
			handled += actors[i].handled
		}
		return handled, nil
	})
}
