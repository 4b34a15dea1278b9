package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/journal"
)

// Target returns a target of projections in the store's own database. Handle is called
// for each event, in a transaction that also remembers the position under the name: so
// what it does to tables with tx happens exactly once. It must not commit, and must not
// use the store. Commits of the journal wait meanwhile, so a batch should be small.
//
// The tables must be made before, on a database that was given to [New], or by handle
// with CREATE TABLE IF NOT EXISTS.
func Target[E any](s *Store, name string, handle func(ctx context.Context, tx Tx, e journal.Envelope[E]) error) journal.Target[E] {
	return &target[E]{s, name, handle}
}

// Tx is the transaction of a batch. It is the writer's connection of the store.
type Tx interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

type target[E any] struct {
	s      *Store
	name   string
	handle func(ctx context.Context, tx Tx, e journal.Envelope[E]) error
}

// Position implements [journal.Target].
func (t *target[E]) Position(ctx context.Context) (position journal.Position, err error) {
	if err := t.s.usable(ctx); err != nil {
		return 0, err
	}
	err = t.s.db.QueryRowContext(ctx, "SELECT position FROM journal_projections WHERE name = ?", t.name).Scan(&position)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, t.s.failedRead(ctx, err)
	}
	return position, nil
}

// errMoved is the error of a projection that runs twice at a time under one name.
var errMoved = errors.New("another projection of that name has handled these events; run one at a time")

// Handle implements [journal.Target].
func (t *target[E]) Handle(ctx context.Context, batch []journal.Envelope[E], position journal.Position) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return t.s.transact(ctx, func(ctx context.Context) error {
		const move = "INSERT INTO journal_projections (name, position) VALUES (?, ?)" +
			" ON CONFLICT (name) DO UPDATE SET position = excluded.position WHERE position < ?"
		result, err := t.s.writer.ExecContext(ctx, move, t.name, int64(position), int64(batch[0].Position))
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return fmt.Errorf("projection %q: %w", t.name, errors.Join(errMoved, err))
		}
		for _, e := range batch {
			if err := t.handle(ctx, t.s.writer, e); err != nil {
				return fmt.Errorf("projection %q, stream %q, version %d: %w", t.name, e.Stream, e.Version, err)
			}
		}
		return nil
	})
}

// Lookup reads from the store's database, beside what is being written: for the tables of
// projections. It returns [journal.ErrClosed] if the store is closed.
func (s *Store) Lookup(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return s.db.QueryContext(ctx, query, args...)
}
