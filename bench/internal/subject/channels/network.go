package channels

import (
	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

func filterBank(r *suite.Run) (int64, error) { return network(r, savina.NewFilterBank) }

func aStar(r *suite.Run) (int64, error) { return network(r, savina.NewAStar) }

// network runs a program N times, each time with new goroutines.
func network[M any](r *suite.Run, program func(*suite.Run) *savina.Network[M]) (sum int64, err error) {
	r.Start()
	for range r.N {
		sum += runNetwork(program(r))
	}
	r.Stop()
	return sum, nil
}

func runNetwork[M any](net *savina.Network[M]) int64 {
	nodes := make([]*mailbox[M], net.Nodes)
	send := func(to int, m M) { nodes[to].send(m) }
	for i := range nodes {
		nodes[i] = startMailbox(func(m M) { net.Handle(i, m, send) })
		defer nodes[i].close()
	}
	net.Feed(send)
	return <-net.Done
}
