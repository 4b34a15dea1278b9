package troupe

import (
	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

func queens(r *suite.Run) (int64, error) { return farm(r, savina.Board{Size: r.Size}) }

func matrixProduct(r *suite.Run) (int64, error) {
	return farm(r, savina.NewFactors(r).Whole(), actor.WithBuffer(actor.Data, actor.Unbounded))
}

// finding is a piece of work that was given back, or the result of one.
type finding[W any] struct {
	part   W
	more   bool
	result int64
}

type searcher[W savina.Work[W]] struct{ master *actor.Ref[finding[W]] }

func (s searcher[W]) Receive(ctx *actor.Context[W], w W) error {
	if !w.Shared() {
		return s.master.Send(ctx, finding[W]{result: w.Result()})
	}
	for part := range w.Parts {
		if err := s.master.Send(ctx, finding[W]{part: part, more: true}); err != nil {
			return err
		}
	}
	return s.master.Send(ctx, finding[W]{})
}

// farm has workers do the work, and give back to a master what is too large.
func farm[W savina.Work[W]](r *suite.Run, whole W, opts ...actor.Option) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		var (
			sum      int64
			m        savina.Master
			master   actor.Ref[finding[W]]
			workers  = make([]actor.Ref[W], savina.Workers)
			finished = make(chan struct{})
		)
		for i := range workers {
			var err error
			if workers[i], err = actor.Spawn(sys, searcher[W]{&master}, opts...); err != nil {
				return 0, err
			}
		}
		master, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[finding[W]], f finding[W]) error {
			if f.more {
				return workers[m.Assign()].Send(ctx, f.part)
			}
			if m.Finished(f.result) {
				finished <- struct{}{}
			}
			return nil
		}), opts...)
		if err != nil {
			return 0, err
		}
		r.Start()
		for range r.N {
			m = savina.Master{}
			if err := workers[m.Assign()].Send(background, whole); err != nil {
				return 0, err
			}
			<-finished
			sum += m.Result
		}
		r.Stop()
		return sum, nil
	})
}
