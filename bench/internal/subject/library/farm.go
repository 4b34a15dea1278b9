package library

import (
	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

func queens(r *suite.Run, s Stage) (int64, error) { return farm(r, s, savina.Board{Size: r.Size}) }

func matrixProduct(r *suite.Run, s Stage) (int64, error) {
	return farm(r, s, savina.NewFactors(r).Whole())
}

// result is what a piece of work comes to.
type result int64

// farm has workers do the work, and give back to a master what is too large.
func farm[W savina.Work[W]](r *suite.Run, s Stage, whole W) (sum int64, err error) {
	var (
		m        savina.Master
		master   Address
		finished = make(chan struct{})
	)
	workers := spawnN(s, savina.Workers, func(int) Receive {
		return func(self Self, msg any) {
			w, ok := msg.(W)
			if !ok {
				return
			}
			if !w.Shared() {
				self.Send(master, result(w.Result()))
				return
			}
			for part := range w.Parts {
				self.Send(master, part)
			}
			self.Send(master, result(0))
		}
	})
	master = s.Spawn(func(self Self, msg any) {
		switch msg := msg.(type) {
		case W:
			self.Send(workers[m.Assign()], msg)
		case result:
			if m.Finished(int64(msg)) {
				finished <- struct{}{}
			}
		}
	})
	r.Start()
	for range r.N {
		m = savina.Master{}
		s.Send(workers[m.Assign()], whole)
		<-finished
		sum += m.Result
	}
	r.Stop()
	return sum, nil
}
