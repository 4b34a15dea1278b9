package demo

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/cmd/troupe/internal/word"
)

// recount is a plain sequential count of the whole tree: one goroutine, one map, one buffer. It shares with the troupe
// what a file and a word is, and nothing else.
type recount struct {
	tree   tree
	tally  Tally
	counts map[string]*uint64
	took   time.Duration
	meter  *meter
	buf    []byte
}

// meter shows watchers how far a loop has come.
type meter struct {
	files atomic.Int64
	bytes atomic.Int64
	total int
}

func (m *meter) tally() Tally {
	return Tally{Done: int(m.files.Load()), Bytes: m.bytes.Load(), Total: m.total}
}

// unstuck calls f and returns its error. When the context ends, f is expected to return soon; if it doesn't, because a
// read is stuck, it is left behind, and the error is the context's.
func unstuck(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(leaveTime):
		return ctx.Err()
	}
}

// readAll reads all files and counts nothing, so that all later passes find the same page cache.
func readAll(ctx context.Context, tree tree, meter *meter) error {
	r := recount{tree: tree, meter: meter}
	return r.each(ctx, func([]byte) error { return nil })
}

// run counts all files. It ends early only when the context does.
func (r *recount) run(ctx context.Context) error {
	r.counts = make(map[string]*uint64)
	began := time.Now()
	err := r.each(ctx, func(text []byte) error { return r.count(ctx, text) })
	r.took = time.Since(began)
	return err
}

// each reads the files one after the other and calls visit with each text.
func (r *recount) each(ctx context.Context, visit func(text []byte) error) error {
	pause := func() error { return ctx.Err() }
	return r.tree.walk(func(path string) error {
		text, why, err := r.tree.read(path, r.buf, pause)
		if err != nil {
			return err
		}
		r.buf = text[:0]
		r.meter.files.Add(1)
		if why != Counted {
			r.tally.Skipped[why]++
			return ctx.Err()
		}
		r.meter.bytes.Add(int64(len(text)))
		r.tally.Files++
		r.tally.Bytes += int64(len(text))
		return visit(text)
	}, func(why Reason) error {
		r.tally.Skipped[why]++
		return ctx.Err()
	})
}

func (r *recount) count(ctx context.Context, text []byte) error {
	const step = 1 << 20
	for s := word.NewScanner(text); !s.Done(); {
		limit := s.Pos() + step
		for w := s.Next(limit); w != nil; w = s.Next(limit) {
			r.tally.Words++
			if n := r.counts[string(w)]; n != nil {
				*n++
			} else {
				one := uint64(1)
				r.counts[string(w)] = &one
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
