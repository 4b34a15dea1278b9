package protoactor

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// idler returns an actor that counts what it handles, and its own end.
func idler(handled, ended *atomic.Int64, all *sync.WaitGroup) *actor.Props {
	return actor.PropsFromFunc(func(ctx actor.Context) {
		switch ctx.Message().(type) {
		case int:
			handled.Add(1)
			all.Done()
		case *actor.Stopped:
			ended.Add(1)
		}
	})
}

// tellAll gives each actor a message and waits until all have handled it.
func tellAll(sys *actor.ActorSystem, pids []*actor.PID, all *sync.WaitGroup) {
	for _, pid := range pids {
		sys.Root.Send(pid, 1)
	}
	all.Wait()
}

func spawn(r *suite.Run) (int64, error) {
	var handled, ended atomic.Int64
	err := r.Batches(func(k int) error {
		_, err := run(func(sys *actor.ActorSystem) (int64, error) {
			var all sync.WaitGroup
			all.Add(k)
			pids := make([]*actor.PID, k)
			props := idler(&handled, &ended, &all)
			r.Start()
			for i := range pids {
				pids[i] = sys.Root.Spawn(props)
				sys.Root.Send(pids[i], 1)
			}
			all.Wait()
			r.Stop()
			return 0, stopAll(sys, pids)
		})
		return err
	})
	return handled.Load(), err
}

func stopAll(sys *actor.ActorSystem, pids []*actor.PID) error {
	for _, pid := range pids {
		if err := sys.Root.StopFuture(pid).Wait(); err != nil {
			return err
		}
	}
	return nil
}

func stop(r *suite.Run) (int64, error) {
	var handled, ended atomic.Int64
	err := r.Batches(func(k int) error {
		_, err := run(func(sys *actor.ActorSystem) (int64, error) {
			var all sync.WaitGroup
			all.Add(k)
			props := idler(&handled, &ended, &all)
			pids := make([]*actor.PID, k)
			for i := range pids {
				pids[i] = sys.Root.Spawn(props)
			}
			tellAll(sys, pids, &all)
			r.Start()
			err := stopAll(sys, pids)
			r.Stop()
			return 0, err
		})
		return err
	})
	return ended.Load(), err
}

func memory(r *suite.Run, used bool) (int64, error) {
	return run(func(sys *actor.ActorSystem) (int64, error) {
		var (
			handled, ended atomic.Int64
			all            sync.WaitGroup
			props          = idler(&handled, &ended, &all)
			pids           = make([]*actor.PID, r.N)
		)
		all.Add(r.N)
		err := r.InUse(func() error {
			for i := range pids {
				pids[i] = sys.Root.Spawn(props)
			}
			if used {
				tellAll(sys, pids, &all)
			}
			return nil
		})
		if !used {
			tellAll(sys, pids, &all)
		}
		runtime.KeepAlive(pids)
		return handled.Load(), err
	})
}

// node adds up the numbers of the leaves below it and then stops.
type node struct {
	parent         *actor.PID // Nil for the root.
	result         chan<- int
	number, leaves int
	sum, answers   int
}

func (n *node) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		if n.leaves == 1 {
			n.answer(ctx, n.number)
			return
		}
		share := n.leaves / workload.SkynetFanOut
		for i := range workload.SkynetFanOut {
			child := &node{parent: ctx.Self(), number: n.number + i*share, leaves: share}
			ctx.Spawn(actor.PropsFromProducer(func() actor.Actor { return child }))
		}
	case int:
		n.sum += m
		if n.answers++; n.answers == workload.SkynetFanOut {
			n.answer(ctx, n.sum)
		}
	}
}

func (n *node) answer(ctx actor.Context, sum int) {
	if n.parent == nil {
		n.result <- sum
	} else {
		ctx.Send(n.parent, sum)
	}
	ctx.Stop(ctx.Self())
}

func skynet(r *suite.Run) (int64, error) {
	return run(func(sys *actor.ActorSystem) (int64, error) {
		var sum int64
		r.Start()
		for range r.N {
			result := make(chan int, 1)
			root := &node{result: result, leaves: r.Size}
			sys.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return root }))
			sum += int64(<-result)
		}
		r.Stop()
		return sum, nil
	})
}
