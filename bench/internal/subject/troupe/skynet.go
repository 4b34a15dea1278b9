package troupe

import (
	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// node adds up the numbers of the leaves below it and then stops.
type node struct {
	parent         actor.Ref[int]
	result         chan<- int // Of the root, which has no parent.
	number, leaves int
	sum, answers   int
}

func (n *node) Started(ctx *actor.Context[int]) error {
	if n.leaves == 1 {
		return n.answer(ctx, n.number)
	}
	share := n.leaves / workload.SkynetFanOut
	for i := range workload.SkynetFanOut {
		child := &node{parent: ctx.Self(), number: n.number + i*share, leaves: share}
		if _, err := actor.Spawn(ctx, child); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) Receive(ctx *actor.Context[int], m int) error {
	n.sum += m
	if n.answers++; n.answers == workload.SkynetFanOut {
		return n.answer(ctx, n.sum)
	}
	return nil
}

func (n *node) answer(ctx *actor.Context[int], sum int) error {
	ctx.Stop()
	if n.result != nil {
		n.result <- sum
		return nil
	}
	return n.parent.Send(ctx, sum)
}

func skynet(r *suite.Run) (int64, error) {
	return run(func(sys *actor.System) (int64, error) {
		var sum int64
		r.Start()
		for range r.N {
			result := make(chan int, 1)
			if _, err := actor.Spawn(sys, &node{result: result, leaves: r.Size}); err != nil {
				return sum, err
			}
			sum += int64(<-result)
		}
		r.Stop()
		return sum, nil
	})
}
