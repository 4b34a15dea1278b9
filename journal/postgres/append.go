package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/troupe-go/troupe/journal"
)

// A commit has three round trips, whatever the number of its writes:
//
//  1. begin, lock journal_head, and read the streams and commands of the batch;
//  2. store the streams, the events and the new head;
//  3. commit.
//
// The lock makes commits follow one another, in all processes: PostgreSQL lets go of it
// after the transaction has become visible, so an event that can be seen has all lower
// positions before it. A sequence would give positions to transactions that commit in
// another order, and a feed would miss the later one. Groups are made above the store, so
// that the commits of one process follow one another in any case.

// Append implements [journal.Store]. It waits for the commits of other processes. When
// ctx ends while the commit itself is at work, the error wraps
// [journal.ErrUnknownOutcome].
func (s *Store) Append(ctx context.Context, batch []*journal.Write) error {
	for _, w := range batch {
		if err := journal.CheckStream(w.Stream); err != nil {
			return err
		}
	}
	return s.transact(ctx, func(tx pgx.Tx) error {
		g, err := readGroup(ctx, tx, batch)
		if err != nil {
			return fmt.Errorf("read the streams: %w", err)
		}
		for _, w := range batch {
			g.admit(w)
		}
		return g.store(ctx, tx)
	})
}

// transact runs f in a transaction, and commits it. Until then an error means that
// nothing is stored, whatever has become of the connection.
func (s *Store) transact(ctx context.Context, f func(tx pgx.Tx) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if s.readOnly {
		return ErrReadOnly
	}
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite})
	if err != nil {
		return s.failed(ctx, "begin a transaction", err)
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback(context.WithoutCancel(ctx)) // If it fails, the connection is dropped, and with it the transaction.
		return s.failed(ctx, "write", err)
	}
	if err := context.Cause(ctx); err != nil {
		_ = tx.Rollback(context.WithoutCancel(ctx)) // As above.
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		if notCommitted(err) {
			return s.failed(ctx, "commit", err)
		}
		return fmt.Errorf("postgres: %w: commit: %w", journal.ErrUnknownOutcome, err)
	}
	return nil
}

// notCommitted reports whether the server has said that it has not committed. A
// server that ends says FATAL, perhaps after it has committed.
func notCommitted(err error) bool {
	var refused *pgconn.PgError
	return errors.Is(err, pgx.ErrTxCommitRollback) || errors.As(err, &refused) && refused.Severity == "ERROR"
}

// stream is how a stream of a group stands, with what the group has added.
type stream struct {
	version, fence int64
	changed        bool
	done           map[string]bool
}

// group is a batch on its way into the tables.
type group struct {
	head    int64
	streams map[string]*stream
	events  columns
}

// columns are the new events, a slice for each column.
type columns struct {
	names, types, codecs, commands, data [][]byte
	versions, schemas, seconds           []int64
	nanos                                []int32
}

// readGroup locks the head, and reads how the streams of the batch stand.
func readGroup(ctx context.Context, tx pgx.Tx, batch []*journal.Write) (*group, error) {
	g := &group{streams: map[string]*stream{}}
	var names, owners, commands [][]byte
	for _, w := range batch {
		if g.streams[w.Stream] == nil {
			g.streams[w.Stream] = &stream{done: map[string]bool{}}
			names = append(names, []byte(w.Stream))
		}
		if w.Once != "" {
			owners, commands = append(owners, []byte(w.Stream)), append(commands, []byte(w.Once))
		}
	}
	// Each statement sees what was committed when it began, and so the last two see all
	// that the lock has waited for.
	ask := &pgx.Batch{}
	ask.Queue("SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'")
	ask.Queue("SELECT position FROM journal_head FOR UPDATE").QueryRow(func(row pgx.Row) error { return row.Scan(&g.head) })
	ask.Queue("SELECT name, version, fence FROM journal_streams WHERE name = ANY($1::bytea[])", names).Query(func(rows pgx.Rows) error {
		var name []byte
		var version, fence int64
		_, err := pgx.ForEachRow(rows, []any{&name, &version, &fence}, func() error {
			st := g.streams[string(name)]
			st.version, st.fence = version, fence
			return nil
		})
		return err
	})
	if len(commands) > 0 {
		const find = "SELECT c.name, c.command FROM unnest($1::bytea[], $2::bytea[]) AS c (name, command)" +
			" JOIN journal_streams s ON s.name = c.name JOIN journal_events e ON e.stream = s.id AND e.command = c.command"
		ask.Queue(find, owners, commands).Query(func(rows pgx.Rows) error {
			var name, command []byte
			_, err := pgx.ForEachRow(rows, []any{&name, &command}, func() error {
				g.streams[string(name)].done[string(command)] = true
				return nil
			})
			return err
		})
	}
	return g, tx.SendBatch(ctx, ask).Close()
}

// admit decides about one write, and adds its events.
func (g *group) admit(w *journal.Write) {
	st := g.streams[w.Stream]
	admitted := w.Admit(uint64(st.version), uint64(st.fence), w.Once != "" && st.done[w.Once])
	if raised := int64(w.Fence); raised > st.fence {
		st.fence, st.changed = raised, true
	}
	if !admitted || len(w.Events) == 0 {
		return
	}
	for i, e := range w.Events {
		var command []byte
		if i == 0 && w.Once != "" {
			command = []byte(w.Once)
			st.done[w.Once] = true
		}
		st.version++
		g.events.add(w, st.version, command, e)
	}
	st.changed = true
}

func (c *columns) add(w *journal.Write, version int64, command []byte, e journal.Encoded) {
	c.names = append(c.names, []byte(w.Stream))
	c.versions = append(c.versions, version)
	c.types = append(c.types, []byte(e.Type))
	c.schemas = append(c.schemas, int64(e.Schema))
	c.codecs = append(c.codecs, []byte(e.Codec))
	c.seconds = append(c.seconds, w.Time.Unix())
	c.nanos = append(c.nanos, int32(w.Time.Nanosecond()))
	c.commands = append(c.commands, command)
	c.data = append(c.data, notNil(e.Data))
}

// store writes what the group has changed.
func (g *group) store(ctx context.Context, tx pgx.Tx) error {
	var names [][]byte
	var versions, fences []int64
	for name, st := range g.streams {
		if st.changed {
			names, versions, fences = append(names, []byte(name)), append(versions, st.version), append(fences, st.fence)
		}
	}
	if len(names) == 0 {
		return nil
	}
	tell := &pgx.Batch{}
	tell.Queue("INSERT INTO journal_streams (name, version, fence) SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bigint[])"+
		" ON CONFLICT (name) DO UPDATE SET version = excluded.version, fence = excluded.fence", names, versions, fences)
	if c := &g.events; len(c.names) > 0 {
		tell.Queue("INSERT INTO journal_events (position, stream, version, type, schema, codec, seconds, nanos, command, data)"+
			" SELECT $1::bigint + e.n, s.id, e.version, e.type, e.schema, e.codec, e.seconds, e.nanos, e.command, e.data"+
			" FROM unnest($2::bytea[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bytea[], $7::bigint[], $8::integer[], $9::bytea[], $10::bytea[])"+
			" WITH ORDINALITY AS e (name, version, type, schema, codec, seconds, nanos, command, data, n)"+
			" JOIN journal_streams s ON s.name = e.name",
			g.head, c.names, c.versions, c.types, c.schemas, c.codecs, c.seconds, c.nanos, c.commands, c.data)
		tell.Queue("UPDATE journal_head SET position = $1", g.head+int64(len(c.names)))
	}
	return tx.SendBatch(ctx, tell).Close()
}

// notNil returns the data for a column that has a value in each row.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
