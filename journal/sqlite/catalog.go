package sqlite

import (
	"context"
	"database/sql"
	"iter"
	"time"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/internal/paging"
)

var _ journal.Catalog = (*Store)(nil)

var streamsPage = paging.Streams(func(int) string { return "?" })

// Streams implements [journal.Catalog].
func (s *Store) Streams(ctx context.Context, prefix, after string) iter.Seq2[journal.StreamInfo, error] {
	return paging.All(ctx, func(last *journal.StreamInfo) ([]journal.StreamInfo, bool, error) {
		from := after
		if last != nil {
			from = last.Name
		}
		return s.streams(ctx, prefix, from)
	})
}

// streams reads one page of streams, and reports whether it is the last one.
func (s *Store) streams(ctx context.Context, prefix, after string) (page []journal.StreamInfo, last bool, err error) {
	if err := s.usable(ctx); err != nil {
		return nil, false, err
	}
	rows, err := s.db.QueryContext(ctx, streamsPage, []byte(after), []byte(prefix), []byte(prefix))
	if err != nil {
		return nil, false, s.failedRead(ctx, err)
	}
	defer func() {
		if closing := rows.Close(); err == nil && closing != nil {
			err = s.failedRead(ctx, closing)
		}
	}()
	for rows.Next() {
		var info journal.StreamInfo
		var seconds, nanos sql.NullInt64
		if err := rows.Scan(&info.Name, &info.Version, &info.Fence, &info.Trimmed, &info.Events, &info.First, &info.Last, &seconds, &nanos, &info.Snapshot); err != nil {
			return page, false, s.failedRead(ctx, err)
		}
		if seconds.Valid {
			info.Changed = time.Unix(seconds.Int64, nanos.Int64).UTC()
		}
		page = append(page, info)
	}
	if err := rows.Err(); err != nil {
		return page, false, s.failedRead(ctx, err)
	}
	return page, len(page) < paging.Rows, nil
}
