package journals_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/cmd/troupe/internal/journals"
	"github.com/troupe-go/troupe/cmd/troupe/internal/journals/places"
	"github.com/troupe-go/troupe/journal"
)

// A removal on purpose is no fault, and an export keeps the versions and the remaining events.
func TestThinJournal(t *testing.T) { places.Each(t, thinJournal) }

func thinJournal(t *testing.T, p places.Place) {
	path := thin(t, p)
	v, faults := verify(t, path)
	if v.Streams != 4 || v.Events != 5 || faults != "" {
		t.Errorf("got %+v and %q, want 4 streams, 5 events and no fault", v, faults)
	}
	text := export(t, reading(t, path))
	for _, want := range []string{`{"trimmed":{"stream":"account/1","events":2}}`, `{"trimmed":{"stream":"account/2","events":1}}`, journal.ErasedType} {
		if !strings.Contains(text, want) {
			t.Errorf("the export has no %s:\n%s", want, text)
		}
	}
	restored := filepath.Join(t.TempDir(), "restored.db")
	if _, err := journals.Restore(t.Context(), restored, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	if _, faults := verify(t, restored); faults != "" {
		t.Errorf("what was restored has the faults %s", faults)
	}
	for name, want := range map[string]journal.StreamInfo{"account/1": {Version: 4, Trimmed: 2, Events: 2, Snapshot: 3, Fence: 7}, "account/2": {Version: 2, Trimmed: 1, Events: 1}} {
		got, err := journals.Find(t.Context(), reading(t, restored), name)
		if err != nil || got.Version != want.Version || got.Trimmed != want.Trimmed || got.Events != want.Events || got.Snapshot != want.Snapshot || got.Fence != want.Fence {
			t.Errorf("%s is restored as %+v, want %+v (%v)", name, got, want, err)
		}
	}
}

// Events that are missing without a trim are a fault, also in a stream that was trimmed.
func TestThinJournalWithDamage(t *testing.T) { places.Each(t, thinJournalWithDamage) }

func thinJournalWithDamage(t *testing.T, p places.Place) {
	path := thin(t, p)
	p.Edit(t, path, "DELETE FROM journal_events WHERE version = 3")
	if _, faults := verify(t, path); !strings.Contains(faults, `stream "account/1", version 4: versions 3 to 3 are missing`) {
		t.Errorf("the faults are %q, want that version 3 is missing", faults)
	}
	const head = `{"journal":{"format":1}}` + "\n"
	for text, want := range map[string]string{
		`{"trimmed":{"stream":"s","events":0}}`:                                                  "0 events before were removed",
		`{"trimmed":{"stream":"s","events":1}}` + `x`:                                            "more than one value",
		`{"trimmed":{"stream":"s","events":1}}` + "\n" + `{"trimmed":{"stream":"s","events":2}}`: "has version 1",
		`{"trimmed":{"stream":"","events":1}}`:                                                   "stream name of 0 bytes",
	} {
		_, err := journals.Restore(t.Context(), filepath.Join(t.TempDir(), "restored.db"), strings.NewReader(head+text))
		wants(t, err, want)
	}
}
