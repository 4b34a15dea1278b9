// Package places has the journals that the tests of troupe journal are run on: SQLite
// files, and schemas of a PostgreSQL server.
package places

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/troupe-go/troupe/internal/pgserver"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/postgres"
	"github.com/troupe-go/troupe/journal/sqlite"
)

// Place is a kind of store.
type Place struct {
	// Postgres says that it is PostgreSQL, and not SQLite.
	Postgres bool
}

// Store is a store to write to.
type Store interface {
	journal.Store
	journal.Catalog
	journal.Keeper
	io.Closer
}

// Each runs a test on each kind of store. It skips PostgreSQL where there is no server to
// start.
func Each(t *testing.T, f func(t *testing.T, p Place)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, Place{}) })
	t.Run("postgres", func(t *testing.T) {
		if _, err := pgserver.Find(); err != nil {
			t.Skip(err)
		}
		f(t, Place{Postgres: true})
	})
}

var (
	server  = sync.OnceValues(pgserver.New)
	started atomic.Bool
	schemas atomic.Int64
)

// Main are the tests of a package, after which the server ends.
type Main struct{ M *testing.M }

// Run runs the tests, and returns their exit status.
func (m Main) Run() int {
	code := m.M.Run()
	if started.Load() {
		if s, err := server(); err == nil {
			s.Remove()
		}
	}
	return code
}

// New returns the file or the URL of a journal that is not there yet.
func (p Place) New(t *testing.T) string {
	t.Helper()
	if !p.Postgres {
		return filepath.Join(t.TempDir(), "journal.db")
	}
	started.Store(true)
	s, err := server()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprint("test", schemas.Add(1))
	onPostgres(t, s.URL(""), "CREATE SCHEMA "+name)
	return s.URL(name)
}

// Open opens a journal to write to it, and makes it if it is not there.
func (p Place) Open(t *testing.T, target string) Store {
	t.Helper()
	var s Store
	var err error
	if p.Postgres {
		s, err = postgres.Open(t.Context(), target)
	} else {
		s, err = sqlite.Open(target)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Dialect of the statements for Edit: SQLite's texts and bytes.
var (
	blob  = regexp.MustCompile(`CAST\('([^']*)' AS BLOB\)`)
	bytes = regexp.MustCompile(`\bx'([0-9a-f]*)'`)
)

// Edit changes the tables of a journal behind the back of the store, by statements as
// SQLite understands them.
func (p Place) Edit(t *testing.T, target string, statements ...string) {
	t.Helper()
	if p.Postgres {
		for i, s := range statements {
			statements[i] = bytes.ReplaceAllString(blob.ReplaceAllString(s, "convert_to('$1', 'UTF8')"), `'\x$1'::bytea`)
		}
		onPostgres(t, target, statements...)
		return
	}
	db, err := sql.Open("sqlite", target)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		_, bad := db.ExecContext(t.Context(), s)
		err = errors.Join(err, bad)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func onPostgres(t *testing.T, url string, statements ...string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		_, bad := conn.Exec(ctx, s)
		err = errors.Join(err, bad)
	}
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		t.Fatal(err)
	}
}
