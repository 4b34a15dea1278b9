package journals_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/cmd/troupe/internal/journals"
	"github.com/troupe-go/troupe/cmd/troupe/internal/journals/places"
	"github.com/troupe-go/troupe/journal/sqlite"
)

// verify returns the faults of a journal, a line for each.
func verify(t *testing.T, path string) (journals.Verdict, string) {
	t.Helper()
	var faults strings.Builder
	v, err := journals.Verify(t.Context(), reading(t, path), func(f journals.Fault) error {
		fmt.Fprintln(&faults, f)
		return nil
	})
	if err != nil {
		t.Fatalf("verify: %v, after\n%s", err, &faults)
	}
	if n := strings.Count(faults.String(), "\n"); uint64(n) != v.Faults {
		t.Errorf("%d faults are told, and the total is %d", n, v.Faults)
	}
	return v, faults.String()
}

func TestVerifySound(t *testing.T) { places.Each(t, verifySound) }

func verifySound(t *testing.T, p places.Place) {
	v, faults := verify(t, sampleAt(t, p))
	if v.Streams != 4 || v.Events != 7 || v.Snapshots != 1 || faults != "" {
		t.Errorf("got %+v and %q, want 4 streams, 7 events, 1 snapshot and no fault", v, faults)
	}
	if v.Unchecked["raw"] != 2 || len(v.Unchecked) != 1 {
		t.Errorf("not checked are %v, want the two events of the codec raw", v.Unchecked)
	}
}

// Each damage is found, and named by its stream and version.
func TestVerifyFindsDamage(t *testing.T) { places.Each(t, findDamage) }

func findDamage(t *testing.T, p places.Place) {
	const of1 = " WHERE stream = (SELECT id FROM journal_streams WHERE name = CAST('account/1' AS BLOB))"
	for name, c := range map[string]struct{ statement, want string }{
		"a gap":             {"DELETE FROM journal_events" + of1 + " AND version = 2", `stream "account/1", version 3: versions 2 to 2 are missing`},
		"no begin":          {"DELETE FROM journal_events" + of1 + " AND version < 3", `stream "account/1", version 3: versions 1 to 2 are missing`},
		"no end":            {"DELETE FROM journal_events" + of1 + " AND version = 4", `stream "account/1": it has version 4, and its last event version 3`},
		"no events":         {"DELETE FROM journal_events" + of1, `stream "account/1": it has version 4, and its last event version 0`},
		"a low version":     {"UPDATE journal_streams SET version = 3 WHERE version = 4", `stream "account/1": it has version 3, and its last event version 4: the next write would be refused`},
		"no JSON":           {"UPDATE journal_events SET data = x'7b'" + of1 + " AND version = 2", `stream "account/1", version 2: the event of type "noted", schema 1, codec "json": its data is no JSON`},
		"no CBOR":           {"UPDATE journal_events SET data = x'a161' WHERE codec = CAST('cbor' AS BLOB)", `stream "account/2", version 1: the event of type "noted", schema 1, codec "cbor": its data is no CBOR`},
		"schema 0":          {"UPDATE journal_events SET schema = 0" + of1 + " AND version = 1", "its schema is 0"},
		"no type":           {"UPDATE journal_events SET type = x''" + of1 + " AND version = 1", "it has no type"},
		"no codec":          {"UPDATE journal_events SET codec = x''" + of1 + " AND version = 1", "it has no codec"},
		"a late position":   {"UPDATE journal_events SET position = 900" + of1 + " AND version = 1", `stream "account/1", version 2: it has position 4, and the event before has 900`},
		"a snapshot ahead":  {"UPDATE journal_snapshots SET version = 99", `stream "account/1", version 99: the snapshot is ahead of the events, which end with version 4`},
		"a broken snapshot": {"UPDATE journal_snapshots SET data = x'7b7b'", `stream "account/1", version 3: the snapshot of type "state", schema 2, codec "json": its data is no JSON`},
		"a number as text":  {"UPDATE journal_events SET nanos = 'x'" + of1 + " AND version = 2", `stream "account/1": what comes after version 1 can't be read`},
		"no streams":        {"DELETE FROM journal_streams", "a row of journal_events belongs to no row of journal_streams"},
	} {
		t.Run(name, func(t *testing.T) {
			if p.Postgres && (name == "a number as text" || name == "no streams") {
				t.Skip("PostgreSQL refuses it")
			}
			path := sampleAt(t, p)
			p.Edit(t, path, c.statement)
			if _, faults := verify(t, path); !strings.Contains(faults, c.want) {
				t.Errorf("the faults are\n%s, want one with %q", faults, c.want)
			}
		})
	}
}

// A fault does not hide the next one.
func TestVerifyFindsAll(t *testing.T) { places.Each(t, findAll) }

func findAll(t *testing.T, p places.Place) {
	path := sampleAt(t, p)
	p.Edit(t, path, "UPDATE journal_events SET data = x'7b' WHERE codec = CAST('json' AS BLOB)", "UPDATE journal_snapshots SET schema = 0")
	if v, faults := verify(t, path); v.Faults != 5 {
		t.Errorf("there are %d faults, want 5:\n%s", v.Faults, faults)
	}
}

// Pages that are torn are found, wherever they lie, and reading them ends.
func TestVerifyTornPages(t *testing.T) {
	const page = 4096
	path := filepath.Join(t.TempDir(), "journal.db")
	s, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		store(t, s, write(fmt.Sprint("s", i), "json", `"`+strings.Repeat("x", 2000)+`"`))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, faults := verify(t, path); faults != "" {
		t.Fatalf("the whole file has faults:\n%s", faults)
	}
	for at := page; at < len(whole); at += page {
		torn := filepath.Join(t.TempDir(), "torn.db")
		data := append([]byte{}, whole...)
		clear(data[at : at+page/2])
		if err := os.WriteFile(torn, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := journals.Open(t.Context(), torn)
		if err != nil {
			continue // It is not even opened.
		}
		faults := 0
		if _, err := journals.Verify(t.Context(), s, func(journals.Fault) error { faults++; return nil }); err != nil {
			t.Errorf("with page %d torn: %v", at/page+1, err)
		}
		if faults == 0 {
			t.Errorf("with page %d torn there is no fault", at/page+1)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
