package strand

import (
	"context"

	"github.com/troupe-go/troupe/internal/workers"
)

// Result is the handle of a strand whose function returns a value. See [Call].
type Result[T any] struct {
	Strand
	value T // Written before the strand ends.
}

// Call is [Go] for a function that also returns a value.
func Call[T any](ctx context.Context, fn func(s *Strand) (T, error), opts ...Option) (*Result[T], error) {
	if fn == nil {
		return nil, errNilFunction
	}
	r := &Result[T]{}
	r.fn = func(s *Strand) (err error) {
		r.value, err = fn(s)
		return err
	}
	if err := r.start(ctx, opts); err != nil {
		return nil, err
	}
	return r, nil
}

// Join is [Strand.Join], and also returns the value: the zero value with an
// error.
func (r *Result[T]) Join(ctx context.Context) (value T, err error) {
	if r == nil {
		return value, workers.ErrNoJob
	}
	if err = r.Wait(ctx); err == nil {
		value = r.value
	}
	return value, err
}
