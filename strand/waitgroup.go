package strand

import (
	"context"
	"sync"

	"github.com/troupe-go/troupe/internal/workers"
)

// WaitGroup waits until a number of things have been done, like a sync.WaitGroup:
// a strand that waits suspends and holds no worker. The zero WaitGroup has nothing
// to wait for; it must not be copied. Goroutines may use it too.
type WaitGroup struct {
	mu      sync.Mutex
	n       int
	waiters waiters
}

// Add changes the counter by n. When it becomes zero, all who wait go on. It
// returns [ErrNegative], and changes nothing, if it would fall below zero. For ctx
// see [Strand.Unpark].
func (g *WaitGroup) Add(ctx context.Context, n int) error { return g.add(workers.Current(ctx), n) }

func (g *WaitGroup) add(from *workers.Fiber, n int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n+n < 0 {
		return ErrNegative
	}
	if g.n += n; g.n == 0 {
		for g.waiters.wakeOne(from) {
		}
	}
	return nil
}

// Done is Add of -1.
func (g *WaitGroup) Done(ctx context.Context) error { return g.Add(ctx, -1) }

// Go starts fn as a strand, and counts it until it has ended, however it does.
// Its error is the strand's own. See the function [Go].
func (g *WaitGroup) Go(ctx context.Context, fn func(s *Strand) error, opts ...Option) (*Strand, error) {
	if fn == nil {
		return nil, errNilFunction
	}
	if err := g.Add(ctx, 1); err != nil {
		return nil, err
	}
	s := &Strand{fn: fn, group: g}
	if err := s.start(ctx, opts); err != nil {
		_ = g.Done(ctx) // It was counted above.
		return nil, err
	}
	return s, nil
}

// Wait waits until the counter is zero. It returns the cause if ctx ends first.
func (g *WaitGroup) Wait(ctx context.Context) error {
	if ctx == nil {
		return errNilContext
	}
	g.mu.Lock()
	if g.n == 0 {
		g.mu.Unlock()
		return nil
	}
	return g.waiters.wait(ctx, &g.mu, nil, "for a wait group")
}
