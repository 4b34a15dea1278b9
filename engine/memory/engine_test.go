package memory_test

import (
	"testing"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/enginetest"
	"github.com/troupe-go/troupe/engine/memory"
)

func TestSuiteOfStores(t *testing.T) {
	enginetest.Stores(t, func(t *testing.T) enginetest.Subject {
		store := memory.NewStore()
		engines := []engine.Engine{store.Engine("a", nil), store.Engine("b", nil), store.Engine("c", nil)}
		t.Cleanup(func() {
			for _, e := range engines {
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			}
		})
		return enginetest.Subject{Engines: engines, Restart: func(*testing.T) []engine.Engine {
			return []engine.Engine{store.Engine("d", nil)}
		}}
	})
}
