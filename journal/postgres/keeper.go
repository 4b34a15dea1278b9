package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/troupe-go/troupe/journal"
)

var _ journal.Keeper = (*Store)(nil)

// row is a stream as the table has it.
type row struct{ id, version, fence, trimmed int64 }

// lockStream returns a stream that has had events. Until the transaction ends, nobody
// stores events, or a snapshot of the stream. The head is locked first, as commits do it. It
// changes, so that stores forget what they know of streams.
func lockStream(ctx context.Context, tx pgx.Tx, name string) (r row, err error) {
	if _, err := tx.Exec(ctx, "UPDATE journal_head SET changes = changes + 1"); err != nil {
		return r, err
	}
	const query = "SELECT id, version, fence, trimmed FROM journal_streams WHERE name = $1 FOR UPDATE"
	err = tx.QueryRow(ctx, query, []byte(name)).Scan(&r.id, &r.version, &r.fence, &r.trimmed)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && r.version == 0 {
		return r, journal.ErrNoStream
	}
	return r, err
}

// Erase implements [journal.Keeper]. PostgreSQL keeps deleted rows in its files until they
// are vacuumed and overwritten, and in its log until that is removed.
func (s *Store) Erase(ctx context.Context, stream string, at time.Time) (version uint64, err error) {
	err = s.transact(ctx, nil, func(tx pgx.Tx) error {
		r, err := lockStream(ctx, tx, stream)
		if err != nil {
			return err
		}
		version = uint64(r.version)
		erased := false
		const query = "SELECT count(*) = 1 AND bool_and(type = $1) FROM journal_events WHERE stream = $2"
		if err := tx.QueryRow(ctx, query, []byte(journal.ErasedType), r.id).Scan(&erased); err != nil || erased {
			return err
		}
		for _, statement := range []string{
			"DELETE FROM journal_snapshots WHERE stream = $1",
			"DELETE FROM journal_events WHERE stream = $1",
			"UPDATE journal_streams SET trimmed = version WHERE id = $1",
		} {
			if _, err := tx.Exec(ctx, statement, r.id); err != nil {
				return err
			}
		}
		w := &journal.Write{Stream: stream, Expected: version, Fence: uint64(r.fence), Time: at, Events: []journal.Encoded{journal.Erased()}}
		g, again := newGroup([]*journal.Write{w}), &pgx.Batch{}
		g.read(again, []*journal.Write{w})
		if err := tx.SendBatch(ctx, again).Close(); err != nil {
			return err
		}
		g.admit(w)
		version = w.Version
		return errors.Join(w.Err, g.store(ctx, tx))
	})
	return version, err
}

// Trim implements [journal.Keeper].
func (s *Store) Trim(ctx context.Context, stream string, keep journal.Retention) (removed uint64, err error) {
	err = s.transact(ctx, nil, func(tx pgx.Tx) error {
		r, err := lockStream(ctx, tx, stream)
		if err != nil {
			return err
		}
		cut, err := cutOf(ctx, tx, r, keep)
		if err != nil || cut <= r.trimmed+1 {
			return err
		}
		if _, err := tx.Exec(ctx, "DELETE FROM journal_events WHERE stream = $1 AND version < $2", r.id, cut); err != nil {
			return err
		}
		removed = uint64(cut - 1 - r.trimmed)
		_, err = tx.Exec(ctx, "UPDATE journal_streams SET trimmed = $1 WHERE id = $2", cut-1, r.id)
		return err
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}

// cutOf returns the first version of a stream that has to stay.
func cutOf(ctx context.Context, tx pgx.Tx, r row, keep journal.Retention) (cut int64, err error) {
	err = tx.QueryRow(ctx, "SELECT version FROM journal_snapshots WHERE stream = $1", r.id).Scan(&cut)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, journal.ErrNoSnapshot
	}
	if err != nil {
		return 0, err
	}
	cut -= min(cut, signed(keep.Keep))
	positions, err := positions(ctx, tx)
	if err != nil {
		return 0, err
	}
	seconds, nanos := int64(math.MaxInt64), int64(0)
	if !keep.Before.IsZero() {
		seconds, nanos = keep.Before.Unix(), int64(keep.Before.Nanosecond())
	}
	const query = "SELECT coalesce(min(version), $1::bigint) FROM journal_events WHERE stream = $2 AND version < $1::bigint" +
		" AND (position > $3 OR seconds > $4::bigint OR seconds = $4::bigint AND nanos >= $5::bigint)"
	err = tx.QueryRow(ctx, query, cut, r.id, signed(uint64(keep.Limit(positions))), seconds, nanos).Scan(&cut)
	return cut, err
}

// Begin implements [journal.Keeper].
func (s *Store) Begin(ctx context.Context, stream string, version uint64) error {
	if err := journal.CheckStream(stream); err != nil {
		return err
	}
	return s.transact(ctx, nil, func(tx pgx.Tx) error {
		if r, err := lockStream(ctx, tx, stream); !errors.Is(err, journal.ErrNoStream) {
			if err == nil {
				err = &journal.ConflictError{Stream: stream, Actual: uint64(r.version)}
			}
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO journal_streams (name, version, fence, trimmed) VALUES ($1, $2, 0, $2)"+
			" ON CONFLICT (name) DO UPDATE SET version = excluded.version, trimmed = excluded.trimmed", []byte(stream), signed(version))
		return err
	})
}

// Positions implements [journal.Keeper].
func (s *Store) Positions(ctx context.Context) (map[string]journal.Position, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	all, err := positions(ctx, s.pool)
	if err != nil {
		return nil, s.failed(ctx, "read", err)
	}
	return all, nil
}

// positions reads the positions of all projections.
func positions(ctx context.Context, db interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}) (map[string]journal.Position, error) {
	rows, err := db.Query(ctx, "SELECT name, position FROM journal_projections")
	if err != nil {
		return nil, err
	}
	all := map[string]journal.Position{}
	var name string
	var position journal.Position
	_, err = pgx.ForEachRow(rows, []any{&name, &position}, func() error {
		all[name] = position
		return nil
	})
	return all, err
}

// MovePosition implements [journal.Keeper].
func (s *Store) MovePosition(ctx context.Context, name string, from, to journal.Position) error {
	return s.transact(ctx, nil, func(tx pgx.Tx) error {
		// Two that begin at the same time wait for one another here.
		const begin = "INSERT INTO journal_projections (name, position) VALUES ($1, 0) ON CONFLICT (name) DO NOTHING"
		if _, err := tx.Exec(ctx, begin, name); err != nil {
			return err
		}
		var is int64
		if err := tx.QueryRow(ctx, "SELECT position FROM journal_projections WHERE name = $1 FOR UPDATE", name).Scan(&is); err != nil {
			return err
		}
		if journal.Position(is) != from {
			return fmt.Errorf("%w: projection %q is at %d, and was to be moved from %d", journal.ErrMoved, name, is, from)
		}
		statement, args := "UPDATE journal_projections SET position = $2 WHERE name = $1", []any{name, signed(uint64(to))}
		if to == 0 {
			statement, args = "DELETE FROM journal_projections WHERE name = $1", args[:1]
		}
		_, err := tx.Exec(ctx, statement, args...)
		return err
	})
}
