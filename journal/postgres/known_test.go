package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/postgres"
)

// writeOf returns a write of one event.
func writeOf(stream string, version, fence uint64) *journal.Write {
	return &journal.Write{Stream: stream, Expected: version, Fence: fence, Time: time.Unix(1, 0),
		Events: []journal.Encoded{{Type: "noted", Schema: 1, Codec: "json", Data: []byte(`"a"`)}}}
}

// at writes one event to each of some streams that stand at a version, and returns what became of the last.
func at(t *testing.T, s *postgres.Store, version, fence uint64, streams ...string) error {
	t.Helper()
	var batch []*journal.Write
	for _, stream := range streams {
		batch = append(batch, writeOf(stream, version, fence))
	}
	if err := s.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	return batch[len(batch)-1].Err
}

func conflicts(t *testing.T, err error, actual uint64) {
	t.Helper()
	if c := (*journal.ConflictError)(nil); !errors.As(err, &c) || c.Actual != actual {
		t.Errorf("the write got %v, want a conflict with version %d", err, actual)
	}
}

func accepted(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("the write was refused: %v", err)
	}
}

// TestWritesOfAnotherStoreAreSeen has two stores of one database write in turns to the same streams: what one
// remembers of them does not outlive a write of the other, also one that has no events.
func TestWritesOfAnotherStoreAreSeen(t *testing.T) {
	a, url := fresh(t)
	b := open(t, url)
	streams := []string{"1", "2", "3", "4", "5", "6"}
	accepted(t, at(t, a, 0, 0, streams...))
	accepted(t, at(t, b, 1, 0, streams...))
	conflicts(t, at(t, a, 1, 0, streams...), 2)
	accepted(t, at(t, a, 2, 0, streams...))
	accepted(t, at(t, a, 3, 0, streams...))
	conflicts(t, at(t, b, 3, 0, streams[:1]...), 4)
	accepted(t, at(t, b, 4, 0, streams[:1]...))
	accepted(t, at(t, a, 4, 0, streams[1:]...))
	raise := func(stream string) {
		t.Helper()
		w := &journal.Write{Stream: stream, Expected: journal.AnyVersion, Fence: 7}
		if err := errors.Join(b.Append(t.Context(), []*journal.Write{w}), w.Err); err != nil {
			t.Fatal(err)
		}
	}
	fenced := func(err error) {
		t.Helper()
		if f := (*journal.FencedError)(nil); !errors.As(err, &f) {
			t.Errorf("a write with a lower fence than another store's got %v", err)
		}
	}
	raise("2")
	fenced(at(t, a, 5, 6, "2"))
	accepted(t, at(t, a, 5, 7, "2"))
	accepted(t, at(t, a, 5, 0, "3"))
	raise("3")
	accepted(t, at(t, a, 0, 0, "new")) // The store reads how this stream stands, and has to forget the others.
	fenced(at(t, a, 6, 6, "3"))
}

// TestErasedStreamsAreNotRemembered changes a stream otherwise than by an append.
func TestErasedStreamsAreNotRemembered(t *testing.T) {
	s, _ := fresh(t)
	accepted(t, at(t, s, 0, 0, "1"))
	accepted(t, at(t, s, 1, 0, "1"))
	version, err := s.Erase(t.Context(), "1", time.Unix(2, 0))
	if err != nil {
		t.Fatal(err)
	}
	conflicts(t, at(t, s, 2, 0, "1"), version)
	accepted(t, at(t, s, version, 0, "1"))
}

// TestARefusedGroupTeachesNothing has a group of known streams fail as a whole, and one that meets an event that the
// store does not know.
func TestARefusedGroupTeachesNothing(t *testing.T) {
	s, url := fresh(t)
	accepted(t, at(t, s, 0, 0, "1"))
	accepted(t, at(t, s, 1, 0, "1"))
	statements(t, url, `CREATE FUNCTION break() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$ LANGUAGE plpgsql;
		CREATE TRIGGER breaking BEFORE INSERT ON journal_events EXECUTE FUNCTION break()`)
	wants(t, s.Append(t.Context(), []*journal.Write{writeOf("1", 2, 0)}), "broken")
	statements(t, url, "DROP TRIGGER breaking ON journal_events")
	conflicts(t, at(t, s, 3, 0, "1"), 2)
	accepted(t, at(t, s, 2, 0, "1"))
	statements(t, url, `INSERT INTO journal_events (position, stream, version, type, schema, codec, seconds, nanos, data)
		SELECT 99, id, 4, 'a', 1, 'a', 0, 0, 'a' FROM journal_streams`)
	wants(t, s.Append(t.Context(), []*journal.Write{writeOf("2", 0, 0), writeOf("1", 3, 0)}), "duplicate key")
	accepted(t, at(t, s, 0, 0, "2"))
}

// TestACommandIsDoneOnceWhateverIsRemembered has a store write to a stream that it knows for a command that another store, or it itself,
// has done.
func TestACommandIsDoneOnceWhateverIsRemembered(t *testing.T) {
	a, url := fresh(t)
	b := open(t, url)
	do := func(s *postgres.Store, command string) error {
		w := writeOf("1", journal.AnyVersion, 0)
		w.Once = command
		if err := s.Append(t.Context(), []*journal.Write{writeOf("other", journal.AnyVersion, 0), w}); err != nil {
			t.Fatal(err)
		}
		return w.Err
	}
	accepted(t, do(a, "x"))
	accepted(t, do(a, "y"))
	accepted(t, do(b, "z"))
	for _, s := range []*postgres.Store{a, b, a} {
		for _, command := range []string{"x", "y", "z"} {
			if err := do(s, command); !errors.Is(err, journal.ErrDone) {
				t.Errorf("command %s was done again (%v)", command, err)
			}
		}
	}
	accepted(t, do(a, "w"))
	if n := positionsOf(t, a, "1"); n != 4 {
		t.Errorf("the stream has %d events, want 4", n)
	}
}

// positionsOf returns how many events a stream has, whose positions have to rise.
func positionsOf(t *testing.T, s *postgres.Store, stream string) (n int) {
	t.Helper()
	var last journal.Position
	for r, err := range s.Read(t.Context(), stream, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; r.Position <= last {
			t.Errorf("position %d comes after %d", r.Position, last)
		}
		last = r.Position
	}
	return n
}
