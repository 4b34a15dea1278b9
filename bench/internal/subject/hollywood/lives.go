package hollywood

import (
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/anthdm/hollywood/actor"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// idler counts what it handles, and its own end.
type idler struct {
	handled, ended *atomic.Int64
	all            *sync.WaitGroup
}

func (a *idler) Receive(ctx *actor.Context) {
	switch ctx.Message().(type) {
	case int:
		a.handled.Add(1)
		a.all.Done()
	case actor.Stopped:
		a.ended.Add(1)
	}
}

// tellAll gives each actor a message and waits until all have handled it.
func tellAll(e *actor.Engine, pids []*actor.PID, all *sync.WaitGroup) {
	for _, pid := range pids {
		e.Send(pid, 1)
	}
	all.Wait()
}

func spawn(r *suite.Run) (int64, error) {
	var handled, ended atomic.Int64
	err := r.Batches(func(k int) error {
		_, err := run(func(e *actor.Engine) (int64, error) {
			var all sync.WaitGroup
			all.Add(k)
			pids := make([]*actor.PID, k)
			producer := func() actor.Receiver { return &idler{&handled, &ended, &all} }
			r.Start()
			for i := range pids {
				pids[i] = e.Spawn(producer, "idler", smallInbox)
				e.Send(pids[i], 1)
			}
			all.Wait()
			r.Stop()
			stopAll(e, pids)
			return 0, nil
		})
		return err
	})
	return handled.Load(), err
}

func stop(r *suite.Run) (int64, error) {
	var handled, ended atomic.Int64
	err := r.Batches(func(k int) error {
		_, err := run(func(e *actor.Engine) (int64, error) {
			var all sync.WaitGroup
			all.Add(k)
			pids := make([]*actor.PID, k)
			producer := func() actor.Receiver { return &idler{&handled, &ended, &all} }
			for i := range pids {
				pids[i] = e.Spawn(producer, "idler", smallInbox)
			}
			tellAll(e, pids, &all)
			r.Start()
			stopAll(e, pids)
			r.Stop()
			return 0, nil
		})
		return err
	})
	return ended.Load(), err
}

func memory(r *suite.Run, used bool) (int64, error) {
	return run(func(e *actor.Engine) (int64, error) {
		var (
			handled, ended atomic.Int64
			all            sync.WaitGroup
			a              = &idler{&handled, &ended, &all} // Shared, since its own size does not count.
			pids           = make([]*actor.PID, r.N)
		)
		all.Add(r.N)
		err := r.InUse(func() error {
			for i := range pids {
				pids[i] = e.Spawn(func() actor.Receiver { return a }, "idler", smallInbox)
			}
			if used {
				tellAll(e, pids, &all)
			}
			return nil
		})
		if !used {
			tellAll(e, pids, &all)
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

func (n *node) Receive(ctx *actor.Context) {
	switch m := ctx.Message().(type) {
	case actor.Started:
		if n.leaves == 1 {
			n.answer(ctx, n.number)
			return
		}
		share := n.leaves / workload.SkynetFanOut
		for i := range workload.SkynetFanOut {
			child := &node{parent: ctx.PID(), number: n.number + i*share, leaves: share}
			ctx.SpawnChild(func() actor.Receiver { return child }, "n", smallInbox, actor.WithID(strconv.Itoa(i)))
		}
	case int:
		n.sum += m
		if n.answers++; n.answers == workload.SkynetFanOut {
			n.answer(ctx, n.sum)
		}
	}
}

func (n *node) answer(ctx *actor.Context, sum int) {
	if n.parent == nil {
		n.result <- sum
	} else {
		ctx.Send(n.parent, sum)
	}
}

func skynet(r *suite.Run) (int64, error) {
	return run(func(e *actor.Engine) (int64, error) {
		var sum int64
		for range r.N {
			result := make(chan int, 1)
			r.Start()
			root := e.Spawn(func() actor.Receiver { return &node{result: result, leaves: r.Size} }, "root", smallInbox)
			sum += int64(<-result)
			r.Stop()
			<-e.Stop(root).Done()
		}
		return sum, nil
	})
}
