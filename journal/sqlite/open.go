// Package sqlite stores journals in SQLite files: embedded, without a server to start.
//
//	store, err := sqlite.Open("bank.db")
//
// The file is in WAL mode, and each commit is synced to the disk (synchronous=FULL)
// before it is acknowledged. Several processes may use one file at a time: versions and
// fences hold for all of them, and a commit waits up to ten seconds for the commits of
// others. The file must not be on a network file system.
//
// The driver is modernc.org/sqlite, which needs no C compiler. [New] takes a database
// that was opened with any other one.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"sync"

	_ "modernc.org/sqlite" // The driver.

	"github.com/troupe-go/troupe/journal"
)

// Store implements [journal.Store]. It is safe for concurrent use.
type Store struct {
	db   *sql.DB
	owns bool // Close closes db.

	readOnly bool // There is no writer, and its fields are empty.

	mu       sync.Mutex // Of the writer.
	writer   *sql.Conn
	stmts    statements
	known    known
	released bool // By Close.

	state  sync.RWMutex
	closed error // Why the store is closed, or nil.
}

var _ journal.Store = (*Store)(nil)

// Open opens a journal in a file, which it makes if there is none. It returns an error
// for a file that is no SQLite database, that is another program's, that can't be
// written, or that a later version of this package has made.
func Open(path string) (*Store, error) {
	if path == "" {
		return nil, errors.New("sqlite: the path is empty; a journal needs a file")
	}
	pragmas := url.Values{"_pragma": {"busy_timeout(5000)", "synchronous(FULL)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: pragmas.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("sqlite: open %s: %w", path, err)
	}
	s, err := open(db, true)
	if err != nil {
		return nil, fmt.Errorf("sqlite: open %s: %w", path, errors.Join(err, db.Close()))
	}
	return s, nil
}

// New makes a journal in a database of the caller's, beside other tables; all tables of
// the journal begin with journal_. The database must be a file. New sets WAL mode. The
// caller should set a busy_timeout for all connections, and closes db after the store.
func New(db *sql.DB) (*Store, error) {
	if db == nil {
		return nil, errors.New("sqlite: New with a nil database")
	}
	if n := db.Stats().MaxOpenConnections; n == 1 {
		return nil, errors.New("sqlite: the database may have one open connection; a journal needs one to write and others to read")
	}
	s, err := open(db, false)
	if err != nil {
		return nil, fmt.Errorf("sqlite: make a journal in the database: %w", err)
	}
	return s, nil
}

func open(db *sql.DB, owns bool) (*Store, error) {
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, owns: owns, writer: conn}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

// release ends the use of the writer's connection. Its settings are the store's own, so
// it does not go back to the pool.
func (s *Store) release() error {
	err := s.stmts.close()
	_ = s.writer.Raw(func(any) error { return driver.ErrBadConn }) // This is how it is dropped.
	if closing := s.writer.Close(); !errors.Is(closing, sql.ErrConnDone) {
		err = errors.Join(err, closing)
	}
	return err
}

// prepare makes the writer's connection durable, and the tables if there are none.
func (s *Store) prepare(ctx context.Context) error {
	if err := s.checkOwner(ctx); err != nil {
		return err
	}
	if err := s.makeDurable(ctx); err != nil {
		return err
	}
	if _, err := s.writer.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil { // See begin.
		return err
	}
	if err := migrate(ctx, s.writer); err != nil {
		return err
	}
	return s.stmts.prepare(ctx, s.writer)
}

// makeDurable has each commit wait for its sync.
func (s *Store) makeDurable(ctx context.Context) error {
	var mode string
	if err := s.writer.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return fmt.Errorf("set WAL mode: %w", err)
	}
	if mode != "wal" {
		return fmt.Errorf("the journal mode is %q, not wal; the journal needs a file on a local file system", mode)
	}
	const full = 2
	var level int
	if _, err := s.writer.ExecContext(ctx, "PRAGMA synchronous = FULL"); err != nil {
		return err
	}
	if err := s.writer.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&level); err != nil {
		return err
	}
	if level < full {
		return fmt.Errorf("commits would not be synced: synchronous is %d, want %d", level, full)
	}
	return nil
}

// checkOwner returns an error if the file belongs to another program. In a database of
// the caller's that is none of our business.
func (s *Store) checkOwner(ctx context.Context) error {
	var ours, others int
	const count = "SELECT count(*) FILTER (WHERE name = 'journal_events'), count(*) FILTER (WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\') FROM sqlite_schema"
	if err := s.writer.QueryRowContext(ctx, count).Scan(&ours, &others); err != nil {
		return fmt.Errorf("read the tables: %w", err)
	}
	if s.owns && ours == 0 && others > 0 {
		return errors.New("it is the database of another program, with no journal in it; use sqlite.New to add one to a database of yours")
	}
	return nil
}

// Close closes the store. Further calls return [journal.ErrClosed]. A database that was
// given to New stays open.
func (s *Store) Close() error {
	s.fail(journal.ErrClosed)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released {
		return nil
	}
	s.released = true
	var err error
	if !s.readOnly {
		err = s.release()
	}
	if s.owns {
		err = errors.Join(err, s.db.Close())
	}
	return err
}
