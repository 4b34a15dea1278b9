package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/journal"
)

// Append implements [journal.Store]. It waits for writers of other processes.
func (s *Store) Append(ctx context.Context, batch []*journal.Write) error {
	for _, w := range batch {
		if err := journal.CheckStream(w.Stream); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g := newGroup(batch)
	err := s.inTransaction(ctx, func(ctx context.Context) error {
		if err := s.refresh(ctx); err != nil {
			return err
		}
		g.recall(s.known.rows)
		return s.writeAll(ctx, g)
	})
	if err == nil {
		s.known.learn(g)
	}
	return err
}

// transact is inTransaction for all but appends.
func (s *Store) transact(ctx context.Context, f func(ctx context.Context) error) error {
	s.known.forget()
	return s.inTransaction(ctx, f)
}

// inTransaction runs f in a transaction of the writer's connection. The caller holds mu.
// Statements are not cancelled on their way, since it would then be open what they have
// done. They are short.
func (s *Store) inTransaction(ctx context.Context, f func(ctx context.Context) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if s.readOnly {
		return ErrReadOnly
	}
	if err := begin(ctx, s.writer); err != nil {
		return s.failed("begin a transaction", err)
	}
	whole := context.WithoutCancel(ctx)
	err := f(whole)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_, undo := s.writer.ExecContext(whole, "ROLLBACK") // SQLite has done it already after some errors.
		if undo != nil && !strings.Contains(undo.Error(), "no transaction is active") {
			s.fail(fmt.Errorf("%w, after a rollback has failed: %w", journal.ErrClosed, undo))
		}
		return s.failed("write", err)
	}
	// After an error of the commit nobody knows what is on the disk: a sync that has failed
	// may have dropped what it should have written, and a second one would say that all is
	// well. So the store ends here.
	if _, err := s.writer.ExecContext(whole, "COMMIT"); err != nil {
		s.fail(fmt.Errorf("%w, after a commit has failed: %w", journal.ErrClosed, err))
		return fmt.Errorf("sqlite: %w: commit: %w", journal.ErrUnknownOutcome, err)
	}
	return nil
}

// row is a stream as the table has it. The id of a stream that is not there is 0.
type row struct{ id, version, fence, trimmed int64 }

func (s *Store) stream(ctx context.Context, name string) (r row, err error) {
	err = s.stmts.stream.QueryRowContext(ctx, []byte(name)).Scan(&r.id, &r.version, &r.fence, &r.trimmed)
	if errors.Is(err, sql.ErrNoRows) {
		return row{}, nil
	}
	return r, err
}

// notNil returns the data for a column that has a value in each row.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
