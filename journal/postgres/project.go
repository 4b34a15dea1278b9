package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/troupe-go/troupe/journal"
)

// Target returns a target of projections in the store's own database. Handle is called
// for each event, in a transaction that also remembers the position under the name: so
// what it does to tables with tx happens exactly once. It must not commit. The tables
// must be made before, or by handle with CREATE TABLE IF NOT EXISTS. Commits of the journal
// do not wait.
func Target[E any](s *Store, name string, handle func(ctx context.Context, tx Tx, e journal.Envelope[E]) error) journal.Target[E] {
	return &target[E]{s, name, handle}
}

// Tx is the transaction of a batch.
type Tx interface {
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
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
	err = t.s.pool.QueryRow(ctx, "SELECT position FROM journal_projections WHERE name = $1", t.name).Scan(&position)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return 0, t.s.failed(ctx, "read", err)
	}
	return position, nil
}

// errMoved is the error of a projection that runs twice at a time under one name.
var errMoved = errors.New("another projection of that name has handled these events; run one at a time")

// Handle implements [journal.Target].
func (t *target[E]) Handle(ctx context.Context, batch []journal.Envelope[E], position journal.Position) error {
	return t.s.transact(ctx, nil, func(tx pgx.Tx) error {
		const move = "INSERT INTO journal_projections AS old (name, position) VALUES ($1, $2)" +
			" ON CONFLICT (name) DO UPDATE SET position = excluded.position WHERE old.position < $3"
		moved, err := tx.Exec(ctx, move, t.name, int64(position), int64(batch[0].Position))
		if err != nil {
			return err
		}
		if moved.RowsAffected() == 0 {
			return fmt.Errorf("projection %q: %w", t.name, errMoved)
		}
		for _, e := range batch {
			if err := t.handle(ctx, tx, e); err != nil {
				return fmt.Errorf("projection %q, stream %q, version %d: %w", t.name, e.Stream, e.Version, err)
			}
		}
		return nil
	})
}

// Lookup reads from the store's database: for the tables of projections. It returns
// [journal.ErrClosed] if the store is closed. The rows hold a connection until they are
// closed.
func (s *Store) Lookup(ctx context.Context, query string, args ...any) (pgx.Rows, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return s.pool.Query(ctx, query, args...)
}
