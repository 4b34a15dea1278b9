package shards_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// way is the way of one node to the engine. It fails as the test wants it.
type way struct {
	mu      sync.Mutex
	random  *rand.Rand
	there   bool          // Calls arrive.
	back    bool          // Answers and changes arrive.
	slow    time.Duration // Each direction takes a part of it.
	late    time.Duration // Answers to writes take as long besides.
	doubles bool          // Changes come twice, and old ones come again. Reads are old ones.
	resumed chan struct{} // Closed unless the node is paused: then nothing arrives or leaves, and its calls return later.
	changed chan struct{} // Closed when there or back change.
}

func newWay(seed uint64) *way {
	w := &way{random: rand.New(rand.NewPCG(seed, 7)), there: true, back: true, resumed: make(chan struct{}), changed: make(chan struct{})}
	close(w.resumed)
	return w
}

func (w *way) set(there, back bool, slow time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.there, w.back, w.slow, w.late = there, back, slow, 0
	close(w.changed)
	w.changed = make(chan struct{})
}

// delay has answers to writes come late.
func (w *way) delay(late time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.late = late
}

// lateness returns how late an answer is.
func (w *way) lateness() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.late
}

func (w *way) double(yes bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.doubles = yes
}

// pause stops the node, and returns what has it go on.
func (w *way) pause() (resume func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.resumed:
	default:
		return func() {}
	}
	resumed := make(chan struct{})
	w.resumed = resumed
	return sync.OnceFunc(func() { close(resumed) })
}

// running waits while the node is paused.
func (w *way) running() {
	w.mu.Lock()
	resumed := w.resumed
	w.mu.Unlock()
	<-resumed
}

func (w *way) state() (there, back bool, delay time.Duration, changed chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.slow > 0 {
		delay = time.Duration(w.random.Int64N(int64(w.slow)))
	}
	return w.there, w.back, delay, w.changed
}

// chance reports true once in n times while changes are doubled.
func (w *way) chance(n int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.doubles && w.random.IntN(n) == 0
}

// pass takes the time of one direction.
func (w *way) pass(ctx context.Context, d time.Duration) bool {
	defer w.running()
	if d == 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// line is a table at the end of a way.
type line struct {
	engine.Table
	*way

	replays bool // Whether old changes may come again.
	past    map[string][]engine.Entry
	pastMu  sync.Mutex
}

func newLine(table engine.Table, w *way, replays bool) *line {
	return &line{Table: table, way: w, replays: replays, past: map[string][]engine.Entry{}}
}

// old returns something that the key had once, or what it has.
func (l *line) old(e engine.Entry) engine.Entry {
	l.pastMu.Lock()
	defer l.pastMu.Unlock()
	l.past[e.Key] = append(l.past[e.Key], e)
	if all := l.past[e.Key]; l.chance(3) {
		l.mu.Lock()
		defer l.mu.Unlock()
		return all[l.random.IntN(len(all))]
	}
	return e
}

func (l *line) Get(ctx context.Context, key string) (engine.Entry, error) {
	l.running()
	there, _, delay, _ := l.state()
	if !there || !l.pass(ctx, delay) {
		return engine.Entry{}, fmt.Errorf("cut: %w", engine.ErrUnavailable)
	}
	e, err := l.Table.Get(ctx, key)
	_, back, delay, _ := l.state()
	if !back || !l.pass(ctx, delay) {
		return engine.Entry{}, fmt.Errorf("cut: %w", engine.ErrUnavailable)
	}
	if err == nil {
		e = l.old(e)
	}
	return e, err
}

func (l *line) Put(ctx context.Context, key string, value []byte, expected uint64, ttl time.Duration) (uint64, error) {
	l.running()
	there, _, delay, _ := l.state()
	if !there || !l.pass(ctx, delay) {
		return 0, fmt.Errorf("cut: %w", engine.ErrUnavailable)
	}
	revision, err := l.Table.Put(ctx, key, value, expected, ttl)
	_, back, delay, _ := l.state()
	if !back || !l.pass(ctx, delay+l.lateness()) {
		return 0, fmt.Errorf("cut: %w", engine.ErrUnknownOutcome)
	}
	return revision, err
}

func (l *line) Watch(ctx context.Context, after uint64) iter.Seq2[engine.Change, error] {
	return func(yield func(engine.Change, error) bool) {
		for c, err := range l.Table.Watch(ctx, after) {
			for {
				there, back, delay, changed := l.state()
				if there && back && l.pass(ctx, delay) {
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
			if err != nil || c.Current || c.Deleted || !l.replays {
				continue
			}
			if old := l.old(c.Entry); l.chance(2) && !yield(engine.Change{Entry: old}, nil) {
				return
			}
		}
	}
}
