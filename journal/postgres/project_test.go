package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/postgres"
)

type noted struct{ N, Twice int }

var notes = journal.Events[noted](journal.Event[noted]("noted"))

// sum keeps the sum of all numbers in a table, and fails at one of them.
func sum(failAt int) func(ctx context.Context, tx postgres.Tx, e journal.Envelope[noted]) error {
	return func(ctx context.Context, tx postgres.Tx, e journal.Envelope[noted]) error {
		if e.Event.N == failAt {
			return errors.New("on order")
		}
		if _, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS sums (id INTEGER PRIMARY KEY, total INTEGER)"); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO sums VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET total = sums.total + excluded.total", e.Event.N)
		return err
	}
}

func total(t *testing.T, s *postgres.Store) (n int) {
	t.Helper()
	rows, err := s.Lookup(t.Context(), "SELECT total FROM sums")
	if err != nil {
		t.Fatal(err)
	}
	if n, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[int]); err != nil {
		t.Fatal(err)
	}
	return n
}

func project(t *testing.T, s *postgres.Store, failAt int) *journal.Projection[noted] {
	t.Helper()
	p, err := journal.NewProjection(journal.ProjectionConfig[noted]{
		Journal: journal.New(s), Events: notes, Batch: 4, Target: postgres.Target(s, "sum", sum(failAt)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The tables of a projection and its position are of one transaction: a batch that fails
// half-way leaves nothing, and after a restart each event counts once.
func TestProjectionCountsOnce(t *testing.T) {
	s, url := fresh(t)
	w := &journal.Write{Stream: "s"}
	for n := range 10 {
		e, err := notes.Encode(noted{N: n + 1})
		if err != nil {
			t.Fatal(err)
		}
		w.Events = append(w.Events, e)
	}
	if err := errors.Join(s.Append(t.Context(), []*journal.Write{w}), w.Err); err != nil {
		t.Fatal(err)
	}
	n, err := project(t, s, 7).CatchUp(t.Context())
	wants(t, err, "on order", `projection "sum"`, `stream "s"`, "version 7")
	if got := total(t, s); n != 4 || got != 1+2+3+4 {
		t.Errorf("%d events were handled, and the total is %d, want that of the first batch, 10", n, got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, url)
	for range 2 {
		if _, err := project(t, s, 0).CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := total(t, s); got != 55 {
			t.Errorf("the total is %d, want 55", got)
		}
	}
}

// Of two projections with one name, the slower one is refused.
func TestTwoProjectionsOfOneName(t *testing.T) {
	s, _ := fresh(t)
	first, second := postgres.Target(s, "sum", sum(0)), postgres.Target(s, "sum", sum(0))
	batch := []journal.Envelope[noted]{{Record: journal.Record{Position: 1}, Event: noted{N: 1}}}
	if err := first.Handle(t.Context(), batch, 1); err != nil {
		t.Fatal(err)
	}
	wants(t, second.Handle(t.Context(), batch, 1), "another projection")
	if got := total(t, s); got != 1 {
		t.Errorf("the total is %d, want 1", got)
	}
}
