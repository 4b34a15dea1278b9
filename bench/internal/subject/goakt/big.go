package goakt

import (
	"math/rand/v2"
	"sync"

	"github.com/tochemey/goakt/v3/actor"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// A ping is an Empty, answered to its sender; a pong is a BoolValue.
// The first pong is false, and starts the run.
var (
	ping  = &emptypb.Empty{}
	pong  = wrapperspb.Bool(true)
	start = wrapperspb.Bool(false)
)

func big(r *suite.Run) (int64, error) {
	return run(func(sys actor.ActorSystem) (int64, error) {
		var (
			pids     []*actor.PID
			pongs    = make([]int64, r.Size)
			pings    = int64(r.N / 2 / r.Size)
			finished sync.WaitGroup
		)
		finished.Add(r.Size)
		pids, err := spawnN(sys, r.Size, func(i int) func(*actor.ReceiveContext) {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			return func(ctx *actor.ReceiveContext) {
				switch m := ctx.Message().(type) {
				case *emptypb.Empty:
					ctx.Tell(ctx.Sender(), pong)
				case *wrapperspb.BoolValue:
					if m.Value {
						pongs[i]++
					}
					if pongs[i] == pings {
						finished.Done()
						return
					}
					ctx.Tell(pids[random.IntN(r.Size)], ping)
				}
			}
		})
		if err != nil {
			return 0, err
		}
		r.Start()
		for _, pid := range pids {
			if err := actor.Tell(background, pid, start); err != nil {
				return 0, err
			}
		}
		finished.Wait()
		r.Stop()
		return 2 * total(pongs), nil
	})
}
