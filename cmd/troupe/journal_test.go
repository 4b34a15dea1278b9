package main_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/cmd/troupe/internal/journals/places"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/sqlite"
)

// journalFile makes a journal with three streams in a file, and returns its path.
func journalFile(t *testing.T) string {
	t.Helper()
	return journalAt(t, places.Place{})
}

// journalAt makes such a journal somewhere.
func journalAt(t *testing.T, p places.Place) string {
	t.Helper()
	target := p.New(t)
	s := p.Open(t, target)
	deposit := func(stream, data string) *journal.Write {
		return &journal.Write{Stream: stream, Expected: journal.AnyVersion, Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
			Events: []journal.Encoded{{Type: "deposited", Schema: 2, Codec: "json", Data: []byte(data)}}}
	}
	batch := []*journal.Write{deposit("account/1", `{"sum":1}`), deposit("account/2", `{"sum":2}`), deposit("account/1", `{"sum":3}`), deposit("\x1b[31m", "4")}
	if err := errors.Join(s.Append(t.Context(), batch), s.Close()); err != nil {
		t.Fatal(err)
	}
	return target
}

// ok runs a command line that must succeed, and returns its output.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := run(t, args...)
	if status != 0 {
		t.Fatalf("%q: the status is %d: %s", args, status, stderr)
	}
	return stdout
}

func TestJournalLists(t *testing.T) { places.Each(t, listJournal) }

func listJournal(t *testing.T, p places.Place) {
	path := journalAt(t, p)
	for _, c := range []struct {
		args  []string
		want  []string
		lines int
	}{
		{[]string{"ls", path}, []string{"STREAM", "account/1   2", "1-3", "2026-03-01T12:00:00Z", `"\x1b[31m"`}, 4},
		{[]string{"ls", "--prefix", "account/2", path}, []string{"account/2"}, 2},
		{[]string{"ls", "--json", path}, []string{`{"stream":"account/1","version":2,"events":2,"first":1,"last":3,"changed":"2026-03-01T12:00:00Z"}`}, 3},
		{[]string{"show", path, "account/1"}, []string{`1  2026-03-01T12:00:00Z  account/1/1  deposited.v2  {"sum":1}`, `{"sum":3}`}, 2},
		{[]string{"show", "--from", "2", path, "account/1"}, []string{`{"sum":3}`}, 1},
		{[]string{"show", "--json", path, "account/2"}, []string{`"data":"{\"sum\":2}"`, `"position":2`}, 1},
		{[]string{"tail", "-n", "2", path}, []string{"account/1/2", `"\x1b[31m"/1`}, 2},
		{[]string{"tail", "--prefix", "account/2", path}, []string{"account/2/1"}, 1},
		{[]string{"tail", "--type", "withdrawn", path}, nil, 0},
		{[]string{"verify", path}, []string{"3 streams, 4 events, 0 snapshots: 0 faults"}, 1},
		{[]string{"verify", "--json", path}, []string{`"events":4`}, 1},
	} {
		got := ok(t, append([]string{"journal"}, c.args...)...)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%q prints\n%s, want %q in it", c.args, got, want)
			}
		}
		if n := strings.Count(got, "\n"); n != c.lines {
			t.Errorf("%q prints %d lines, want %d:\n%s", c.args, n, c.lines, got)
		}
		if strings.Contains(got, "\x1b") {
			t.Errorf("%q prints what a terminal takes for a command: %q", c.args, got)
		}
	}
}

func TestJournalExportAndRestore(t *testing.T) { places.Each(t, exportJournal) }

func exportJournal(t *testing.T, p places.Place) {
	text := ok(t, "journal", "export", journalAt(t, p))
	for line := range strings.Lines(text) {
		if !json.Valid([]byte(line)) {
			t.Errorf("the export has the line %q, want JSON", line)
		}
	}
	file, path := filepath.Join(t.TempDir(), "bank.jsonl"), p.New(t)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ok(t, "journal", "restore", path, file)
	if again := ok(t, "journal", "export", path); again != text {
		t.Errorf("the export of what was restored is\n%s, want\n%s", again, text)
	}
	if status, _, stderr := run(t, "journal", "restore", path, file); status != 1 || !strings.Contains(stderr, "has streams") {
		t.Errorf("a second restore has the status %d: %s", status, stderr)
	}
}

func TestJournalFaults(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("no journal\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	missing, good := filepath.Join(dir, "missing.db"), journalFile(t)
	broken := journalFile(t)
	s, err := sqlite.Open(broken)
	if err != nil {
		t.Fatal(err)
	}
	w := &journal.Write{Stream: "account/1", Expected: 2, Events: []journal.Encoded{{Type: "deposited", Schema: 1, Codec: "json", Data: []byte("{")}}}
	if err := errors.Join(s.Append(t.Context(), []*journal.Write{w}), w.Err, s.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"ls", missing}, 1, "there is no such file"},
		{[]string{"verify", text}, 1, "not a database"},
		{[]string{"export", dir}, 1, "no regular file"},
		{[]string{"show", good, "account/3"}, 1, `no such stream: "account/3"; troupe journal ls`},
		{[]string{"verify", broken}, 1, "the journal has faults: 1"},
		{[]string{"restore", missing, filepath.Join(dir, "missing.jsonl")}, 1, "missing.jsonl"},
		{[]string{"restore", missing, text}, 1, "line 1 of the export"},
		{[]string{"ls", "mysql://host/db"}, 1, "not one of mysql://"},
		{[]string{"ls"}, 2, "takes JOURNAL"},
		{[]string{"show", good}, 2, "takes JOURNAL and STREAM"},
		{[]string{"show", "--from", "0", good, "account/1"}, 2, "at least 1"},
		{[]string{"tail", "-n", "-1", good}, 2, "--last must be"},
		{[]string{"tail", "-n", "100001", good}, 2, "100001"},
		{[]string{"tail", "--every", "0s", good}, 2, "above 0"},
		{[]string{"list", good}, 2, "unknown command"},
	} {
		status, _, stderr := run(t, append([]string{"journal"}, c.args...)...)
		if status != c.status || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: the status is %d, want %d, and %q in: %s", c.args, status, c.status, c.want, stderr)
		}
	}
	if _, err := os.Stat(missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a command that fails makes a file (%v)", err)
	}
}
