// Package memory has a journal store that keeps everything in memory: for tests, and
// for simulations, in which it crashes on order.
package memory

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/journal"
)

// ErrCrashed is returned by a store that has crashed; see [Store.Inject]. A Restart has
// what was durable.
var ErrCrashed = errors.New("memory: the store has crashed; Restart returns what is left of it")

// errRefused is the error of [Refuse].
var errRefused = errors.New("memory: an injected failure before the commit")

// Store implements [journal.Store]. Its methods may be called by several goroutines.
type Store struct {
	mu        sync.Mutex
	streams   map[string]*stream
	log       []journal.Record            // All events, by their positions.
	head      journal.Position            // Of the last event that was stored.
	positions map[string]journal.Position // Of projections.
	inject    func(batch []*journal.Write) Fault
	crashed   bool
	closed    bool
}

// stream is what is known of one stream. The slice of records grows, or is replaced.
type stream struct {
	records  []journal.Record
	trimmed  uint64 // How many were removed.
	fence    uint64
	done     map[string]bool
	snapshot journal.Snapshot
}

func (st *stream) version() uint64 { return st.trimmed + uint64(len(st.records)) }

var _ journal.Store = (*Store)(nil)

// New returns an empty store.
func New() *Store {
	return &Store{streams: map[string]*stream{}, positions: map[string]journal.Position{}}
}

// Close makes all further calls return [journal.ErrClosed].
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// usable returns an error if the store can't be used. The caller holds mu.
func (s *Store) usable(ctx context.Context) error {
	switch {
	case s.closed:
		return journal.ErrClosed
	case s.crashed:
		return fmt.Errorf("%w: %w", journal.ErrClosed, ErrCrashed)
	}
	return context.Cause(ctx)
}

// Append implements [journal.Store].
func (s *Store) Append(ctx context.Context, batch []*journal.Write) error {
	for _, w := range batch {
		if err := journal.CheckStream(w.Stream); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	fault := None
	if s.inject != nil {
		fault = s.inject(batch)
	}
	if fault == Refuse {
		return errRefused
	}
	s.crashed = fault == CrashBefore || fault == CrashAfter
	if fault != CrashBefore {
		for _, w := range batch {
			s.write(w)
		}
	}
	if fault == None {
		return nil
	}
	return fmt.Errorf("%w: an injected failure of the commit", journal.ErrUnknownOutcome)
}

// stream returns a stream, which it makes if there is none. The caller holds mu.
func (s *Store) stream(name string) *stream {
	st := s.streams[name]
	if st == nil {
		st = &stream{done: map[string]bool{}}
		s.streams[name] = st
	}
	return st
}

// write stores one write, or refuses it. The caller holds mu.
func (s *Store) write(w *journal.Write) {
	st := s.stream(w.Stream)
	version := st.version()
	admitted := w.Admit(version, st.fence, st.done[w.Once])
	st.fence = max(st.fence, w.Fence)
	if !admitted {
		return
	}
	for i, e := range w.Events {
		s.head++
		r := journal.Record{Stream: w.Stream, Version: version + uint64(i) + 1, Position: s.head, Time: w.Time, Encoded: e}
		r.Data = bytes.Clone(e.Data)
		if i == 0 && w.Once != "" {
			r.Once = w.Once
			st.done[w.Once] = true
		}
		st.records = append(st.records, r)
		s.log = append(s.log, r)
	}
}

// Read implements [journal.Store].
func (s *Store) Read(ctx context.Context, name string, after uint64) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		s.mu.Lock()
		err := s.usable(ctx)
		var records []journal.Record
		if st := s.streams[name]; st != nil && after < st.version() {
			records = st.records[max(after, st.trimmed)-st.trimmed:]
		}
		s.mu.Unlock()
		yieldAll(ctx, records, journal.Filter{}, err, yield)
	}
}

// Feed implements [journal.Store].
func (s *Store) Feed(ctx context.Context, after journal.Position, f journal.Filter) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		s.mu.Lock()
		err := s.usable(ctx)
		from, found := slices.BinarySearchFunc(s.log, after, func(r journal.Record, p journal.Position) int { return cmp.Compare(r.Position, p) })
		if found {
			from++
		}
		records := s.log[from:]
		s.mu.Unlock()
		yieldAll(ctx, records, f, err, yield)
	}
}

func yieldAll(ctx context.Context, records []journal.Record, f journal.Filter, err error, yield func(journal.Record, error) bool) {
	for _, r := range records {
		if err != nil {
			break
		}
		r.Data = bytes.Clone(r.Data)
		if f.Matches(r) && !yield(r, nil) {
			return
		}
		err = context.Cause(ctx)
	}
	if err != nil {
		yield(journal.Record{}, err)
	}
}

// SaveSnapshot implements [journal.Store].
func (s *Store) SaveSnapshot(ctx context.Context, snap journal.Snapshot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	st := s.streams[snap.Stream]
	if st == nil || snap.Version > st.version() {
		return fmt.Errorf("%w: stream %q, version %d", journal.ErrSnapshotAhead, snap.Stream, snap.Version)
	}
	if snap.Version >= st.snapshot.Version && snap.Version > st.trimmed {
		snap.Data = bytes.Clone(snap.Data)
		st.snapshot = snap
	}
	return nil
}

// LoadSnapshot implements [journal.Store].
func (s *Store) LoadSnapshot(ctx context.Context, name string) (journal.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return journal.Snapshot{}, err
	}
	st := s.streams[name]
	if st == nil {
		return journal.Snapshot{}, nil
	}
	snap := st.snapshot
	snap.Data = bytes.Clone(snap.Data)
	return snap, nil
}

// Restart returns a store with what this one has on its disk, as after a crash. The
// other one can't be used any more. Faults are injected no longer.
func (s *Store) Restart() *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.crashed = true
	fresh := &Store{streams: map[string]*stream{}, log: slices.Clone(s.log), head: s.head, positions: maps.Clone(s.positions)}
	for name, st := range s.streams {
		fresh.streams[name] = &stream{slices.Clone(st.records), st.trimmed, st.fence, maps.Clone(st.done), st.snapshot}
	}
	return fresh
}
