package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/internal/paging"
)

const columns = "SELECT s.name, e.version, e.position, e.type, e.schema, e.codec, e.seconds, e.nanos, e.command, e.data" +
	" FROM journal_events e JOIN journal_streams s ON s.id = e.stream WHERE "

// Read implements [journal.Store].
func (s *Store) Read(ctx context.Context, stream string, after uint64) iter.Seq2[journal.Record, error] {
	const query = columns + "s.name = ? AND e.version > ? ORDER BY e.version LIMIT ?"
	return paging.All(ctx, func(last *journal.Record) ([]journal.Record, bool, error) {
		from := after
		if last != nil {
			from = last.Version
		}
		return s.page(ctx, query, []byte(stream), signed(from), paging.Rows)
	})
}

// Feed implements [journal.Store]. Commits have the file for themselves one after the
// other, so an event that can be seen has all lower positions before it.
func (s *Store) Feed(ctx context.Context, after journal.Position, f journal.Filter) iter.Seq2[journal.Record, error] {
	where := "e.position > ?"
	args := []any{0}
	if f.Prefix != "" {
		where += " AND substr(s.name, 1, ?) = ?"
		args = append(args, len(f.Prefix), []byte(f.Prefix))
	}
	if f.Types != nil {
		where += " AND e.type IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(f.Types)), ", ") + ")"
		for _, t := range f.Types {
			args = append(args, []byte(t))
		}
	}
	query := columns + where + " ORDER BY e.position LIMIT ?"
	return paging.All(ctx, func(last *journal.Record) ([]journal.Record, bool, error) {
		from := after
		if last != nil {
			from = last.Position
		}
		page := append([]any{signed(uint64(from))}, args[1:]...)
		return s.page(ctx, query, append(page, paging.Rows)...)
	})
}

// signed returns a number as SQLite has it. A number that is too high is above all events.
func signed(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// page reads one page, and reports whether it is the last one.
func (s *Store) page(ctx context.Context, query string, args ...any) (page []journal.Record, last bool, err error) {
	if err := s.usable(ctx); err != nil {
		return nil, false, err
	}
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, false, s.failedRead(ctx, err)
	}
	defer func() {
		if closing := rows.Close(); err == nil && closing != nil {
			err = s.failedRead(ctx, closing)
		}
	}()
	// Scan would make new ones for each row, and most names are the same as before.
	var r journal.Record
	var seconds, nanos int64
	var stream, kind, codec, once sql.RawBytes
	into := []any{&stream, &r.Version, &r.Position, &kind, &r.Schema, &codec, &seconds, &nanos, &once, &r.Data}
	for bytes := 0; rows.Next(); {
		if err := rows.Scan(into...); err != nil {
			return page, false, s.failedRead(ctx, err)
		}
		r.Stream, r.Type, r.Codec, r.Once = kept(r.Stream, stream), kept(r.Type, kind), kept(r.Codec, codec), kept(r.Once, once)
		r.Time = time.Unix(seconds, nanos).UTC()
		page = append(page, r)
		if bytes += len(r.Data); bytes >= paging.Bytes {
			return page, false, nil
		}
	}
	if err := rows.Err(); err != nil {
		return page, false, s.failedRead(ctx, err)
	}
	return page, len(page) < paging.Rows, nil
}

// kept returns the bytes as a string: the one before if it is the same.
func kept(before string, b sql.RawBytes) string {
	if before == string(b) {
		return before
	}
	return string(b)
}

// failedRead returns the error of a call that reads: the cause, if ctx has ended.
func (s *Store) failedRead(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("sqlite: read: %w", cause)
	}
	return s.failed("read", err)
}

// SaveSnapshot implements [journal.Store].
func (s *Store) SaveSnapshot(ctx context.Context, snap journal.Snapshot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.transact(ctx, func(ctx context.Context) error {
		r, err := s.stream(ctx, snap.Stream)
		if err != nil {
			return err
		}
		if snap.Version > uint64(r.version) {
			return fmt.Errorf("%w: stream %q has version %d, the snapshot %d", journal.ErrSnapshotAhead, snap.Stream, r.version, snap.Version)
		}
		if int64(snap.Version) <= r.trimmed { // It is older than an erasure.
			return nil
		}
		_, err = s.stmts.addSnapshot.ExecContext(ctx, r.id, int64(snap.Version), []byte(snap.Type), snap.Schema, []byte(snap.Codec), notNil(snap.Data))
		return err
	})
}

// LoadSnapshot implements [journal.Store].
func (s *Store) LoadSnapshot(ctx context.Context, stream string) (snap journal.Snapshot, err error) {
	if err := s.usable(ctx); err != nil {
		return snap, err
	}
	const query = "SELECT s.name, n.version, n.type, n.schema, n.codec, n.data FROM journal_snapshots n" +
		" JOIN journal_streams s ON s.id = n.stream WHERE s.name = ?"
	err = s.db.QueryRowContext(ctx, query, []byte(stream)).Scan(&snap.Stream, &snap.Version, &snap.Type, &snap.Schema, &snap.Codec, &snap.Data)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return journal.Snapshot{}, nil
	case err != nil:
		return journal.Snapshot{}, s.failedRead(ctx, err)
	}
	return snap, nil
}
