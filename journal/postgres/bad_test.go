package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/postgres"
)

// statements runs SQL beside the store.
func statements(t *testing.T, url string, texts ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range texts {
		if _, err := conn.Exec(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	url := schema(t, theServer(t), schemaOf(t.TempDir()))
	for name, c := range map[string]struct {
		url   string
		wants []string
	}{
		"an empty URL":         {"", []string{"the URL is empty"}},
		"a URL that is none":   {"postgres://%", []string{"postgres: open"}},
		"no server":            {"postgres:///db?host=/nowhere/at/all", []string{"postgres: open", "/nowhere/at/all"}},
		"a database read-only": {url + "&default_transaction_read_only=on", []string{"write to it", "read-only"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := postgres.Open(t.Context(), c.url)
			if err == nil {
				_ = s.Close()
			}
			wants(t, err, c.wants...)
		})
	}
	_, err := postgres.New(t.Context(), nil)
	wants(t, err, "nil pool")
}

// The version of the tables is above what this binary knows.
func TestOlderBinary(t *testing.T) {
	_, url := fresh(t)
	statements(t, url, "UPDATE journal_schema SET version = 99")
	_, err := postgres.Open(t.Context(), url)
	wants(t, err, "version 99", "too old")
}

// A database whose commits are not synced has them synced for the journal.
func TestCommitsAreSynced(t *testing.T) {
	server := theServer(t)
	url := schema(t, server, schemaOf(t.TempDir())) + "&synchronous_commit=off"
	s := open(t, url)
	statements(t, url, `CREATE TABLE seen (setting text);
		CREATE FUNCTION note() RETURNS trigger AS $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$ LANGUAGE plpgsql;
		CREATE TRIGGER noting AFTER INSERT ON journal_events EXECUTE FUNCTION note()`)
	if err := appendTo(s, "a"); err != nil {
		t.Fatal(err)
	}
	rows, err := s.Lookup(t.Context(), "SELECT setting FROM seen")
	if err != nil {
		t.Fatal(err)
	}
	settings, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(settings) != 1 || settings[0] != "on" {
		t.Errorf("the commit had synchronous_commit %v, want on (%v)", settings, err)
	}
}

// A commit that the server refuses stores nothing, and says so.
func TestCommitIsRefused(t *testing.T) {
	s, url := fresh(t)
	statements(t, url, `CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE 'on order'; END $$ LANGUAGE plpgsql;
		CREATE CONSTRAINT TRIGGER refusing AFTER INSERT ON journal_events DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`)
	err := appendTo(s, "a")
	wants(t, err, "on order")
	if errors.Is(err, journal.ErrUnknownOutcome) {
		t.Errorf("the outcome of a commit that was refused is unknown: %v", err)
	}
	statements(t, url, "DROP TRIGGER refusing ON journal_events")
	if err := appendTo(s, "a"); err != nil {
		t.Fatal(err)
	}
	if n := count(t, s); n != 1 {
		t.Errorf("there are %d events, want 1", n)
	}
}

// The server ends the connection in the commit: nobody knows what it has stored.
func TestAnswerIsLost(t *testing.T) {
	s, url := fresh(t)
	statements(t, url, `CREATE FUNCTION leave() RETURNS trigger AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$ LANGUAGE plpgsql;
		CREATE CONSTRAINT TRIGGER leaving AFTER INSERT ON journal_events DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION leave()`)
	if err := appendTo(s, "a"); !errors.Is(err, journal.ErrUnknownOutcome) {
		t.Errorf("got %v, want ErrUnknownOutcome", err)
	}
	statements(t, url, "DROP TRIGGER leaving ON journal_events")
	before := count(t, s)
	if err := appendTo(s, "b"); err != nil {
		t.Fatal(err)
	}
	if n := count(t, s); n != before+1 {
		t.Errorf("there are %d events, want %d", n, before+1)
	}
}

// A transaction of another program that has read the tables and stays open holds up
// neither commits nor the feed, nor the saving of snapshots.
func TestOpenTransaction(t *testing.T) {
	s, url := fresh(t)
	if err := appendTo(s, "a"); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	if _, err := conn.Exec(t.Context(), "BEGIN; SELECT count(*) FROM journal_events; SELECT 1 FROM journal_streams FOR KEY SHARE"); err != nil {
		t.Fatal(err)
	}
	if err := appendTo(s, "b"); err != nil {
		t.Fatal(err)
	}
	if n := count(t, s); n != 2 {
		t.Errorf("there are %d events, want 2", n)
	}
}

// A snapshot is saved while a commit to its stream is under way.
func TestSnapshotDoesNotWait(t *testing.T) {
	s, url := fresh(t)
	if err := appendTo(s, "a"); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	// This is what Append does to a stream.
	if _, err := conn.Exec(t.Context(), "BEGIN; UPDATE journal_streams SET version = 2, fence = 0"); err != nil {
		t.Fatal(err)
	}
	snap := journal.Snapshot{Stream: "s", Version: 1, Encoded: journal.Encoded{Type: "sum", Schema: 1, Codec: "json", Data: []byte("1")}}
	s = open(t, url+"&lock_timeout=10000") // A call that waits fails then.
	if err := s.SaveSnapshot(t.Context(), snap); err != nil {
		t.Fatal(err)
	}
	if got, err := s.LoadSnapshot(t.Context(), "s"); err != nil || got.Version != 1 {
		t.Errorf("got the snapshot %+v (%v)", got, err)
	}
}

// A feed that is followed while two commits overlap misses none: the second waits for the
// first, so that its event has the higher position and is seen later.
func TestFeedWaitsForOpenCommits(t *testing.T) {
	s, url := fresh(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	// A commit of another process that has its position, and is not yet visible.
	if _, err := conn.Exec(t.Context(), `BEGIN;
		UPDATE journal_head SET position = position + 1;
		INSERT INTO journal_streams (name, version, fence) VALUES ('other', 1, 0);
		INSERT INTO journal_events SELECT (SELECT position FROM journal_head), id, 1, 'said', 1, 'text', 0, 0, NULL, 'first' FROM journal_streams`); err != nil {
		t.Fatal(err)
	}
	var pid int
	if err := conn.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&pid); err != nil {
		t.Fatal(err)
	}
	stored := make(chan error, 1)
	go func() { stored <- appendTo(s, "second") }()
	awaitBlocked(t, url, pid, stored)
	for r, err := range s.Feed(t.Context(), 0, journal.Filter{}) {
		t.Errorf("the feed has %q of position %d beside an open commit (%v)", r.Data, r.Position, err)
	}
	if _, err := conn.Exec(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	var got []string
	for r, err := range s.Feed(t.Context(), 0, journal.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(r.Data))
	}
	if len(got) != 2 || got[0] != "first" || got[1] != "second" {
		t.Errorf("the feed has %q, want first and second", got)
	}
}

// awaitBlocked waits until another backend waits for the one with the pid, or until the
// append that should wait has returned.
func awaitBlocked(t *testing.T, url string, pid int, stored <-chan error) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for blocked := 0; blocked == 0; {
		select {
		case err := <-stored:
			t.Fatalf("a commit overtakes an open one (%v)", err)
		default:
		}
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))", pid).Scan(&blocked); err != nil {
			t.Fatal(err)
		}
	}
}

// A pool of the caller's has other tables beside the journal, and outlives the store.
func TestPoolOfTheCaller(t *testing.T) {
	url := schema(t, theServer(t), schemaOf(t.TempDir()))
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	s, err := postgres.New(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(appendTo(s, "a"), s.Close()); err != nil {
		t.Fatal(err)
	}
	if err := appendTo(s, "b"); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("a closed store returns %v", err)
	}
	n := 0
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM journal_events").Scan(&n); err != nil || n != 1 {
		t.Errorf("there are %d events, want 1 (%v)", n, err)
	}
}

// The settings of the server say that nothing is synced.
func TestServerThatDoesNotSync(t *testing.T) {
	server := theServer(t)
	url := schema(t, server, schemaOf(t.TempDir()))
	statements(t, url, "ALTER SYSTEM SET fsync = off")
	statements(t, url, "SELECT pg_reload_conf()")
	defer func() {
		statements(t, url, "ALTER SYSTEM RESET fsync")
		statements(t, url, "SELECT pg_reload_conf()")
		awaitSetting(t, url, "on")
	}()
	awaitSetting(t, url, "off")
	_, err := postgres.Open(t.Context(), url)
	wants(t, err, "fsync is off")
}

// awaitSetting waits until new connections have the setting of fsync.
func awaitSetting(t *testing.T, url, want string) {
	t.Helper()
	for got := ""; got != want; {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		err = conn.QueryRow(t.Context(), "SHOW fsync").Scan(&got)
		if err := errors.Join(err, conn.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
}
