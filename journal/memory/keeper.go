package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/troupe-go/troupe/journal"
)

var _ journal.Keeper = (*Store)(nil)

// Erase implements [journal.Keeper].
func (s *Store) Erase(ctx context.Context, name string, at time.Time) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return 0, err
	}
	st := s.streams[name]
	switch {
	case st == nil || st.version() == 0:
		return 0, journal.ErrNoStream
	case len(st.records) == 1 && st.records[0].Type == journal.ErasedType:
		return st.version(), nil
	}
	s.remove(st, st.version()+1)
	st.done, st.snapshot = map[string]bool{}, journal.Snapshot{}
	s.write(&journal.Write{Stream: name, Expected: st.version(), Fence: st.fence, Time: at, Events: []journal.Encoded{journal.Erased()}})
	return st.version(), nil
}

// Trim implements [journal.Keeper].
func (s *Store) Trim(ctx context.Context, name string, r journal.Retention) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return 0, err
	}
	st := s.streams[name]
	switch {
	case st == nil || st.version() == 0:
		return 0, journal.ErrNoStream
	case st.snapshot.Version == 0:
		return 0, journal.ErrNoSnapshot
	}
	limit := r.Limit(s.positions)
	cut := st.snapshot.Version - min(st.snapshot.Version, r.Keep) // The first version that stays.
	for _, e := range st.records {
		if e.Position > limit || !r.Before.IsZero() && !e.Time.Before(r.Before) {
			cut = min(cut, e.Version)
			break
		}
	}
	return s.remove(st, cut), nil
}

// remove removes the events of a stream below a version, and returns how many. Readers may
// still have the old slices. The caller holds mu.
func (s *Store) remove(st *stream, below uint64) uint64 {
	if below <= st.trimmed+1 {
		return 0
	}
	n := below - 1 - st.trimmed
	gone := st.records[:n]
	for _, r := range gone {
		delete(st.done, r.Once)
	}
	name := gone[0].Stream
	s.log = slices.DeleteFunc(slices.Clone(s.log), func(r journal.Record) bool { return r.Stream == name && r.Version < below })
	st.records, st.trimmed = slices.Clone(st.records[n:]), below-1
	return n
}

// Begin implements [journal.Keeper].
func (s *Store) Begin(ctx context.Context, name string, version uint64) error {
	if err := journal.CheckStream(name); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	st := s.stream(name)
	if st.version() > 0 {
		return &journal.ConflictError{Stream: name, Actual: st.version()}
	}
	st.trimmed = version
	return nil
}

// Positions implements [journal.Keeper].
func (s *Store) Positions(ctx context.Context) (map[string]journal.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return maps.Clone(s.positions), nil
}

// MovePosition implements [journal.Keeper].
func (s *Store) MovePosition(ctx context.Context, name string, from, to journal.Position) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	if is := s.positions[name]; is != from {
		return fmt.Errorf("%w: projection %q is at %d, and was to be moved from %d", journal.ErrMoved, name, is, from)
	}
	if s.positions[name] = to; to == 0 {
		delete(s.positions, name)
	}
	return nil
}
