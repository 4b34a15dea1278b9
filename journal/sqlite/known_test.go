package sqlite_test

import (
	"errors"
	"testing"
	"time"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/sqlite"
)

// at writes one event to each of n streams that stand at a version, and returns what became of
// the last.
func at(t *testing.T, s *sqlite.Store, version, fence uint64, streams ...string) error {
	t.Helper()
	var batch []*journal.Write
	for _, stream := range streams {
		batch = append(batch, &journal.Write{Stream: stream, Expected: version, Fence: fence, Time: time.Unix(1, 0),
			Events: []journal.Encoded{{Type: "noted", Schema: 1, Codec: "json", Data: []byte(`"a"`)}}})
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

// TestWritesOfAnotherProcessAreSeen has two stores on one file write in turns to the same
// streams: what one remembers of them does not outlive a write of the other.
func TestWritesOfAnotherProcessAreSeen(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	streams := []string{"1", "2", "3", "4", "5", "6"}
	accepted(t, at(t, a, 0, 0, streams...))
	accepted(t, at(t, b, 1, 0, streams...))
	conflicts(t, at(t, a, 1, 0, streams...), 2)
	accepted(t, at(t, a, 2, 0, streams...))
	conflicts(t, at(t, b, 2, 0, streams[:1]...), 3)
	accepted(t, at(t, b, 3, 7, streams[:1]...))
	err := at(t, a, 4, 6, streams[:1]...)
	if f := (*journal.FencedError)(nil); !errors.As(err, &f) {
		t.Errorf("a write with a lower fence than another process's got %v", err)
	}
}

// TestErasedAndCopiedStreamsAreNotRemembered changes streams otherwise than by appending.
func TestErasedAndCopiedStreamsAreNotRemembered(t *testing.T) {
	s := open(t, t.TempDir())
	accepted(t, at(t, s, 0, 0, "1"))
	version, err := s.Erase(t.Context(), "1", time.Unix(2, 0))
	if err != nil {
		t.Fatal(err)
	}
	conflicts(t, at(t, s, 1, 0, "1"), version)
	accepted(t, at(t, s, version, 0, "1"))
}

// TestARefusedGroupTeachesNothing has a group fail as a whole after some of its writes were
// admitted.
func TestARefusedGroupTeachesNothing(t *testing.T) {
	s := open(t, t.TempDir())
	accepted(t, at(t, s, 0, 0, "1"))
	if err := s.WriterExec("CREATE TRIGGER broken BEFORE INSERT ON journal_events BEGIN SELECT RAISE(ABORT, 'broken'); END"); err != nil {
		t.Fatal(err)
	}
	w := &journal.Write{Stream: "1", Expected: 1, Time: time.Unix(1, 0),
		Events: []journal.Encoded{{Type: "noted", Schema: 1, Codec: "json", Data: []byte(`"a"`)}}}
	if err := s.Append(t.Context(), []*journal.Write{w}); err == nil {
		t.Fatal("the group was stored")
	}
	if err := s.WriterExec("DROP TRIGGER broken"); err != nil {
		t.Fatal(err)
	}
	conflicts(t, at(t, s, 2, 0, "1"), 1)
	accepted(t, at(t, s, 1, 0, "1"))
}

// TestRowsThatAreThereEndTheTransactionAlone has the statement of a batch meet a row that the store does not know. Nothing of the batch
// is stored, and the store goes on.
func TestRowsThatAreThereEndTheTransactionAlone(t *testing.T) {
	s := open(t, t.TempDir())
	accepted(t, at(t, s, 0, 0, "1"))
	if err := s.WriterExec("INSERT INTO journal_events (stream, version, type, schema, codec, seconds, nanos, data) " +
		"SELECT id, 2, x'61', 1, x'61', 0, 0, x'61' FROM journal_streams"); err != nil {
		t.Fatal(err)
	}
	batch := make([]*journal.Write, 20)
	for i := range batch {
		batch[i] = &journal.Write{Stream: "other", Expected: uint64(i), Time: time.Unix(1, 0),
			Events: []journal.Encoded{{Type: "noted", Schema: 1, Codec: "json", Data: []byte(`"a"`)}}}
	}
	batch[15].Stream, batch[15].Expected = "1", 1 // Not the first row of the statement.
	for _, w := range batch[16:] {
		w.Expected--
	}
	wants(t, s.Append(t.Context(), batch), "UNIQUE")
	accepted(t, at(t, s, 0, 0, "other"))
	for r, err := range s.Read(t.Context(), "other", 0) {
		if err != nil || r.Version != 1 {
			t.Errorf("there is version %d of a batch that was refused (%v)", r.Version, err)
		}
	}
}
