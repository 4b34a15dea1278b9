package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/postgres"
)

// open opens the store of a URL.
func open(t *testing.T, url string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url)
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

// fresh opens a store with empty tables, and returns its URL, too.
func fresh(t *testing.T) (*postgres.Store, string) {
	t.Helper()
	url := schema(t, theServer(t), schemaOf(t.TempDir()))
	return open(t, url), url
}

// schemaOf returns a name for a schema that is as unique as the folder.
func schemaOf(dir string) string {
	name := []byte("j" + strings.ToLower(dir))
	for i, b := range name {
		if (b < 'a' || b > 'z') && (b < '0' || b > '9') {
			name[i] = '_'
		}
	}
	return string(name[:1]) + string(name[max(1, len(name)-60):]) // PostgreSQL cuts names after 63 bytes.
}

// appendTo appends events of the given texts at whatever version the stream s has.
func appendTo(s journal.Store, texts ...string) error {
	w := &journal.Write{Stream: "s", Expected: journal.AnyVersion}
	for _, text := range texts {
		w.Events = append(w.Events, journal.Encoded{Type: "said", Schema: 1, Codec: "text", Data: []byte(text)})
	}
	return errors.Join(s.Append(context.Background(), []*journal.Write{w}), w.Err)
}

// count returns how many events the stream s has.
func count(t *testing.T, s journal.Store) (n int) {
	t.Helper()
	for r, err := range s.Read(t.Context(), "s", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; r.Version != uint64(n) {
			t.Fatalf("version %d comes where %d should", r.Version, n)
		}
	}
	return n
}

// wants fails unless err has all the texts.
func wants(t *testing.T, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got the error %v, want one with %q", err, text)
		}
	}
}
