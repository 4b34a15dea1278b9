package troupe

import (
	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// finding is a board that was given back, or the number of solutions.
type finding struct {
	board     savina.Board
	more      bool
	solutions int64
}

type searcher struct{ master *actor.Ref[finding] }

func (s searcher) Receive(ctx *actor.Context[savina.Board], b savina.Board) error {
	if !b.Shared() {
		return s.master.Send(ctx, finding{solutions: b.Solutions()})
	}
	for next := range b.Next {
		if err := s.master.Send(ctx, finding{board: next, more: true}); err != nil {
			return err
		}
	}
	return s.master.Send(ctx, finding{})
}

func queens(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		var (
			sum      int64
			m        savina.Master
			master   actor.Ref[finding]
			workers  = make([]actor.Ref[savina.Board], savina.QueensWorkers)
			finished = make(chan struct{})
		)
		for i := range workers {
			var err error
			if workers[i], err = actor.Spawn(sys, searcher{&master}); err != nil {
				return 0, err
			}
		}
		master, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[finding], f finding) error {
			if f.more {
				return workers[m.Assign()].Send(ctx, f.board)
			}
			if m.Finished(f.solutions) {
				finished <- struct{}{}
			}
			return nil
		}))
		if err != nil {
			return 0, err
		}
		r.Start()
		for range r.N {
			m = savina.Master{}
			if err := workers[m.Assign()].Send(background, savina.Board{Size: r.Size}); err != nil {
				return 0, err
			}
			<-finished
			sum += m.Solutions
		}
		r.Stop()
		return sum, nil
	})
}
