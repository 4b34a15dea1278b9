package troupe

import (
	"context"

	"github.com/troupe-go/troupe/actor"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

func filterBank(r *suite.Run) (int64, error) { return network(r, savina.NewFilterBank) }

func aStar(r *suite.Run) (int64, error) { return network(r, savina.NewAStar) }

// networkNode is an actor of a network.
type networkNode[M any] struct {
	net  *savina.Network[M]
	at   int
	send func(to int, m M)
	ctx  context.Context // Of the message that is handled.
	err  error
}

func newNode[M any](net *savina.Network[M], at int, refs []actor.Ref[M]) *networkNode[M] {
	n := &networkNode[M]{net: net, at: at}
	n.send = func(to int, m M) {
		if err := refs[to].Send(n.ctx, m); err != nil {
			n.err = err
		}
	}
	return n
}

func (n *networkNode[M]) Receive(ctx *actor.Context[M], m M) error {
	n.ctx = ctx
	n.net.Handle(n.at, m, n.send)
	return n.err
}

// network runs a program N times, each time with new actors.
func network[M any](r *suite.Run, program func(*suite.Run) *savina.Network[M]) (int64, error) {
	return run(func(sys *actor.System) (sum int64, err error) {
		r.Start()
		for range r.N {
			net := program(r)
			refs := make([]actor.Ref[M], net.Nodes)
			for i := range refs {
				if refs[i], err = actor.Spawn(sys, newNode(net, i, refs), actor.WithBuffer(actor.Data, actor.Unbounded)); err != nil {
					return 0, err
				}
			}
			feeder := newNode(net, -1, refs)
			feeder.ctx = background
			net.Feed(feeder.send)
			if feeder.err != nil {
				return 0, feeder.err
			}
			sum += <-net.Done
			for _, ref := range refs {
				if err := ref.Stop(background); err != nil {
					return 0, err
				}
			}
		}
		r.Stop()
		return sum, nil
	})
}
