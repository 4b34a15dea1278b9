package jet_test

import (
	"context"
	"testing"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/enginetest"
	"github.com/troupe-go/troupe/engine/jet"
)

// patience is how long a test waits for what must happen.
const patience = 2 * time.Minute

// open opens an engine, which is closed with the test.
func open(t *testing.T, c jet.Config) *jet.Engine {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	e, err := jet.Open(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func TestSuiteEmbeddedAlone(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) enginetest.Subject {
		c := jet.Config{Dir: t.TempDir()}
		e := open(t, c)
		return enginetest.Subject{Engines: []engine.Engine{e}, Restart: func(t *testing.T) []engine.Engine {
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			return []engine.Engine{open(t, c)}
		}}
	})
}
