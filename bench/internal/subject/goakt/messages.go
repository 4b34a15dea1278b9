package goakt

import (
	"github.com/tochemey/goakt/v3/actor"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// ball counts down; the message is passed on as it is.
type ball = wrapperspb.Int64Value

// passOn lets size actors pass a ball round until it has been handled r.N times.
func passOn(r *suite.Run, size int) (int64, error) {
	return run(func(sys actor.ActorSystem) (int64, error) {
		var (
			counts = make([]int64, size)
			pids   []*actor.PID
			done   = make(chan struct{})
		)
		pids, err := spawnN(sys, size, func(i int) func(*actor.ReceiveContext) {
			return func(ctx *actor.ReceiveContext) {
				b, ok := ctx.Message().(*ball)
				if !ok {
					return
				}
				if counts[i]++; b.Value == 0 {
					close(done)
					return
				}
				b.Value--
				ctx.Tell(pids[(i+1)%size], b)
			}
		})
		if err != nil {
			return 0, err
		}
		r.Start()
		err = actor.Tell(background, pids[0], wrapperspb.Int64(int64(r.N-1)))
		<-done
		r.Stop()
		return total(counts), err
	})
}

func tell(r *suite.Run, producers int) (int64, error) {
	return run(func(sys actor.ActorSystem) (int64, error) {
		var sum int64
		seen, done := 0, make(chan struct{})
		pids, err := spawnN(sys, 1, func(int) func(*actor.ReceiveContext) {
			return func(ctx *actor.ReceiveContext) {
				if m, ok := ctx.Message().(*wrapperspb.Int64Value); ok {
					sum += m.Value
					if seen++; seen == r.N {
						close(done)
					}
				}
			}
		})
		if err != nil {
			return 0, err
		}
		share, failed := r.N/producers, make(chan error, producers)
		produce := func(p int) {
			for i := range share {
				if err := actor.Tell(background, pids[0], wrapperspb.Int64(int64(p*share+i))); err != nil {
					failed <- err
					return
				}
			}
		}
		r.Start()
		if producers == 1 {
			produce(0)
		} else {
			for p := range producers {
				go produce(p)
			}
		}
		select {
		case <-done:
		case err = <-failed:
		}
		r.Stop()
		return sum, err
	})
}
