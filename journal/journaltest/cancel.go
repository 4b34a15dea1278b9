package journaltest

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/troupe-go/troupe/journal"
)

// errLeft is why the contexts end.
var errLeft = errors.New("journaltest: the caller has left")

// cancelling makes each call before with a context that has ended.
type cancelling struct {
	journal.Store
	t *testing.T
}

func beneath(s journal.Store) journal.Store {
	if c, ok := s.(*cancelling); ok {
		return c.Store
	}
	return s
}

func ended(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(errLeft)
	return ctx
}

// left fails the test unless err says that the context has ended.
func (c *cancelling) left(call string, err error) {
	c.t.Helper()
	if !errors.Is(err, errLeft) && !errors.Is(err, context.Canceled) {
		c.t.Errorf("%s with a context that has ended returns %v, want the cause of its end", call, err)
	}
}

func (c *cancelling) Append(ctx context.Context, batch []*journal.Write) error {
	c.t.Helper()
	if ctx.Err() == nil && len(batch) > 0 {
		copies := make([]*journal.Write, len(batch))
		for i, w := range batch {
			other := *w
			copies[i] = &other
		}
		err := c.Store.Append(ended(ctx), copies)
		if real := c.Store.Append(ctx, batch); real != nil || err == nil {
			if err == nil {
				c.t.Errorf("Append with a context that has ended returns nil")
			}
			return real // It may be refused for another reason than the context.
		}
		c.left("Append", err)
		return nil
	}
	return c.Store.Append(ctx, batch)
}

func (c *cancelling) Read(ctx context.Context, stream string, after uint64) iter.Seq2[journal.Record, error] {
	return c.twice(ctx, "Read", func(ctx context.Context) iter.Seq2[journal.Record, error] {
		return c.Store.Read(ctx, stream, after)
	})
}

func (c *cancelling) Feed(ctx context.Context, after journal.Position, f journal.Filter) iter.Seq2[journal.Record, error] {
	return c.twice(ctx, "Feed", func(ctx context.Context) iter.Seq2[journal.Record, error] {
		return c.Store.Feed(ctx, after, f)
	})
}

// twice reads as it is, and then with a context that ends at the first record. The latter
// must end with its cause, unless it yields no less.
func (c *cancelling) twice(ctx context.Context, call string, read func(context.Context) iter.Seq2[journal.Record, error]) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		c.t.Helper()
		var records []journal.Record
		var failed error
		for r, err := range read(ctx) {
			if failed = err; err == nil {
				records = append(records, r)
			}
		}
		ends, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		n, last := 0, error(nil)
		for _, err := range read(ends) {
			if last = err; err == nil {
				n++
			}
			cancel(errLeft)
		}
		switch {
		case failed != nil:
		case last != nil:
			c.left(call, last)
		case n < len(records):
			c.t.Errorf("%s with a context that ends yields %d of %d records, and no error", call, n, len(records))
		}
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
		if failed != nil {
			yield(journal.Record{}, failed)
		}
	}
}

func (c *cancelling) SaveSnapshot(ctx context.Context, s journal.Snapshot) error {
	c.t.Helper()
	err := c.Store.SaveSnapshot(ended(ctx), s)
	if real := c.Store.SaveSnapshot(ctx, s); real != nil {
		return real
	}
	c.left("SaveSnapshot", err)
	return nil
}

func (c *cancelling) LoadSnapshot(ctx context.Context, stream string) (journal.Snapshot, error) {
	c.t.Helper()
	_, err := c.Store.LoadSnapshot(ended(ctx), stream)
	s, real := c.Store.LoadSnapshot(ctx, stream)
	if real == nil {
		c.left("LoadSnapshot", err)
	}
	return s, real
}
