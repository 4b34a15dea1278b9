package membership_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// line is the way of one node to the table. It fails as the test wants it.
type line struct {
	engine.Table
	random *rand.Rand // Guarded by mu.

	mu      sync.Mutex
	there   bool          // Calls arrive.
	back    bool          // Answers and changes arrive.
	slow    time.Duration // Each way takes a part of it.
	changed chan struct{} // Closed when there or back change.
}

func newLine(table engine.Table, seed uint64) *line {
	return &line{Table: table, random: rand.New(rand.NewPCG(seed, 7)), there: true, back: true, changed: make(chan struct{})}
}

func (l *line) set(there, back bool, slow time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.there, l.back, l.slow = there, back, slow
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *line) state() (there, back bool, delay time.Duration, changed chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slow > 0 {
		delay = time.Duration(l.random.Int64N(int64(l.slow)))
	}
	return l.there, l.back, delay, l.changed
}

// way takes the time of one way.
func (l *line) way(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (l *line) Get(ctx context.Context, key string) (engine.Entry, error) {
	there, _, delay, _ := l.state()
	if !there || !l.way(ctx, delay) {
		return engine.Entry{}, fmt.Errorf("cut: %w", engine.ErrUnavailable)
	}
	e, err := l.Table.Get(ctx, key)
	_, back, delay, _ := l.state()
	if !back || !l.way(ctx, delay) {
		return engine.Entry{}, fmt.Errorf("cut: %w", engine.ErrUnavailable)
	}
	return e, err
}

func (l *line) Put(ctx context.Context, key string, value []byte, expected uint64, ttl time.Duration) (uint64, error) {
	there, _, delay, _ := l.state()
	if !there || !l.way(ctx, delay) {
		return 0, fmt.Errorf("cut: %w", engine.ErrUnavailable)
	}
	revision, err := l.Table.Put(ctx, key, value, expected, ttl)
	_, back, delay, _ := l.state()
	if !back || !l.way(ctx, delay) {
		return 0, fmt.Errorf("cut: %w", engine.ErrUnknownOutcome)
	}
	return revision, err
}

func (l *line) Watch(ctx context.Context, after uint64) iter.Seq2[engine.Change, error] {
	return func(yield func(engine.Change, error) bool) {
		for c, err := range l.Table.Watch(ctx, after) {
			for {
				there, back, delay, changed := l.state()
				if there && back && l.way(ctx, delay) {
					break
				}
				select {
				case <-changed:
				case <-ctx.Done():
					return
				}
			}
			if !yield(c, err) {
				return
			}
		}
	}
}
