package journal

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// Journal writes to a store in groups: all that comes while one commit runs is the next
// commit. Programs make one Journal for each store and share it. It is safe for
// concurrent use, and needs no end: when nothing is written, nothing runs.
type Journal struct {
	store Store

	mu      sync.Mutex
	queue   []*entry
	running bool
	watch   []*watcher
	beside  uint64 // Changes that were no commits of the queue.
	living  map[key]*living
	stats   Stats
}

// New returns the journal of a store. A nil store is an error of each use.
func New(store Store) *Journal { return &Journal{store: store} }

// Store returns the store beneath.
func (j *Journal) Store() Store { return j.store }

// Append appends one write to a stream, in a commit with others, and returns when it is
// on disk. It is for writers that are no actors of this package; those call
// [Context.Persist]. It returns the write's Err, or the error of the commit. If ctx ends
// before the commit begins, nothing is stored, and Append returns its cause; an end that
// comes later does not matter.
func (j *Journal) Append(ctx context.Context, w *Write) error {
	if err := j.check(w); err != nil {
		return err
	}
	_, err := j.append(ctx, w, nil)
	return err
}

// append is Append of a write that was checked. It reports whether the commit has begun:
// if not, nothing is stored.
func (j *Journal) append(ctx context.Context, w *Write, s *workers.Scheduler) (begun bool, err error) {
	w.Err = nil
	if w.Time.IsZero() {
		w.Time = time.Now()
	}
	begun, err = j.commit(ctx, w, s)
	if err == nil || !begun {
		return begun, err
	}
	return true, fmt.Errorf("journal: stream %q, %d events at version %s: %w", w.Stream, len(w.Events), versionText(w.Expected), err)
}

func versionText(v uint64) string {
	if v == AnyVersion {
		return "any"
	}
	return fmt.Sprint(v)
}

// check says what is wrong with a write before it costs anybody a commit.
func (j *Journal) check(w *Write) error {
	switch {
	case j == nil || j.store == nil:
		return errNoStore
	case w.Fence > MaxFence:
		return fmt.Errorf("journal: stream %q: the fence %d; the limit is %d", w.Stream, w.Fence, MaxFence)
	case len(w.Once) > MaxOnce:
		return fmt.Errorf("journal: stream %q: the command id has %d bytes; the limit is %d", w.Stream, len(w.Once), MaxOnce)
	}
	for _, e := range w.Events {
		if err := checkType(e.Type); err != nil {
			return fmt.Errorf("stream %q: %w", w.Stream, err)
		}
		if len(e.Data) > MaxEvent {
			return fmt.Errorf("journal: stream %q: event %q takes %d bytes; the limit is %d", w.Stream, e.Type, len(e.Data), MaxEvent)
		}
	}
	return CheckStream(w.Stream)
}

// CheckStream returns an error if the name of a stream is empty or too long. Stores call
// it, too.
func CheckStream(stream string) error {
	if stream == "" || len(stream) > MaxStream {
		return fmt.Errorf("journal: a stream name of %d bytes; it must have 1 to %d", len(stream), MaxStream)
	}
	return nil
}
