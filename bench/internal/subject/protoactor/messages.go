package protoactor

import (
	"math/rand/v2"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

type ball struct{ left int }

func pingPong(r *suite.Run) (int64, error) {
	return passOn(r, 2)
}

func ring(r *suite.Run) (int64, error) {
	return passOn(r, r.Size)
}

// passOn lets size actors pass a ball round until it has been handled r.N times.
func passOn(r *suite.Run, size int) (int64, error) {
	return run(func(sys *actor.ActorSystem) (int64, error) {
		var (
			counts = make([]int64, size)
			pids   []*actor.PID
			done   = make(chan struct{})
		)
		pids = spawnN(sys, size, func(i int) actor.ReceiveFunc {
			return func(ctx actor.Context) {
				b, ok := ctx.Message().(*ball)
				if !ok {
					return
				}
				if counts[i]++; b.left == 0 {
					close(done)
					return
				}
				b.left--
				ctx.Send(pids[(i+1)%size], b)
			}
		})
		r.Start()
		sys.Root.Send(pids[0], &ball{r.N - 1})
		<-done
		r.Stop()
		return total(counts), nil
	})
}

func tell(r *suite.Run, producers int) (int64, error) {
	return run(func(sys *actor.ActorSystem) (int64, error) {
		var sum int64
		seen, done := 0, make(chan struct{})
		pid := spawnN(sys, 1, func(int) actor.ReceiveFunc {
			return func(ctx actor.Context) {
				if m, ok := ctx.Message().(int); ok {
					sum += int64(m)
					if seen++; seen == r.N {
						close(done)
					}
				}
			}
		})[0]
		share := r.N / producers
		produce := func(p int) {
			for i := range share {
				sys.Root.Send(pid, p*share+i)
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
		<-done
		r.Stop()
		return sum, nil
	})
}

func answer(ctx actor.Context) {
	if m, ok := ctx.Message().(int); ok {
		ctx.Respond(m + 1)
	}
}

func askOutside(r *suite.Run) (int64, error) {
	return run(func(sys *actor.ActorSystem) (sum int64, err error) {
		server := sys.Root.Spawn(actor.PropsFromFunc(answer))
		r.Start()
		for i := range r.N {
			v, err := sys.Root.RequestFuture(server, i, workload.Timeout).Result()
			if err != nil {
				return sum, err
			}
			sum += int64(v.(int))
		}
		r.Stop()
		return sum, nil
	})
}

func askInside(r *suite.Run) (int64, error) {
	return run(func(sys *actor.ActorSystem) (sum int64, err error) {
		server := sys.Root.Spawn(actor.PropsFromFunc(answer))
		done := make(chan error, 1)
		asker := sys.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
			n, ok := ctx.Message().(int)
			if !ok {
				return
			}
			for i := range n {
				v, err := ctx.RequestFuture(server, i, workload.Timeout).Result()
				if err != nil {
					done <- err
					return
				}
				sum += int64(v.(int))
			}
			done <- nil
		}))
		r.Start()
		sys.Root.Send(asker, r.N)
		err = <-done
		r.Stop()
		return sum, err
	})
}

type (
	start struct{}
	ping  struct{ from *actor.PID }
	pong  struct{}
)

func big(r *suite.Run) (int64, error) {
	return run(func(sys *actor.ActorSystem) (int64, error) {
		var (
			pids     []*actor.PID
			pongs    = make([]int64, r.Size)
			pings    = int64(r.N / 2 / r.Size)
			finished sync.WaitGroup
		)
		finished.Add(r.Size)
		pids = spawnN(sys, r.Size, func(i int) actor.ReceiveFunc {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			next := func(ctx actor.Context) {
				if pongs[i] == pings {
					finished.Done()
					return
				}
				ctx.Send(pids[random.IntN(r.Size)], ping{ctx.Self()})
			}
			return func(ctx actor.Context) {
				switch m := ctx.Message().(type) {
				case start:
					next(ctx)
				case ping:
					ctx.Send(m.from, pong{})
				case pong:
					pongs[i]++
					next(ctx)
				}
			}
		})
		r.Start()
		for _, pid := range pids {
			sys.Root.Send(pid, start{})
		}
		finished.Wait()
		r.Stop()
		return 2 * total(pongs), nil
	})
}
