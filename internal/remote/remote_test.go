package remote_test

import (
	"errors"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/remote"
	"github.com/troupe-go/troupe/internal/session"
	"github.com/troupe-go/troupe/wire"
	"github.com/troupe-go/troupe/wire/wiretest"
)

var errLost = errors.New("lost")

// start joins two systems by sessions over a network with faults.
func start(faults memory.Faults) func(t *testing.T, note func(actor.DeadLetter)) wiretest.Nodes {
	return func(t *testing.T, note func(actor.DeadLetter)) wiretest.Nodes {
		t.Helper()
		network, err := memory.NewNetwork(faults)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = network.Close() })
		r := &wire.Registry{}
		wiretest.Register(r)
		var n wiretest.Nodes
		var nodes [2]*remote.Node
		var selves [2]session.Node
		for i := range nodes {
			sys, err := actor.NewSystem(actor.Config{OnDeadLetter: note, Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			selves[i] = session.Node{Name: []string{"a", "b"}[i], Birth: 7}
			nodes[i], err = remote.Join(remote.Config{System: sys, Self: selves[i], Bus: network.Bus(selves[i].Name), Registry: r, Resend: 10 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			n.Systems[i], n.Bind[i] = sys, func(ref any) error { return wire.Bind(sys, ref) }
		}
		t.Cleanup(func() {
			for i := range nodes {
				if err := n.Systems[i].Stop(patience.Context(t)); err != nil {
					t.Error(err)
				}
			}
			for i := range nodes {
				ctx := patience.Context(t)
				_ = network.Set(memory.Faults{}) // So that the farewells arrive.
				nodes[i].Lost(selves[1-i], errLost)
				if err := nodes[i].Close(ctx); err != nil {
					t.Error(err)
				}
			}
		})
		n.Lose = func() {
			for i := range nodes {
				nodes[i].Lost(selves[1-i], errLost)
			}
		}
		return n
	}
}

func TestSessionsAreACarrier(t *testing.T) { wiretest.Run(t, start(memory.Faults{})) }

func TestSessionsAreACarrierOverABadNetwork(t *testing.T) {
	wiretest.Run(t, start(memory.Faults{Loss: 0.03, Double: 0.03, Reorder: 0.03, Jitter: 200 * time.Microsecond}))
}
