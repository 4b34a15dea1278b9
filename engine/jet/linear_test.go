package jet_test

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/jet"
)

// write is a Put to one key, and what came of it.
type write struct {
	expected, revision uint64
	conflict           bool
}

// register is a key as its writes see it: its state is the revision.
var register = porcupine.Model{
	Init: func() any { return uint64(0) },
	Step: func(state, input, output any) (bool, any) {
		at, w := state.(uint64), output.(write)
		if w.conflict {
			return w.expected != at, at
		}
		return w.expected == at && w.revision > at, w.revision
	},
}

func TestWritesOfAKeyAreLinearizable(t *testing.T) {
	const writers, each = 4, 50
	e := open(t, jet.Config{Dir: t.TempDir()})
	table, err := e.Table(t.Context(), "table")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var history []porcupine.Operation
	var newest uint64
	start := time.Now()
	var wait sync.WaitGroup
	for i := range writers {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		wait.Go(func() {
			for range each {
				mu.Lock()
				expected := newest
				mu.Unlock()
				if random.IntN(4) == 0 && expected > 1 {
					expected--
				}
				call := time.Since(start)
				revision, err := table.Put(t.Context(), "key", []byte(strconv.Itoa(i)), expected, 0)
				back := time.Since(start)
				var conflict *engine.ConflictError
				if err != nil && !errors.As(err, &conflict) {
					t.Errorf("Put: %v", err)
					return
				}
				mu.Lock()
				newest = max(newest, revision)
				history = append(history, porcupine.Operation{ClientId: i, Call: int64(call), Return: int64(back), Output: write{expected, revision, err != nil}})
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if len(history) != writers*each || newest == 0 {
		t.Fatalf("%d writes were made, and the newest revision is %d", len(history), newest)
	}
	if !porcupine.CheckOperations(register, history) {
		t.Error("the writes of one key are not linearizable")
	}
	// The model must be able to refuse: a second winner of one revision is none.
	last := history[len(history)-1]
	last.Call, last.Return = int64(time.Hour), int64(time.Hour)+1
	last.Output = write{expected: newest + 1, revision: newest + 2}
	if porcupine.CheckOperations(register, append(history, last)) {
		t.Error("the check accepts a write that expects a revision which never was")
	}
}
