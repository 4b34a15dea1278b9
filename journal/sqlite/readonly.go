package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
)

// ErrReadOnly is returned by calls that write to a store of [OpenReadOnly].
var ErrReadOnly = errors.New("sqlite: the journal was opened to be read; use Open to write to it")

// OpenReadOnly opens the journal of a file to read it, also while programs write to it.
// Calls that write return [ErrReadOnly], and the file is never changed. A file of an
// earlier version of this package is refused, since its tables would have to be changed.
//
// SQLite keeps an index of its log in a file beside the journal, whose name ends in -shm. So
// the folder must allow new files.
//
// A store that is only read goes on after a page that can't be read: other pages may be
// whole.
func OpenReadOnly(path string) (*Store, error) {
	if path == "" {
		return nil, errors.New("sqlite: the path is empty; a journal needs a file")
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("sqlite: open %s: there is no such file: %w", path, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("sqlite: open: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("sqlite: open %s: it is no regular file; a journal is one", path)
	}
	query := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)", "query_only(1)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("sqlite: open %s: %w", path, err)
	}
	s := &Store{db: db, owns: true, readOnly: true}
	if err := s.checkTables(context.Background()); err != nil {
		return nil, fmt.Errorf("sqlite: open %s: %w", path, errors.Join(err, db.Close()))
	}
	return s, nil
}

// checkTables returns an error unless the file has a journal whose tables are of the
// present version.
func (s *Store) checkTables(ctx context.Context) error {
	steps, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return err
	}
	found := 0
	const count = "SELECT count(*) FROM sqlite_schema WHERE name IN ('journal_schema', 'journal_events')"
	if err := s.db.QueryRowContext(ctx, count).Scan(&found); err != nil {
		return fmt.Errorf("read the tables: %w", err)
	}
	if found != 2 {
		return errors.New("it is a SQLite database with no journal in it")
	}
	version := 0
	if err := s.db.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM journal_schema").Scan(&version); err != nil {
		return err
	}
	switch {
	case version > len(steps):
		return tooOld(version, len(steps))
	case version < len(steps):
		return fmt.Errorf("its tables have version %d, and this program reads version %d; open it once by sqlite.Open, which changes them", version, len(steps))
	}
	return nil
}

// Check has SQLite read the whole file, and returns what it finds wrong with pages,
// indexes and references, a text for each fault: at most some hundred. SQLite keeps no checksums, so
// a changed byte inside of a value is not found. Check takes as long as all data takes to be
// read.
func (s *Store) Check(ctx context.Context) (faults []string, err error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	faults, err = s.texts(ctx, "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'")
	if err != nil {
		return faults, s.failedRead(ctx, err)
	}
	lost, err := s.texts(ctx, "SELECT DISTINCT 'a row of ' || \"table\" || ' belongs to no row of ' || parent FROM pragma_foreign_key_check")
	if err != nil {
		err = s.failedRead(ctx, err)
	}
	return append(faults, lost...), err
}

// texts returns the rows of a query, which has one column.
func (s *Store) texts(ctx context.Context, query string) (texts []string, err error) {
	rows, err := s.db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return texts, err
		}
		texts = append(texts, text)
	}
	return texts, rows.Err()
}
