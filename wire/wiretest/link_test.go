package wiretest_test

import (
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/wire"
	"github.com/troupe-go/troupe/wire/wiretest"
)

// start joins two systems by a Link.
func start(t *testing.T, note func(actor.DeadLetter)) wiretest.Nodes {
	t.Helper()
	r := &wire.Registry{}
	wiretest.Register(r)
	var systems [2]*actor.System
	for i := range systems {
		sys, err := actor.NewSystem(actor.Config{OnDeadLetter: note, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := sys.Stop(patience.Context(t)); err != nil {
				t.Error(err)
			}
		})
		systems[i] = sys
	}
	return wiretest.Join(t, r, systems[0], systems[1]).Nodes()
}

func TestLinkInMemoryIsACarrier(t *testing.T) { wiretest.Run(t, start) }
