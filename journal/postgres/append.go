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
// Where the store knows how the streams stand, it has two: it begins and stores, if the
// head is as known, and commits.
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
	if !s.known.mu.TryLock() { // Another append goes on.
		_, err := s.appendRead(ctx, batch)
		return err
	}
	defer s.known.mu.Unlock()
	if g := s.known.recall(batch); g != nil {
		err := s.transact(ctx, g.storeKnown, nil)
		if err == nil {
			s.known.learn(g)
			return nil
		}
		if !outdated(err) {
			return err
		}
	}
	g, err := s.appendRead(ctx, batch)
	if err == nil {
		s.known.learn(g)
	}
	return err
}

// outdated reports whether an append may have failed because what the store knows is no longer true.
func outdated(err error) bool {
	const uniqueViolation = "23505" // An event or a command is there already.
	var refused *pgconn.PgError
	return errors.Is(err, errChanged) || errors.As(err, &refused) && refused.Code == uniqueViolation
}

// appendRead reads how the streams of the batch stand, and appends.
func (s *Store) appendRead(ctx context.Context, batch []*journal.Write) (*group, error) {
	g := newGroup(batch)
	err := s.transact(ctx, func(b *pgx.Batch) { g.read(b, batch) }, func(tx pgx.Tx) error {
		for _, w := range batch {
			g.admit(w)
		}
		return g.store(ctx, tx)
	})
	return g, err
}

var writable = pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite}

// transact runs f, if it is not nil, in a transaction, and commits it. The statements that first adds
// go to the server together with the begin. Until the commit an error means that
// nothing is stored, whatever has become of the connection.
func (s *Store) transact(ctx context.Context, first func(b *pgx.Batch), f func(tx pgx.Tx) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if s.readOnly {
		return ErrReadOnly
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return s.failed(ctx, "get a connection", err)
	}
	defer conn.Release()
	begin := &pgx.Batch{}
	begin.BeginTx(writable)
	if first != nil {
		first(begin)
	}
	results := conn.SendBatch(ctx, begin)
	tx := results.Tx()
	if err = results.Close(); err == nil && f != nil {
		err = f(tx)
	}
	if err != nil {
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

// stream is how a stream of a group stands, with what the group has added. The id of a stream that is not there is 0.
type stream struct {
	id, version, fence int64
	changed            bool
	done               map[string]bool // Commands.
}

// group is a batch on its way into the tables.
type group struct {
	head    head // Before the group.
	streams map[string]*stream
	events  columns
}

// columns are the new events, a slice for each column.
type columns struct {
	names, types, codecs, commands, data [][]byte
	versions, schemas, seconds           []int64
	nanos                                []int32
}

// syncOn has the commit of the transaction synced.
const syncOn = "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'"

func newGroup(batch []*journal.Write) *group {
	g := &group{streams: make(map[string]*stream, len(batch))}
	for _, w := range batch {
		if g.streams[w.Stream] == nil {
			g.streams[w.Stream] = &stream{}
		}
	}
	return g
}

// read locks the head, and reads how the streams of the batch stand.
func (g *group) read(ask *pgx.Batch, batch []*journal.Write) {
	names := make([][]byte, 0, len(g.streams))
	for name := range g.streams {
		names = append(names, []byte(name))
	}
	var owners, commands [][]byte
	for _, w := range batch {
		if w.Once != "" {
			owners, commands = append(owners, []byte(w.Stream)), append(commands, []byte(w.Once))
		}
	}
	// Each statement sees what was committed when it began, and so the last two see all
	// that the lock has waited for.
	ask.Queue(syncOn)
	ask.Queue("SELECT position, changes FROM journal_head FOR UPDATE").QueryRow(func(row pgx.Row) error {
		return row.Scan(&g.head.position, &g.head.changes)
	})
	ask.Queue("SELECT id, name, version, fence FROM journal_streams WHERE name = ANY($1::bytea[])", names).Query(func(rows pgx.Rows) error {
		var name []byte
		var id, version, fence int64
		_, err := pgx.ForEachRow(rows, []any{&id, &name, &version, &fence}, func() error {
			st := g.streams[string(name)]
			st.id, st.version, st.fence = id, version, fence
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
				g.streams[string(name)].did(string(command))
				return nil
			})
			return err
		})
	}
}

// did notes a command that is done.
func (st *stream) did(command string) {
	if st.done == nil {
		st.done = map[string]bool{}
	}
	st.done[command] = true
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
			st.did(w.Once)
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

// changed are the streams that a group has changed, a slice for each column.
type changed struct {
	names                 [][]byte
	ids, versions, fences []int64
}

func (g *group) changed() (c changed) {
	for name, st := range g.streams {
		if st.changed {
			c.names, c.ids = append(c.names, []byte(name)), append(c.ids, st.id)
			c.versions, c.fences = append(c.versions, st.version), append(c.fences, st.fence)
		}
	}
	return c
}

// after returns the head after the group.
func (g *group) after() head {
	after := g.head
	for _, st := range g.streams {
		if st.changed {
			after.changes, after.position = g.head.changes+1, g.head.position+int64(len(g.events.names))
			break
		}
	}
	return after
}

// store writes what the group has changed.
func (g *group) store(ctx context.Context, tx pgx.Tx) error {
	changed := g.changed()
	if len(changed.names) == 0 {
		return nil
	}
	tell := &pgx.Batch{}
	tell.Queue("INSERT INTO journal_streams (name, version, fence) SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bigint[])"+
		" ON CONFLICT (name) DO UPDATE SET version = excluded.version, fence = excluded.fence RETURNING id, name",
		changed.names, changed.versions, changed.fences).Query(func(rows pgx.Rows) error {
		var id int64
		var name []byte
		_, err := pgx.ForEachRow(rows, []any{&id, &name}, func() error {
			g.streams[string(name)].id = id
			return nil
		})
		return err
	})
	if c := &g.events; len(c.names) > 0 {
		tell.Queue("INSERT INTO journal_events (position, stream, version, type, schema, codec, seconds, nanos, command, data)"+
			" SELECT $1::bigint + e.n, s.id, e.version, e.type, e.schema, e.codec, e.seconds, e.nanos, e.command, e.data"+
			" FROM unnest($2::bytea[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bytea[], $7::bigint[], $8::integer[], $9::bytea[], $10::bytea[])"+
			" WITH ORDINALITY AS e (name, version, type, schema, codec, seconds, nanos, command, data, n)"+
			" JOIN journal_streams s ON s.name = e.name",
			g.head.position, c.names, c.versions, c.types, c.schemas, c.codecs, c.seconds, c.nanos, c.commands, c.data)
	}
	after := g.after()
	tell.Queue("UPDATE journal_head SET position = $1, changes = $2", after.position, after.changes)
	return tx.SendBatch(ctx, tell).Close()
}

// notNil returns the data for a column that has a value in each row.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
