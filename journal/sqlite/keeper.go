package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/troupe-go/troupe/journal"
)

var _ journal.Keeper = (*Store)(nil)

// Erase implements [journal.Keeper]. SQLite overwrites what it deletes, and Erase tries to
// empty the log beside the file. A reader that is at work keeps the log: its old pages are
// then overwritten by later commits.
func (s *Store) Erase(ctx context.Context, stream string, at time.Time) (version uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.overwriting(ctx, func(ctx context.Context) error {
		r, err := s.existing(ctx, stream)
		if err != nil {
			return err
		}
		version = uint64(r.version)
		if erased, err := s.isErased(ctx, r); err != nil || erased {
			return err
		}
		if err := s.exec(ctx, "DELETE FROM journal_snapshots WHERE stream = ?", r.id); err != nil {
			return err
		}
		if err := s.exec(ctx, "DELETE FROM journal_events WHERE stream = ?", r.id); err != nil {
			return err
		}
		if err := s.exec(ctx, "UPDATE journal_streams SET trimmed = version WHERE id = ?", r.id); err != nil {
			return err
		}
		w := &journal.Write{Stream: stream, Expected: version, Fence: uint64(r.fence), Time: at, Events: []journal.Encoded{journal.Erased()}}
		err = s.writeAll(ctx, newGroup([]*journal.Write{w}))
		version = w.Version
		return errors.Join(err, w.Err)
	})
	return version, err
}

// overwriting runs f in a transaction that leaves nothing of what it deletes in the file.
func (s *Store) overwriting(ctx context.Context, f func(ctx context.Context) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if s.readOnly {
		return ErrReadOnly
	}
	whole := context.WithoutCancel(ctx)
	if err := s.exec(whole, "PRAGMA secure_delete = ON"); err != nil {
		return s.failed("have deleted data overwritten", err)
	}
	if err := s.transact(ctx, f); err != nil {
		return err
	}
	// It says that it is busy by its row, which is no error.
	if err := s.exec(whole, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return s.failed("empty the log; the stream is erased", err)
	}
	return nil
}

func (s *Store) exec(ctx context.Context, query string, args ...any) error {
	_, err := s.writer.ExecContext(ctx, query, args...)
	return err
}

// existing returns a stream that has had events.
func (s *Store) existing(ctx context.Context, name string) (row, error) {
	r, err := s.stream(ctx, name)
	if err == nil && r.version == 0 {
		err = journal.ErrNoStream
	}
	return r, err
}

// isErased reports whether the stream has the event of its erasure, and no other one.
func (s *Store) isErased(ctx context.Context, r row) (erased bool, err error) {
	const query = "SELECT count(*) = 1 AND min(type) = ? FROM journal_events WHERE stream = ?"
	err = s.writer.QueryRowContext(ctx, query, []byte(journal.ErasedType), r.id).Scan(&erased)
	return erased, err
}

// Trim implements [journal.Keeper]. The file keeps its size, and uses the room again.
func (s *Store) Trim(ctx context.Context, stream string, keep journal.Retention) (removed uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.transact(ctx, func(ctx context.Context) error {
		r, err := s.existing(ctx, stream)
		if err != nil {
			return err
		}
		cut, err := s.cut(ctx, r, keep)
		if err != nil || cut <= r.trimmed+1 {
			return err
		}
		if err := s.exec(ctx, "DELETE FROM journal_events WHERE stream = ? AND version < ?", r.id, cut); err != nil {
			return err
		}
		removed = uint64(cut - 1 - r.trimmed)
		return s.exec(ctx, "UPDATE journal_streams SET trimmed = ? WHERE id = ?", cut-1, r.id)
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}

// cut returns the first version of a stream that has to stay.
func (s *Store) cut(ctx context.Context, r row, keep journal.Retention) (cut int64, err error) {
	err = s.writer.QueryRowContext(ctx, "SELECT version FROM journal_snapshots WHERE stream = ?", r.id).Scan(&cut)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, journal.ErrNoSnapshot
	}
	if err != nil {
		return 0, err
	}
	cut -= min(cut, signed(keep.Keep))
	positions, err := positions(ctx, s.writer)
	if err != nil {
		return 0, err
	}
	seconds, nanos := int64(math.MaxInt64), int64(0)
	if !keep.Before.IsZero() {
		seconds, nanos = keep.Before.Unix(), int64(keep.Before.Nanosecond())
	}
	const query = "SELECT coalesce(min(version), ?1) FROM journal_events WHERE stream = ?2 AND version < ?1" +
		" AND (position > ?3 OR seconds > ?4 OR seconds = ?4 AND nanos >= ?5)"
	err = s.writer.QueryRowContext(ctx, query, cut, r.id, signed(uint64(keep.Limit(positions))), seconds, nanos).Scan(&cut)
	return cut, err
}

// Begin implements [journal.Keeper].
func (s *Store) Begin(ctx context.Context, stream string, version uint64) error {
	if err := journal.CheckStream(stream); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.transact(ctx, func(ctx context.Context) error {
		r, err := s.stream(ctx, stream)
		switch {
		case err != nil:
			return err
		case r.version > 0:
			return &journal.ConflictError{Stream: stream, Actual: uint64(r.version)}
		case r.id == 0:
			if err := s.stmts.addStream.QueryRowContext(ctx, []byte(stream)).Scan(&r.id); err != nil {
				return err
			}
		}
		return s.exec(ctx, "UPDATE journal_streams SET version = ?1, trimmed = ?1 WHERE id = ?2", signed(version), r.id)
	})
}

// Positions implements [journal.Keeper].
func (s *Store) Positions(ctx context.Context) (map[string]journal.Position, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	all, err := positions(ctx, s.db)
	if err != nil {
		return nil, s.failedRead(ctx, err)
	}
	return all, nil
}

// positions reads the positions of all projections.
func positions(ctx context.Context, db interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}) (all map[string]journal.Position, err error) {
	rows, err := db.QueryContext(ctx, "SELECT name, position FROM journal_projections")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	all = map[string]journal.Position{}
	for rows.Next() {
		var name string
		var position journal.Position
		if err := rows.Scan(&name, &position); err != nil {
			return nil, err
		}
		all[name] = position
	}
	return all, rows.Err()
}

// MovePosition implements [journal.Keeper].
func (s *Store) MovePosition(ctx context.Context, name string, from, to journal.Position) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.transact(ctx, func(ctx context.Context) error {
		var is int64
		err := s.writer.QueryRowContext(ctx, "SELECT position FROM journal_projections WHERE name = ?", name).Scan(&is)
		switch {
		case err != nil && !errors.Is(err, sql.ErrNoRows):
			return err
		case journal.Position(is) != from:
			return fmt.Errorf("%w: projection %q is at %d, and was to be moved from %d", journal.ErrMoved, name, is, from)
		case to == 0:
			return s.exec(ctx, "DELETE FROM journal_projections WHERE name = ?", name)
		}
		return s.exec(ctx, "INSERT INTO journal_projections (name, position) VALUES (?, ?)"+
			" ON CONFLICT (name) DO UPDATE SET position = excluded.position", name, signed(uint64(to)))
	})
}
