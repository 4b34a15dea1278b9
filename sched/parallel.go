package sched

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/workers"
)

// Do calls the functions, at the same time where workers are free, and returns
// when all have returned: their errors joined, in the order of the functions.
// A call that fails does not stop the others. For its context, for panics, and for
// what it means to be called elsewhere than in a job, see [Join].
//
// Do allocates once, besides what the functions capture.
func Do(ctx context.Context, fns ...func(ctx context.Context) error) error {
	for i, fn := range fns {
		if fn == nil {
			return fmt.Errorf("sched: Do was given a nil function, number %d of %d", i+1, len(fns))
		}
	}
	switch len(fns) {
	case 0:
		return nil
	case 1:
		return fns[0](ctx)
	}
	return doAll(ctx, fns)
}

func doAll(ctx context.Context, fns []func(context.Context) error) error {
	if len(fns) == 1 {
		return fns[0](ctx)
	}
	half := len(fns) / 2
	x, y := Join(ctx, doAll, fns[:half], fns[half:])
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return errors.Join(x, y)
}

// For calls body for the numbers from 0 to n-1, range by range, at the same
// time where workers are free, and returns when all calls have returned. A body
// handles the numbers from <= i < to. It gets at most grain of them and, unless
// n is small, at least half as many; the fewer, the better they spread, and the
// more it costs: about 30 ns a call. A grain of 0 makes 16 ranges for each worker.
//
// Once a body has returned an error, or ctx has ended, no further calls begin.
// For returns the error of the lowest range that failed, else the cause of ctx.
// For its context, for panics, and for what it means to be called elsewhere
// than in a job, see [Join]. For allocates once.
func For(ctx context.Context, n, grain int, body func(ctx context.Context, from, to int) error) error {
	switch {
	case body == nil:
		return errors.New("sched: For was given a nil body")
	case n < 0:
		return fmt.Errorf("sched: For was given %d numbers; it must be 0 or more", n)
	case grain < 0:
		return fmt.Errorf("sched: For was given a grain of %d; it must be positive, or 0 for a good one", grain)
	case n == 0:
		return nil
	}
	if grain == 0 {
		grain = chunk(ctx, n)
	}
	l := &loop{body: body, grain: grain}
	forRange(ctx, span{l, 0, n})
	if l.err != nil {
		return l.err
	}
	if l.cut.Load() {
		return context.Cause(ctx)
	}
	return nil
}

// chunksPerWorker is how many ranges For makes for each worker: enough to even
// out that some take longer.
const chunksPerWorker = 16

// chunk returns the length of the ranges where the caller has no wish.
func chunk(ctx context.Context, n int) int {
	ranges := chunksPerWorker
	if f := workers.Current(ctx); f != nil {
		ranges *= f.Scheduler().Workers()
	}
	return max(1, n/ranges)
}

// loop is a call of For.
type loop struct {
	body  func(ctx context.Context, from, to int) error
	grain int
	cut   atomic.Bool // No further calls.

	mu  sync.Mutex
	err error
	at  int // The beginning of the range that returned err.
}

// span is a range of a loop.
type span struct {
	*loop
	from, to int
}

func (l *loop) fail(at int, err error) {
	l.cut.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil || at < l.at {
		l.err, l.at = err, at
	}
}

// forRange halves a range until it is short enough, and calls the body.
func forRange(ctx context.Context, r span) struct{} {
	if r.to-r.from > r.grain {
		half := r.from + (r.to-r.from)/2
		Join(ctx, forRange, span{r.loop, r.from, half}, span{r.loop, half, r.to})
		return struct{}{}
	}
	if r.cut.Load() {
		return struct{}{}
	}
	if ctx.Err() != nil {
		r.cut.Store(true)
		return struct{}{}
	}
	if err := r.body(ctx, r.from, r.to); err != nil {
		r.fail(r.from, err)
	}
	return struct{}{}
}
