package memory_test

import (
	"testing"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/enginetest"
	"github.com/troupe-go/troupe/engine/memory"
)

func TestSuite(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) enginetest.Subject {
		network, err := memory.NewNetwork(memory.Faults{})
		if err != nil {
			t.Fatal(err)
		}
		store := memory.NewStore()
		on := func(node string) engine.Engine { return store.Engine(node, network.Bus(node)) }
		engines := []engine.Engine{on("a"), on("b"), on("c")}
		t.Cleanup(func() {
			_ = network.Close()
			for _, e := range engines {
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			}
		})
		return enginetest.Subject{Engines: engines, Restart: func(*testing.T) []engine.Engine {
			return []engine.Engine{on("d")}
		}}
	})
}
