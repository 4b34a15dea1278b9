package memory

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/internal/guard"
)

// tableData is a table, guarded by the store's mu.
type tableData struct {
	revision uint64
	entries  map[string]*entry
}

// entry is a value, or a deletion. It does not change.
type entry struct {
	value    []byte
	revision uint64
	deleted  bool
	ends     time.Time // Zero for never.
}

// table is a table for one node.
type table struct {
	e     *Engine
	name  string
	where string
	data  *tableData
	guard *guard.Guard
}

// set stores an entry with the next revision. The caller holds the store's mu.
func (d *tableData) set(s *Store, key string, en *entry) uint64 {
	old, before := d.entries[key], d.revision
	d.revision++
	en.revision = d.revision
	d.entries[key] = en
	d.arm(s, key, en)
	s.undoable(func() {
		d.revision = before
		if old == nil {
			delete(d.entries, key)
			return
		}
		d.entries[key] = old
		d.arm(s, key, old)
	})
	return en.revision
}

// arm has the entry end at its time.
func (d *tableData) arm(s *Store, key string, en *entry) {
	if en.ends.IsZero() {
		return
	}
	time.AfterFunc(time.Until(en.ends), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if d.entries[key] == en {
			d.set(s, key, &entry{deleted: true})
			s.wake()
		}
	})
}

// live returns the entry of a key that has a value, or nil.
func (d *tableData) live(key string) *entry {
	if en := d.entries[key]; en != nil && !en.deleted {
		return en
	}
	return nil
}

// Get implements [engine.Table].
func (t *table) Get(ctx context.Context, key string) (engine.Entry, error) {
	if err := engine.CheckSubject("key", key); err != nil {
		return engine.Entry{}, err
	}
	if err := t.e.read(ctx, Op{Node: t.e.node, Kind: "get", Name: t.name, Key: key}); err != nil {
		return engine.Entry{}, err
	}
	s := t.e.store
	s.mu.Lock()
	defer s.mu.Unlock()
	en := t.data.live(key)
	if en == nil {
		return engine.Entry{}, t.missing(key)
	}
	t.guard.Saw(en.revision)
	return engine.Entry{Key: key, Value: bytes.Clone(en.value), Revision: en.revision}, nil
}

func (t *table) missing(key string) error {
	return fmt.Errorf("engine: %s: key %q is %w", t.where, key, engine.ErrNotFound)
}

// Put implements [engine.Table].
func (t *table) Put(ctx context.Context, key string, value []byte, expected uint64, ttl time.Duration) (uint64, error) {
	if err := engine.CheckPut(key, value, ttl); err != nil {
		return 0, err
	}
	value = bytes.Clone(value)
	return t.e.write(ctx, Op{Node: t.e.node, Kind: "put", Name: t.name, Key: key}, t.guard, func() result {
		if err := t.expect(key, expected); err != nil {
			return result{err: err}
		}
		en := &entry{value: value}
		if ttl > 0 {
			en.ends = time.Now().Add((ttl + time.Second - 1).Truncate(time.Second))
		}
		return result{revision: t.data.set(t.e.store, key, en), fresh: true}
	})
}

// Delete implements [engine.Table].
func (t *table) Delete(ctx context.Context, key string, expected uint64) (uint64, error) {
	if err := engine.CheckSubject("key", key); err != nil {
		return 0, err
	}
	return t.e.write(ctx, Op{Node: t.e.node, Kind: "delete", Name: t.name, Key: key}, t.guard, func() result {
		if t.data.live(key) == nil {
			return result{err: t.missing(key)}
		}
		if err := t.expect(key, expected); err != nil {
			return result{err: err}
		}
		return result{revision: t.data.set(t.e.store, key, &entry{deleted: true}), fresh: true}
	})
}

// expect returns a conflict unless the key has the expected revision.
func (t *table) expect(key string, expected uint64) error {
	var actual uint64
	if en := t.data.live(key); en != nil {
		actual = en.revision
	}
	if expected == engine.Any || expected == actual {
		return nil
	}
	return &engine.ConflictError{Where: t.where, Key: key, Expected: expected, Actual: actual}
}

// Watch implements [engine.Table]. It reads the table after each change, so a slow watcher
// needs no queue.
func (t *table) Watch(ctx context.Context, after uint64) iter.Seq2[engine.Change, error] {
	return func(yield func(engine.Change, error) bool) {
		what, current, s := "watch of "+t.where, false, t.e.store
		from := after
		for {
			if err := t.e.usable(ctx, what); err != nil {
				yield(engine.Change{}, err)
				return
			}
			s.mu.Lock()
			changes, revision, changed := t.data.since(after, from == 0 && !current), t.data.revision, s.changed
			if s.headless {
				changes, revision = nil, max(revision, after)
			}
			headless := s.headless
			s.mu.Unlock()
			if revision < after && current {
				yield(engine.Change{}, fmt.Errorf("engine: %s: the table is at revision %d, and this watch has seen %d: %w", what, revision, after, engine.ErrAmnesia))
				return
			}
			for _, c := range changes {
				t.guard.Saw(c.Revision)
				after = max(after, c.Revision)
				if !yield(c, nil) {
					return
				}
			}
			if !current && !headless {
				current = true
				if !yield(engine.Change{Current: true}, nil) {
					return
				}
			}
			select {
			case <-changed:
			case <-ctx.Done():
			case <-t.e.closed:
			}
		}
	}
}

// since returns the states after a revision, in order.
func (d *tableData) since(after uint64, live bool) (changes []engine.Change) {
	for key, en := range d.entries {
		if en.revision > after && (!live || !en.deleted) {
			changes = append(changes, engine.Change{Entry: engine.Entry{Key: key, Value: bytes.Clone(en.value), Revision: en.revision}, Deleted: en.deleted})
		}
	}
	slices.SortFunc(changes, func(a, b engine.Change) int { return cmp.Compare(a.Revision, b.Revision) })
	return changes
}
