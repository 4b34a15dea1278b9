package sched

import (
	"context"
	"errors"
)

var (
	errNilScheduler = errors.New("sched: GoResult was given a nil scheduler; make one with New")
	errNilFunction  = errors.New("sched: GoResult was given a nil function")
)

// Result is the handle of a job whose function returns a value. See [GoResult].
type Result[T any] struct {
	*Job
	value T // Written before the job ends.
}

// GoResult is [Scheduler.Go] for a function that also returns a value.
func GoResult[T any](ctx context.Context, s *Scheduler, fn func(ctx context.Context) (T, error), opts ...JobOption) (*Result[T], error) {
	switch {
	case fn == nil:
		return nil, errNilFunction
	case s == nil:
		return nil, errNilScheduler
	}
	r := &Result[T]{}
	job, err := s.Go(ctx, func(ctx context.Context) (err error) {
		r.value, err = fn(ctx)
		return err
	}, opts...)
	if err != nil {
		return nil, err
	}
	r.Job = job
	return r, nil
}

// Get waits for the job as [Job.Wait] does, and returns what its function
// returned: the value, or the zero value with the error.
func (r *Result[T]) Get(ctx context.Context) (value T, err error) {
	if r == nil {
		return value, ErrNoJob
	}
	if err = r.Wait(ctx); err == nil {
		value = r.value
	}
	return value, err
}
