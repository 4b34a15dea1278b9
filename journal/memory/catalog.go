package memory

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/journal"
)

var _ journal.Catalog = (*Store)(nil)

// Streams implements [journal.Catalog]. The list is of one moment.
func (s *Store) Streams(ctx context.Context, prefix, after string) iter.Seq2[journal.StreamInfo, error] {
	return func(yield func(journal.StreamInfo, error) bool) {
		list, err := s.list(ctx, prefix, after)
		for _, info := range list {
			if err = context.Cause(ctx); err != nil {
				break
			}
			if !yield(info, nil) {
				return
			}
		}
		if err != nil {
			yield(journal.StreamInfo{}, err)
		}
	}
}

func (s *Store) list(ctx context.Context, prefix, after string) (list []journal.StreamInfo, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	for name, st := range s.streams {
		n := len(st.records)
		if !strings.HasPrefix(name, prefix) || name <= after || st.version() == 0 && st.fence == 0 {
			continue
		}
		info := journal.StreamInfo{Name: name, Version: st.version(), Events: uint64(n), Trimmed: st.trimmed, Fence: st.fence, Snapshot: st.snapshot.Version}
		if n > 0 {
			last := st.records[n-1]
			info.First, info.Last, info.Changed = st.records[0].Position, last.Position, last.Time
		}
		list = append(list, info)
	}
	slices.SortFunc(list, func(a, b journal.StreamInfo) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}
