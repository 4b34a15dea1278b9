package memory_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/memory"
)

// cluster returns a store with a table and a log, as two nodes have them.
func cluster(t *testing.T) (store *memory.Store, tables [2]engine.Table, logs [2]engine.Log) {
	t.Helper()
	store = memory.NewStore()
	for i, node := range []string{"a", "b"} {
		e := store.Engine(node, nil)
		var err error
		if tables[i], err = e.Table(t.Context(), "table"); err != nil {
			t.Fatal(err)
		}
		if logs[i], err = e.Log(t.Context(), "log", engine.LogConfig{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
	}
	return store, tables, logs
}

func always(kind memory.Kind) func(memory.Op) memory.Fault {
	return func(memory.Op) memory.Fault { return memory.Fault{Kind: kind} }
}

func put(t *testing.T, table engine.Table, value string, expected uint64) uint64 {
	t.Helper()
	revision, err := table.Put(t.Context(), "key", []byte(value), expected, 0)
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

func TestRefusedWriteStoresNothing(t *testing.T) {
	store, tables, logs := cluster(t)
	var ops []memory.Op
	store.Inject(func(op memory.Op) memory.Fault {
		ops = append(ops, op)
		return memory.Fault{Kind: memory.Refuse}
	})
	if _, err := tables[0].Put(t.Context(), "key", nil, engine.Any, 0); !errors.Is(err, engine.ErrUnavailable) {
		t.Errorf("Put: %v", err)
	}
	if _, err := logs[1].Append(t.Context(), engine.Any, engine.Record{}); !errors.Is(err, engine.ErrUnavailable) {
		t.Errorf("Append: %v", err)
	}
	if len(ops) != 2 || ops[0] != (memory.Op{Node: "a", Kind: "put", Name: "table", Key: "key"}) || ops[1] != (memory.Op{Node: "b", Kind: "append", Name: "log"}) {
		t.Errorf("the calls are %+v", ops)
	}
	store.Inject(nil)
	put(t, tables[0], "x", engine.Absent)
}

func TestLostAnswerOfAWriteThatIsMade(t *testing.T) {
	store, tables, logs := cluster(t)
	store.Inject(always(memory.LoseAnswer))
	if _, err := tables[0].Put(t.Context(), "key", []byte("x"), engine.Any, 0); !errors.Is(err, engine.ErrUnknownOutcome) {
		t.Errorf("Put: %v", err)
	}
	if _, err := logs[0].Append(t.Context(), engine.Any, engine.Record{}); !errors.Is(err, engine.ErrUnknownOutcome) {
		t.Errorf("Append: %v", err)
	}
	store.Inject(nil)
	if e, err := tables[1].Get(t.Context(), "key"); err != nil || string(e.Value) != "x" {
		t.Errorf("the value is %q, %v", e.Value, err)
	}
	if info, err := logs[1].Info(t.Context()); err != nil || info.Last != 1 {
		t.Errorf("the log is %+v, %v", info, err)
	}
}

func TestWithoutALeaderNothingIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, tables, logs := cluster(t)
		put(t, tables[0], "x", engine.Absent)
		store.Lead(false)
		if _, err := tables[0].Put(t.Context(), "key", nil, engine.Any, 0); !errors.Is(err, engine.ErrUnavailable) {
			t.Errorf("Put: %v", err)
		}
		if _, err := tables[0].Get(t.Context(), "key"); !errors.Is(err, engine.ErrUnavailable) {
			t.Errorf("Get: %v", err)
		}
		if _, err := logs[0].Append(t.Context(), engine.Any, engine.Record{}); !errors.Is(err, engine.ErrUnavailable) {
			t.Errorf("Append: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		seen := make(chan string, 10)
		go func() {
			defer close(seen)
			for c, err := range tables[1].Watch(ctx, 0) {
				if err == nil {
					seen <- string(c.Value)
				}
			}
		}()
		synctest.Wait()
		if len(seen) != 0 {
			t.Errorf("a watch without a leader yields %d changes", len(seen))
		}
		store.Lead(true)
		if value := <-seen; value != "x" {
			t.Errorf("the watch yields %q", value)
		}
		cancel()
		for range seen {
			continue
		}
	})
}

func TestDelayedWriteIsMadeAfterItsCallerHasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, tables, _ := cluster(t)
		store.Inject(func(memory.Op) memory.Fault { return memory.Fault{Delay: time.Second} })
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := tables[0].Put(ctx, "key", nil, engine.Any, 0); !errors.Is(err, engine.ErrUnknownOutcome) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Put: %v", err)
		}
		store.Inject(nil)
		if _, err := tables[0].Get(t.Context(), "key"); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("Get before the delay is over: %v", err)
		}
		time.Sleep(time.Second) //nolint:forbidigo // The clock is that of the bubble.
		if _, err := tables[0].Get(t.Context(), "key"); err != nil {
			t.Errorf("Get after the delay: %v", err)
		}
	})
}

func TestCrashForgetsWhatWasNotSynced(t *testing.T) {
	store, tables, logs := cluster(t)
	kept := put(t, tables[0], "kept", engine.Absent)
	store.Inject(always(memory.Unsynced))
	lost := put(t, tables[0], "lost", kept)
	for range 2 {
		if _, err := logs[0].Append(t.Context(), engine.Any, engine.Record{Data: []byte("lost")}); err != nil {
			t.Fatal(err)
		}
	}
	group, err := logs[1].Group(t.Context(), "g", engine.GroupConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := group.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	store.Inject(nil)
	store.Crash()
	if e, err := tables[1].Get(t.Context(), "key"); err != nil || string(e.Value) != "kept" || e.Revision != kept {
		t.Errorf("after a crash the key has %q at %d, %v, want what was synced", e.Value, e.Revision, err)
	}
	if info, err := logs[1].Info(t.Context()); err != nil || info != (engine.LogInfo{First: 1}) {
		t.Errorf("after a crash the log has %+v, %v", info, err)
	}
	if again := put(t, tables[1], "again", kept); again != lost {
		t.Errorf("the revision %d that was lost is not given again, but %d", lost, again)
	}
	if _, err := logs[1].Append(t.Context(), 0, engine.Record{Data: []byte("first")}); err != nil {
		t.Fatal(err)
	}
	if d, err := group.Next(t.Context()); err != nil || string(d.Data) != "first" {
		t.Errorf("after a crash the group delivers %q, %v", d.Data, err)
	}
}

func TestLostWritesAreNoticedAtTheNextOne(t *testing.T) {
	store, tables, _ := cluster(t)
	kept := put(t, tables[0], "kept", engine.Absent)
	store.Inject(always(memory.Unsynced))
	put(t, tables[0], "lost", kept)
	store.Inject(nil)
	store.Crash()
	for range 2 { // The second is refused before it is made.
		if _, err := tables[0].Put(t.Context(), "key", nil, engine.Any, 0); !errors.Is(err, engine.ErrAmnesia) {
			t.Errorf("a Put by the node that has seen the lost write: %v", err)
		}
	}
	if e, err := tables[1].Get(t.Context(), "key"); err != nil || e.Revision != kept+1 {
		t.Errorf("the key has the revision %d, %v, want %d", e.Revision, err, kept+1)
	}
}

func TestSyncedWriteKeepsThoseBefore(t *testing.T) {
	store, tables, _ := cluster(t)
	store.Inject(always(memory.Unsynced))
	first := put(t, tables[0], "one", engine.Absent)
	store.Inject(nil)
	put(t, tables[0], "two", first)
	store.Crash()
	if e, err := tables[0].Get(t.Context(), "key"); err != nil || string(e.Value) != "two" {
		t.Errorf("after a crash the key has %q, %v", e.Value, err)
	}
}

func TestCloseEndsCallsThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.NewStore()
		e := store.Engine("a", nil)
		table, err := e.Table(t.Context(), "table")
		if err != nil {
			t.Fatal(err)
		}
		log, err := e.Log(t.Context(), "log", engine.LogConfig{})
		if err != nil {
			t.Fatal(err)
		}
		group, err := log.Group(t.Context(), "g", engine.GroupConfig{})
		if err != nil {
			t.Fatal(err)
		}
		ends := make(chan error, 2)
		go func() {
			_, err := group.Next(t.Context())
			ends <- err
		}()
		go func() {
			for _, err := range table.Watch(t.Context(), 0) {
				if err != nil {
					ends <- err
				}
			}
		}()
		synctest.Wait()
		if err := errors.Join(e.Close(), e.Close()); err != nil {
			t.Error(err)
		}
		for range 2 {
			if err := <-ends; !errors.Is(err, engine.ErrClosed) {
				t.Errorf("a call that waits returns %v", err)
			}
		}
		if _, err := table.Get(t.Context(), "key"); !errors.Is(err, engine.ErrClosed) {
			t.Errorf("Get: %v", err)
		}
		if _, err := e.Table(t.Context(), "table"); !errors.Is(err, engine.ErrClosed) {
			t.Errorf("Table: %v", err)
		}
	})
}
