package sqlite_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/journal"
)

// append appends events of the given texts at whatever version the stream s has.
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

// database opens a database with the default driver.
func database(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
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

// errSync is what a disk says that can't write.
var errSync = errors.New("injected: the sync has failed")

// failing is a driver whose commits fail on order: before they are made, or after.
type failing struct {
	driver.Driver
	dsn           string
	before, after atomic.Bool
	commits       atomic.Int64
}

func (f *failing) Connect(context.Context) (driver.Conn, error) {
	c, err := f.Open(f.dsn)
	return &failingConn{c, f}, err
}

// newFailing returns a database in a new file, and its driver.
func newFailing(t *testing.T) (*sql.DB, *failing) {
	t.Helper()
	f := &failing{Driver: database(t, ":memory:").Driver(), dsn: filepath.Join(t.TempDir(), "journal.db")}
	db := sql.OpenDB(connector{f})
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db, f
}

// connector has the driver as a Driver method, where failing has it as a field.
type connector struct{ f *failing }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) { return c.f.Connect(ctx) }
func (c connector) Driver() driver.Driver                            { return c.f.Driver }

type failingConn struct {
	driver.Conn
	f *failing
}

func (c *failingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	commit := query == "COMMIT"
	if commit && c.f.before.Load() {
		return nil, errSync
	}
	result, err := c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
	if commit {
		c.f.commits.Add(1)
		if c.f.after.Load() {
			return nil, errSync
		}
	}
	return result, err
}

func (c *failingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

func (c *failingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
}
