// Package enginetest has the tests that an engine has to pass.
//
//	func TestSuite(t *testing.T) {
//		enginetest.Run(t, func(t *testing.T) enginetest.Subject {
//			return enginetest.Subject{Engines: []engine.Engine{open(t)}}
//		})
//	}
//
// Each case is what the comments of package engine promise. Cases of tables and logs run
// twice: as they are, and with each call made before with a context that has ended.
package enginetest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// patience is how long a case waits for what must happen. A case that passes does not wait for so long.
const patience = 90 * time.Second

// A Subject is what is tested.
type Subject struct {
	// Engines are the nodes of one cluster. There is at least one. The test that opens
	// them closes them.
	Engines []engine.Engine
	// Restart is nil unless the engine is durable. It closes the engines, also abruptly,
	// and returns others that have what was acknowledged. It may be called once.
	Restart func(t *testing.T) []engine.Engine
}

// An Open opens an engine without tables and logs.
type Open func(t *testing.T) Subject

// Run tests the bus, the tables and the logs of an engine, which it opens once.
func Run(t *testing.T, open Open) {
	t.Helper()
	s := open(t)
	t.Run("bus", func(t *testing.T) { runBus(t, s) })
	t.Run("table", func(t *testing.T) { runAll(t, s, tableCases) })
	t.Run("log", func(t *testing.T) { runAll(t, s, logCases) })
	t.Run("group", func(t *testing.T) { runAll(t, s, groupCases) })
	restart(t, s)
}

// Stores tests the tables and the logs of an engine, which it opens once.
func Stores(t *testing.T, open Open) {
	t.Helper()
	s := open(t)
	t.Run("table", func(t *testing.T) { runAll(t, s, tableCases) })
	t.Run("log", func(t *testing.T) { runAll(t, s, logCases) })
	t.Run("group", func(t *testing.T) { runAll(t, s, groupCases) })
	restart(t, s)
}

// Bus tests the bus of an engine, which it opens once.
func Bus(t *testing.T, open Open) {
	t.Helper()
	runBus(t, open(t))
}

// testCase is a case of the suite.
type testCase struct {
	name string
	run  func(k *kit)
}

// runAll runs cases at once, since some wait for time to pass. Each has names of its own.
func runAll(t *testing.T, s Subject, cases []testCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(newKit(t, s.Engines, false))
		})
		t.Run(c.name+", with calls that are cancelled", func(t *testing.T) {
			t.Parallel()
			c.run(newKit(t, s.Engines, true))
		})
	}
}

// names numbers the tables, logs and subjects of all cases.
var names atomic.Uint64

// kit is what a case works with.
type kit struct {
	*testing.T
	ctx     context.Context
	engines []engine.Engine
	cancels bool
}

func newKit(t *testing.T, engines []engine.Engine, cancels bool) *kit {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return &kit{T: t, ctx: ctx, engines: engines, cancels: cancels}
}

// name returns a new name.
func (k *kit) name() string { return fmt.Sprintf("case-%d", names.Add(1)) }

// node returns an engine. Several numbers may be one.
func (k *kit) node(i int) engine.Engine { return k.engines[i%len(k.engines)] }

// errCancelled is the cause of contexts that have ended.
var errCancelled = errors.New("cancelled by the suite")

func ended() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errCancelled)
	return ctx
}

// table opens a table on one node.
func (k *kit) table(name string, node int) engine.Table {
	k.Helper()
	t, err := k.node(node).Table(k.ctx, name)
	if err != nil {
		k.Fatalf("Table(%q): %v", name, err)
	}
	if k.cancels {
		return cancelledTable{k, t}
	}
	return t
}

// log opens a log on one node.
func (k *kit) log(name string, node int, c engine.LogConfig) engine.Log {
	k.Helper()
	l, err := k.node(node).Log(k.ctx, name, c)
	if err != nil {
		k.Fatalf("Log(%q): %v", name, err)
	}
	if k.cancels {
		return cancelledLog{k, l}
	}
	return l
}

// group opens a group.
func (k *kit) group(l engine.Log, name string, c engine.GroupConfig) engine.Group {
	k.Helper()
	g, err := l.Group(k.ctx, name, c)
	if err != nil {
		k.Fatalf("Group(%q): %v", name, err)
	}
	k.Cleanup(func() {
		if err := g.Close(); err != nil {
			k.Errorf("Close of group %q: %v", name, err)
		}
	})
	return g
}

// is fails unless the error is the wanted one.
func (k *kit) is(err, want error, what string) {
	k.Helper()
	if !errors.Is(err, want) {
		k.Errorf("%s: the error is %v, want %v", what, err, want)
	}
}

// must fails at an error.
func (k *kit) must(err error, what string) {
	k.Helper()
	if err != nil {
		k.Fatalf("%s: %v", what, err)
	}
}

// conflict fails unless the error is a conflict with the actual revision.
func (k *kit) conflict(err error, expected, actual uint64) {
	k.Helper()
	var c *engine.ConflictError
	if !errors.As(err, &c) || c.Expected != expected || c.Actual != actual {
		k.Errorf("the error is %v, want a conflict: expected %d, actual %d", err, expected, actual)
	}
}

// eventually waits until the condition holds.
func (k *kit) eventually(what string, holds func() bool) {
	k.Helper()
	for pause := time.Millisecond; !holds(); pause = min(2*pause, 100*time.Millisecond) {
		select {
		case <-k.ctx.Done():
			k.Fatalf("%s: has not happened after %v", what, patience)
		case <-time.After(pause):
		}
	}
}
