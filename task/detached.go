package task

import (
	"context"

	"github.com/troupe-go/troupe/internal/invariants"
)

// Detach starts a task that belongs to nobody: it is not waited for, outlives the caller,
// and does not end with ctx. It only has the values of ctx. It is listed by [Detached]; a
// Stop of its scheduler waits for it, and cancels it, with the cause [sched.ErrStopped],
// when the Stop's context ends.
//
// It is the one way to let work run on by itself, so that a reader finds it by
// searching for the word. An error that nobody looks at is lost: look at the
// handle, or have fn report it.
func Detach[T any](ctx context.Context, fn func(ctx context.Context) (T, error), opts ...Option) (*Task[T], error) {
	g, err := NewGroup[T](ctx, AllCompleted[T](), append(opts[:len(opts):len(opts)], asDetached)...)
	if err != nil {
		return nil, err
	}
	t, err := g.Go(fn)
	if err != nil {
		return nil, err
	}
	invariants.Yield()
	t.Detach()
	return t, nil
}

func asDetached(o *options) { o.detached = true }
