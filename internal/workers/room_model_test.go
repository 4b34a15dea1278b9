//go:build modelcheck

package workers_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/internal/modelcheck"
	"github.com/troupe-go/troupe/internal/workers"
)

// crowding has submitters of one job each to a scheduler that keeps room for
// fewer, and a worker. If one leaves, the first may give up.
func crowding(room, submitters int, oneLeaves bool) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		s := workers.NewModelOf(workers.Config{Workers: 1, MaxQueued: room})
		ran, refused := 0, 0
		ctx, leave := context.WithCancel(context.Background())
		prog.Finally(func() error { leave(); return nil })
		ended := func() {
			if ran+refused == submitters {
				s.EndShared()
			}
		}
		f := workers.NewModelFiber(s).On(s.Worker(0))
		prog.Go("worker", func() {
			for n := s.AwaitShared(); n != nil; n = s.AwaitShared() {
				n.Run(f)
			}
		})
		for i := range submitters {
			prog.Go(fmt.Sprintf("submitter %d", i), func() {
				ctx := ctx
				if i > 0 {
					ctx = context.Background()
				}
				_, err := s.Go(ctx, func(context.Context) error { ran++; ended(); return nil })
				switch {
				case errors.Is(err, context.Canceled):
					refused++
					ended()
				case err != nil:
					panic(err)
				}
			})
		}
		if oneLeaves {
			prog.Go("leave", func() { modelcheck.Outside(); leave() })
		}
		prog.Finally(func() error {
			if n := s.InRoom(); n != 0 || ran+refused != submitters {
				return fmt.Errorf("%d jobs ran, %d were refused, and %d places are taken", ran, refused, n)
			}
			return nil
		})
	}
}

// submitting has jobs that are submitted while the scheduler stops, and workers that leave
// when nothing is left. Every accepted job runs.
func submitting(width, submitters int) func(*modelcheck.Program) {
	return func(prog *modelcheck.Program) {
		s := workers.NewModel(width)
		ran, accepted := 0, 0
		for i := range width {
			w := s.Worker(i)
			f := workers.NewModelFiber(s).On(w)
			prog.Go(fmt.Sprintf("worker %d", i), func() {
				for n := w.Next(); n != nil; n = w.Next() {
					n.Run(f)
				}
			})
		}
		for i := range submitters {
			prog.Go(fmt.Sprintf("submitter %d", i), func() {
				_, err := s.Go(context.Background(), func(context.Context) error { ran++; return nil })
				switch {
				case err == nil:
					accepted++
				case !errors.Is(err, workers.ErrStopped):
					panic(err)
				}
			})
		}
		prog.Go("stopper", func() { s.Settle() })
		prog.Finally(func() error {
			if ran != accepted {
				return fmt.Errorf("of %d jobs that were accepted, %d ran", accepted, ran)
			}
			return nil
		})
	}
}
