package postgres_test

import (
	"errors"
	"testing"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/postgres"
)

// A store that is only read sees what another one writes beside it, and writes nothing.
func TestOpenReadOnly(t *testing.T) {
	writer, url := fresh(t)
	if err := appendTo(writer, "a"); err != nil {
		t.Fatal(err)
	}
	reader, err := postgres.OpenReadOnly(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close() //nolint:errcheck // It returns nil.
	if err := appendTo(writer, "b"); err != nil {
		t.Fatal(err)
	}
	if n := count(t, reader); n != 2 {
		t.Errorf("there are %d events beside a writer, want 2", n)
	}
	snapshot := journal.Snapshot{Stream: "s", Version: 1, Encoded: journal.Encoded{Type: "state", Schema: 1, Codec: "text"}}
	for what, err := range map[string]error{"Append": appendTo(reader, "d"), "SaveSnapshot": reader.SaveSnapshot(t.Context(), snapshot)} {
		if !errors.Is(err, postgres.ErrReadOnly) {
			t.Errorf("%s returns %v, want ErrReadOnly", what, err)
		}
	}
	rows, err := reader.Lookup(t.Context(), "DELETE FROM journal_events")
	if err == nil {
		rows.Close()
		err = rows.Err()
	}
	wants(t, err, "read-only transaction")
	if n := count(t, writer); n != 2 {
		t.Errorf("there are %d events after that, want 2", n)
	}
}

// A database without a journal is refused, and stays without one.
func TestOpenReadOnlyRefuses(t *testing.T) {
	url := schema(t, theServer(t), schemaOf(t.TempDir()))
	for range 2 {
		_, err := postgres.OpenReadOnly(t.Context(), url)
		wants(t, err, "no journal in it", "search_path")
	}
	_, err := postgres.OpenReadOnly(t.Context(), "")
	wants(t, err, "URL is empty")
}
