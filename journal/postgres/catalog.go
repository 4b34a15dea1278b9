package postgres

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/internal/paging"
)

var _ journal.Catalog = (*Store)(nil)

var streamsPage = paging.Streams(func(i int) string { return fmt.Sprintf("$%d::bytea", i) })

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
func (s *Store) streams(ctx context.Context, prefix, after string) (page []journal.StreamInfo, final bool, err error) {
	if err := s.usable(ctx); err != nil {
		return nil, false, err
	}
	rows, err := s.pool.Query(ctx, streamsPage, []byte(after), []byte(prefix), []byte(prefix))
	if err != nil {
		return nil, false, s.failed(ctx, "list the streams", err)
	}
	defer rows.Close()
	for rows.Next() {
		var info journal.StreamInfo
		var name []byte
		var seconds, nanos *int64
		if err := rows.Scan(&name, &info.Version, &info.Fence, &info.Trimmed, &info.Events, &info.First, &info.Last, &seconds, &nanos, &info.Snapshot); err != nil {
			return page, false, s.failed(ctx, "list the streams", err)
		}
		if info.Name = string(name); seconds != nil {
			info.Changed = time.Unix(*seconds, *nanos).UTC()
		}
		page = append(page, info)
	}
	if err := rows.Err(); err != nil {
		return page, false, s.failed(ctx, "list the streams", err)
	}
	return page, len(page) < paging.Rows, nil
}
