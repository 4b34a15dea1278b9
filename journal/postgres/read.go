package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/internal/paging"
)

// pageOf returns the query of a page. The server counts the bytes, so that it does not
// send what the page has no room for.
func pageOf(where, order string) string {
	return fmt.Sprintf("SELECT name, version, position, type, schema, codec, seconds, nanos, command, data, found FROM ("+
		"SELECT *, count(*) OVER () AS found, sum(length(data)) OVER (ORDER BY %[2]s) - length(data) AS before FROM ("+
		"SELECT s.name, e.* FROM journal_events e JOIN journal_streams s ON s.id = e.stream WHERE %[1]s ORDER BY e.%[2]s LIMIT %[3]d"+
		") AS picked) AS counted WHERE before < %[4]d ORDER BY %[2]s", where, order, paging.Rows, paging.Bytes)
}

var (
	readPage = pageOf("s.name = $1 AND e.version > $2", "version")
	feedPage = pageOf("e.position > $1 AND ($2::bytea = '' OR s.name >= $2 AND substr(s.name, 1, length($2)) = $2)"+
		" AND ($3::bytea[] IS NULL OR e.type = ANY($3))", "position")
)

// Read implements [journal.Store].
func (s *Store) Read(ctx context.Context, stream string, after uint64) iter.Seq2[journal.Record, error] {
	return paging.All(ctx, func(last *journal.Record) ([]journal.Record, bool, error) {
		from := after
		if last != nil {
			from = last.Version
		}
		return s.page(ctx, readPage, []byte(stream), signed(from))
	})
}

// Feed implements [journal.Store].
func (s *Store) Feed(ctx context.Context, after journal.Position, f journal.Filter) iter.Seq2[journal.Record, error] {
	var types [][]byte
	if f.Types != nil {
		types = [][]byte{}
	}
	for _, t := range f.Types {
		types = append(types, []byte(t))
	}
	return paging.All(ctx, func(last *journal.Record) ([]journal.Record, bool, error) {
		from := after
		if last != nil {
			from = last.Position
		}
		return s.page(ctx, feedPage, signed(uint64(from)), []byte(f.Prefix), types)
	})
}

// signed returns a number as PostgreSQL has it. A number that is too high is above all events.
func signed(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// page reads one page, and reports whether it is the last one.
func (s *Store) page(ctx context.Context, query string, args ...any) (page []journal.Record, final bool, err error) {
	if err := s.usable(ctx); err != nil {
		return nil, false, err
	}
	rows, err := s.pool.Query(ctx, query, args...)
	if err != nil {
		return nil, false, s.failed(ctx, "read", err)
	}
	defer rows.Close()
	found := 0
	for rows.Next() {
		var r journal.Record
		var stream, kind, codec, command []byte
		var seconds, nanos int64
		if err := rows.Scan(&stream, &r.Version, &r.Position, &kind, &r.Schema, &codec, &seconds, &nanos, &command, &r.Data, &found); err != nil {
			return page, false, s.failed(ctx, "read", err)
		}
		r.Stream, r.Type, r.Codec, r.Once = string(stream), string(kind), string(codec), string(command)
		r.Time = time.Unix(seconds, nanos).UTC()
		page = append(page, r)
	}
	if err := rows.Err(); err != nil {
		return page, false, s.failed(ctx, "read", err)
	}
	return page, len(page) == found && found < paging.Rows, nil
}

// SaveSnapshot implements [journal.Store]. It does not wait for commits to the stream.
func (s *Store) SaveSnapshot(ctx context.Context, snap journal.Snapshot) error {
	return s.transact(ctx, nil, func(tx pgx.Tx) error {
		// FOR KEY SHARE waits only for what would delete the stream. FOR SHARE would wait
		// for each commit to it.
		var id, version, trimmed int64
		err := tx.QueryRow(ctx, "SELECT id, version, trimmed FROM journal_streams WHERE name = $1 FOR KEY SHARE", []byte(snap.Stream)).Scan(&id, &version, &trimmed)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if snap.Version > uint64(version) {
			return fmt.Errorf("%w: stream %q has version %d, the snapshot %d", journal.ErrSnapshotAhead, snap.Stream, version, snap.Version)
		}
		if int64(snap.Version) <= trimmed { // It is older than an erasure.
			return nil
		}
		_, err = tx.Exec(ctx, "INSERT INTO journal_snapshots AS old (stream, version, type, schema, codec, data) VALUES ($1, $2, $3, $4, $5, $6)"+
			" ON CONFLICT (stream) DO UPDATE SET version = excluded.version, type = excluded.type, schema = excluded.schema,"+
			" codec = excluded.codec, data = excluded.data WHERE excluded.version >= old.version",
			id, int64(snap.Version), []byte(snap.Type), int64(snap.Schema), []byte(snap.Codec), notNil(snap.Data))
		return err
	})
}

// LoadSnapshot implements [journal.Store].
func (s *Store) LoadSnapshot(ctx context.Context, stream string) (snap journal.Snapshot, err error) {
	if err := s.usable(ctx); err != nil {
		return snap, err
	}
	var kind, codec []byte
	err = s.pool.QueryRow(ctx, "SELECT n.version, n.type, n.schema, n.codec, n.data FROM journal_snapshots n"+
		" JOIN journal_streams s ON s.id = n.stream WHERE s.name = $1", []byte(stream)).Scan(&snap.Version, &kind, &snap.Schema, &codec, &snap.Data)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return journal.Snapshot{}, nil
	case err != nil:
		return journal.Snapshot{}, s.failed(ctx, "read", err)
	}
	snap.Stream, snap.Type, snap.Codec = stream, string(kind), string(codec)
	return snap, nil
}
