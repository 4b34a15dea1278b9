package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrReadOnly is returned by calls that write to a store of [OpenReadOnly].
var ErrReadOnly = errors.New("postgres: the journal was opened to be read; use Open to write to it")

// OpenReadOnly opens the journal of a database to read it, also while programs write to
// it, and on a standby. Calls that write return [ErrReadOnly]. It makes no tables: a
// database without a journal is refused, and so are tables of an earlier version of this
// package.
func OpenReadOnly(ctx context.Context, url string) (*Store, error) {
	if url == "" {
		return nil, errors.New("postgres: the URL is empty; a journal needs one such as postgres://user@host/database")
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("postgres: open: %w", err)
	}
	config.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("postgres: open: %w", err)
	}
	s := &Store{pool: pool, owns: true, readOnly: true}
	if err := s.checkTables(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("postgres: open: %w", err)
	}
	return s, nil
}

// checkTables returns an error unless the database has a journal whose tables are of the
// present version.
func (s *Store) checkTables(ctx context.Context) error {
	steps, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return err
	}
	found := false
	if err := s.pool.QueryRow(ctx, "SELECT to_regclass('journal_schema') IS NOT NULL AND to_regclass('journal_events') IS NOT NULL").Scan(&found); err != nil {
		return err
	}
	if !found {
		return errors.New("the database has no journal in it; if its tables are in a schema of their own, give the URL a search_path")
	}
	version := 0
	if err := s.pool.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM journal_schema").Scan(&version); err != nil {
		return err
	}
	switch {
	case version > len(steps):
		return tooOld(version, len(steps))
	case version < len(steps):
		return fmt.Errorf("its tables have version %d, and this program reads version %d; open it once by postgres.Open, which changes them", version, len(steps))
	}
	return nil
}
