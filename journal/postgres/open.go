// Package postgres stores journals in PostgreSQL, from version 12 on.
//
//	store, err := postgres.Open(ctx, "postgres://bank@localhost/bank")
//
// Each commit is on the server's disk before it is acknowledged (synchronous_commit is
// on, or what the database has above that). Any number of processes may use one
// database: versions and fences hold for all of them.
//
// The driver is github.com/jackc/pgx/v5. [New] takes a pool of the caller's.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/troupe-go/troupe/journal"
)

// Store implements [journal.Store]. It is safe for concurrent use. When its server ends,
// calls fail, and go on with the server that comes after it.
type Store struct {
	pool *pgxpool.Pool
	owns bool // Close closes pool.

	readOnly bool
	known    known

	state  sync.RWMutex
	closed bool
}

var _ journal.Store = (*Store)(nil)

// Open connects to the database of a URL or a keyword string, as pgx takes them, and
// makes the tables of a journal if there are none. All their names begin with journal_.
// To have them in a schema of their own, give the URL a search_path. Open returns an
// error for a server that is not there, that may not be written to, or that does not sync
// what it commits, and for tables that a later version of this package has made.
func Open(ctx context.Context, url string) (*Store, error) {
	if url == "" {
		return nil, errors.New("postgres: the URL is empty; a journal needs one such as postgres://user@host/database")
	}
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("postgres: open: %w", err)
	}
	s := &Store{pool: pool, owns: true}
	if err := s.prepare(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("postgres: open: %w", err)
	}
	return s, nil
}

// New makes a journal in a database of the caller's, beside other tables. The caller
// closes the pool after the store.
func New(ctx context.Context, pool *pgxpool.Pool) (*Store, error) {
	if pool == nil {
		return nil, errors.New("postgres: New with a nil pool")
	}
	s := &Store{pool: pool}
	if err := s.prepare(ctx); err != nil {
		return nil, fmt.Errorf("postgres: make a journal in the database: %w", err)
	}
	return s, nil
}

// prepare checks the server, and makes the tables.
func (s *Store) prepare(ctx context.Context) error {
	var sync string
	if err := s.pool.QueryRow(ctx, "SELECT current_setting('fsync')").Scan(&sync); err != nil {
		return err
	}
	if sync != "on" {
		return fmt.Errorf("commits would not be synced: fsync is %s in the server's configuration, want on", sync)
	}
	return s.migrate(ctx)
}

// Close closes the store. Further calls return [journal.ErrClosed]. It waits for the
// calls that are under way. A pool that was given to New stays open.
func (s *Store) Close() error {
	s.state.Lock()
	first := !s.closed
	s.closed = true
	s.state.Unlock()
	if first && s.owns {
		s.pool.Close()
	}
	return nil
}

// usable returns an error if the store is closed, or ctx has ended.
func (s *Store) usable(ctx context.Context) error {
	s.state.RLock()
	defer s.state.RUnlock()
	if s.closed {
		return journal.ErrClosed
	}
	return context.Cause(ctx)
}

// failed returns the error of a call: why it could not be made, if the store was closed
// or ctx has ended meanwhile.
func (s *Store) failed(ctx context.Context, what string, err error) error {
	if reason := s.usable(ctx); reason != nil {
		return fmt.Errorf("postgres: %s: %w", what, reason)
	}
	return fmt.Errorf("postgres: %s: %w", what, err)
}
