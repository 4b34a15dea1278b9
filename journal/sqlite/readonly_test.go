package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/sqlite"
)

// readOnly opens the store of a folder to read it.
func readOnly(t *testing.T, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.OpenReadOnly(filepath.Join(dir, "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return s
}

// A store that is only read sees what another one writes beside it, and writes nothing.
func TestOpenReadOnly(t *testing.T) {
	dir := t.TempDir()
	writer := open(t, dir)
	if err := appendTo(writer, "a", "b"); err != nil {
		t.Fatal(err)
	}
	reader := readOnly(t, dir)
	if n := count(t, reader); n != 2 {
		t.Errorf("there are %d events, want 2", n)
	}
	if err := appendTo(writer, "c"); err != nil {
		t.Fatal(err)
	}
	if n := count(t, reader); n != 3 {
		t.Errorf("there are %d events beside a writer, want 3", n)
	}
	snapshot := journal.Snapshot{Stream: "s", Version: 1, Encoded: journal.Encoded{Type: "state", Schema: 1, Codec: "text"}}
	for what, err := range map[string]error{"Append": appendTo(reader, "d"), "SaveSnapshot": reader.SaveSnapshot(t.Context(), snapshot)} {
		if !errors.Is(err, sqlite.ErrReadOnly) {
			t.Errorf("%s returns %v, want ErrReadOnly", what, err)
		}
	}
	rows, err := reader.Lookup(t.Context(), "DELETE FROM journal_events RETURNING position")
	if err == nil {
		for rows.Next() {
			t.Error("an event is deleted by way of Lookup")
		}
		err = errors.Join(rows.Err(), rows.Close())
	}
	wants(t, err, "readonly")
	if n := count(t, writer); n != 3 {
		t.Errorf("there are %d events after that, want 3", n)
	}
}

// Reading leaves the bytes of the file as they are.
func TestReadOnlyChangesNothing(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if err := errors.Join(appendTo(s, "a"), s.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "journal.db")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	reader := readOnly(t, dir)
	if faults, err := reader.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("a sound file has the faults %q (%v)", faults, err)
	}
	if n := count(t, reader); n != 1 {
		t.Errorf("there are %d events, want 1", n)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file is not what it was (%v)", err)
	}
}

func TestOpenReadOnlyRefuses(t *testing.T) {
	dir := t.TempDir()
	refuses := func(path string, texts ...string) {
		t.Helper()
		s, err := sqlite.OpenReadOnly(path)
		if err == nil {
			t.Errorf("%s is opened", path)
			err = s.Close()
		}
		wants(t, err, texts...)
	}
	missing := filepath.Join(dir, "missing.db")
	if _, err := sqlite.OpenReadOnly(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v, want fs.ErrNotExist", err)
	}
	if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the missing file is made (%v)", err)
	}
	refuses("", "path is empty")
	refuses(dir, dir, "no regular file")
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	refuses(text, text, "not a database")
	other := filepath.Join(dir, "other.db")
	if _, err := database(t, other).Exec("CREATE TABLE songs (title TEXT)"); err != nil {
		t.Fatal(err)
	}
	refuses(other, other, "no journal in it")
	for version, want := range map[int]string{99: "too old", 0: "sqlite.Open"} {
		dir := t.TempDir()
		s := open(t, dir)
		if err := errors.Join(s.WriterExec(fmt.Sprint("UPDATE journal_schema SET version = ", version)), s.Close()); err != nil {
			t.Fatal(err)
		}
		refuses(filepath.Join(dir, "journal.db"), want)
	}
}

// An index that lacks an event, and an event without its stream, are found.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if err := errors.Join(appendTo(s, "a"), s.WriterExec("PRAGMA foreign_keys = OFF"), s.WriterExec("DELETE FROM journal_streams")); err != nil {
		t.Fatal(err)
	}
	faults, err := s.Check(t.Context())
	if err != nil || len(faults) != 1 || !strings.Contains(faults[0], "journal_events") {
		t.Errorf("the faults are %q (%v), want one that names journal_events", faults, err)
	}
}
