package journal_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
)

// store returns a store with events of the given types for counter/a.
func store(t *testing.T, types ...string) *memory.Store {
	t.Helper()
	s := memory.New()
	w := &journal.Write{Stream: "counter/a"}
	for _, name := range types {
		w.Events = append(w.Events, journal.Encoded{Type: name, Schema: 1, Codec: "json", Data: []byte(`{"N":1}`)})
	}
	if err := errors.Join(s.Append(t.Context(), []*journal.Write{w}), w.Err); err != nil {
		t.Fatal(err)
	}
	return s
}

// refusedBy fails unless the actor does not start, with an error that has the texts.
func (b *bench) refusedBy(want error, texts ...string) {
	b.Helper()
	ref, err := actor.SpawnNew(b.sys, b.kind.For("a"))
	if err != nil {
		b.Fatal(err)
	}
	b.awaitEnd(ref)
	err = ref.Err()
	if want != nil && !errors.Is(err, want) {
		b.Errorf("the actor ends with %v, want %v", err, want)
	}
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			b.Errorf("the actor ends with %v, want an error with %q", err, text)
		}
	}
}

func TestUnknownEventStopsTheActor(t *testing.T) {
	newBench(t, store(t, "added", "vanished", "added")).
		refusedBy(journal.ErrUnknownType, `stream "counter/a"`, "version 2", `"vanished"`, `Formerly("vanished")`)
}

func TestRenamedEventIsRead(t *testing.T) {
	b := newBench(t, store(t, "added", "plus"), func(cfg *journal.Config[call, any]) {
		cfg.Events = journal.Events[any](journal.Event[added]("added").Formerly("plus"))
	})
	b.total(b.spawn("a"), add(1), 3)
}

// holed is a store that has lost an event.
type holed struct{ *memory.Store }

func (h holed) Read(ctx context.Context, stream string, after uint64) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		for r, err := range h.Store.Read(ctx, stream, after) {
			if r.Version != 2 && !yield(r, err) {
				return
			}
		}
	}
}

func TestMissingEventStopsTheActor(t *testing.T) {
	newBench(t, holed{store(t, "added", "added", "added")}).refusedBy(journal.ErrGap, `"counter/a"`, "version 3 after 1")
}

// broken is a store whose reads fail after the first event, or panic.
type broken struct {
	*memory.Store
	err error
}

func (s broken) Read(ctx context.Context, stream string, after uint64) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		for r, err := range s.Store.Read(ctx, stream, after) {
			yield(r, err)
			break
		}
		if s.err == nil {
			panic("a bug of the store")
		}
		yield(journal.Record{}, s.err)
	}
}

func TestReadThatFails(t *testing.T) {
	failure := errors.New("disk on fire")
	newBench(t, broken{store(t, "added"), failure}).refusedBy(failure, `"counter/a"`, "after version 1")
	newBench(t, broken{store(t, "added"), nil}).refusedBy(nil, "a bug of the store")
}

func TestEmptyStreamName(t *testing.T) {
	b := newBench(t, memory.New(), func(cfg *journal.Config[call, any]) { cfg.Stream = "" })
	ref, err := actor.SpawnNew(b.sys, b.kind.For(""))
	if err != nil {
		t.Fatal(err)
	}
	b.awaitEnd(ref)
	if err := ref.Err(); err == nil || !strings.Contains(err.Error(), "0 bytes") {
		t.Errorf("the actor ends with %v", err)
	}
}

func snapshots(version, every int) func(cfg *journal.Config[call, any]) {
	return func(cfg *journal.Config[call, any]) {
		cfg.Snapshots, cfg.SnapshotEvery = journal.SnapshotOf[int]("sum", version), every
	}
}

// read returns a call that fails unless so many events were read, and a snapshot, if
// restored.
func read(replayed int, restored bool) func(ctx *callContext, c *counter) error {
	return func(_ *callContext, c *counter) error {
		if c.replayed != replayed || c.restored != restored {
			return fmt.Errorf("%d events were read and the snapshot %t, want %d and %t", c.replayed, c.restored, replayed, restored)
		}
		return nil
	}
}

func TestSnapshots(t *testing.T) {
	s := memory.New()
	b := newBench(t, s, snapshots(1, 3))
	ref := b.spawn("a")
	for i := range 7 {
		b.total(ref, add(1), i+1)
	}
	snap, err := s.LoadSnapshot(b.ctx, "counter/a")
	if err != nil || snap.Version != 6 || string(snap.Data) != "6" || snap.Type != "sum" || snap.Schema != 1 || snap.Codec != "json" {
		t.Errorf("the snapshot is %+v (%v)", snap, err)
	}
	b.total(b.spawn("a"), read(1, true), 7)
	// Another layout of the state reads all events, and its snapshots take the place.
	other := newBench(t, s, snapshots(2, 3))
	ref = other.spawn("a")
	other.total(ref, read(7, false), 7)
	other.total(ref, add(1), 8)
	if snap, err := s.LoadSnapshot(b.ctx, "counter/a"); err != nil || snap.Version != 8 || snap.Schema != 2 {
		t.Errorf("the snapshot is %+v (%v)", snap, err)
	}
	other.total(other.spawn("a"), read(0, true), 8)
}

// A snapshot is taken when its events are stored, and of these alone.
func TestSnapshotIsNeverAhead(t *testing.T) {
	s := memory.New()
	var told []string
	b := newBench(t, s, snapshots(1, 1), func(cfg *journal.Config[call, any]) {
		cfg.OnSnapshotError = func(stream string, err error) { told = append(told, stream+": "+err.Error()) }
	})
	ref := b.spawn("a")
	for i := range 5 {
		b.total(ref, add(1), i+1)
		if snap, err := s.LoadSnapshot(b.ctx, "counter/a"); err != nil || snap.Version != uint64(i+1) || string(snap.Data) != fmt.Sprint(i+1) {
			t.Errorf("after %d events the snapshot is %d: %s (%v)", i+1, snap.Version, snap.Data, err)
		}
	}
	s.Inject(func([]*journal.Write) memory.Fault { return memory.Refuse })
	if _, err := b.ask(ref, add(100)); err == nil {
		t.Error("a refused event is acknowledged")
	}
	s.Inject(nil)
	b.total(ref, look, 5)
	if len(told) > 0 {
		t.Errorf("snapshots have failed: %q", told)
	}
}

// tampered is a store with a snapshot that it should not have.
type tampered struct {
	*memory.Store
	snapshot journal.Snapshot
}

func (s tampered) LoadSnapshot(context.Context, string) (journal.Snapshot, error) {
	return s.snapshot, nil
}

func (s tampered) SaveSnapshot(context.Context, journal.Snapshot) error {
	return errors.New("no room")
}

func TestBadSnapshots(t *testing.T) {
	snap := func(version uint64, name, data string) journal.Snapshot {
		return journal.Snapshot{Stream: "counter/a", Version: version, Encoded: journal.Encoded{Type: name, Schema: 1, Codec: "json", Data: []byte(data)}}
	}
	for _, c := range []struct {
		name     string
		snapshot journal.Snapshot
		want     error
		texts    []string
	}{
		{"newer than the last event", snap(3, "sum", "3"), journal.ErrSnapshotAhead, []string{"version 3", "delete the snapshot"}},
		{"of another type", snap(2, "song", "3"), nil, []string{`"counter/a"`, "version 2", `"song"`, "another type"}},
		{"that can't be read", snap(2, "sum", "{"), nil, []string{`"counter/a"`, "version 2", "delete the snapshot"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			newBench(t, tampered{store(t, "added", "added"), c.snapshot}, snapshots(1, 1)).refusedBy(c.want, c.texts...)
		})
	}
}

// A snapshot that can't be stored is told, and costs nothing else.
func TestSnapshotThatFails(t *testing.T) {
	told := make(chan error, 1)
	b := newBench(t, tampered{Store: memory.New()}, snapshots(1, 2), func(cfg *journal.Config[call, any]) {
		cfg.OnSnapshotError = func(_ string, err error) { told <- err }
	})
	ref := b.spawn("a")
	b.total(ref, add(1), 1)
	b.total(ref, add(1), 2)
	if err := <-told; !strings.Contains(err.Error(), "no room") {
		t.Errorf("told %v", err)
	}
}
