package router

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/troupe-go/troupe/actor"
)

// errNotNeeded ends tasks whose results nobody wants any more.
var errNotNeeded = errors.New("router: the results are not needed any more")

// Map does the tasks of a sequence, several at the same time, and yields their
// results one by one, in the order of the tasks, each with the error of its task
// alone: a [*TaskError], which says which task that was and wraps what [Pool.Ask]
// would have returned. Map reads about twice as many tasks ahead as there are workers.
// A loop that is left early ends the tasks that are still under way.
//
// When ctx ends, no more tasks are read. Each task that was read yields a TaskError with the
// cause of ctx; without any, the cause is yielded once.
func (p *Pool[J, R]) Map(ctx context.Context, tasks iter.Seq[J]) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) { p.each(ctx, tasks, yield, false) }
}

// MapUnordered is Map, except that results are yielded as they come.
func (p *Pool[J, R]) MapUnordered(ctx context.Context, tasks iter.Seq[J]) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) { p.each(ctx, tasks, yield, true) }
}

// ahead is how many tasks are under way, as a multiple of the workers: so many
// that one which takes long does not keep the others idle at once.
const ahead = 2

func (p *Pool[J, R]) each(ctx context.Context, tasks iter.Seq[J], yield func(R, error) bool, unordered bool) {
	var none R
	if ctx == nil {
		ctx = context.Background()
	}
	if p.missing() {
		yield(none, ErrNoPool)
		return
	}
	if tasks == nil {
		yield(none, errors.New("router: Map was given a nil sequence"))
		return
	}
	c := p.core()
	inner, cancel := context.WithCancelCause(ctx)
	var window []*work[J, R]
	var indexes []int // The indexes of the tasks in window.
	defer func() {
		cancel(errNotNeeded)
		for _, w := range window {
			c.giveUp(inner, w)
		}
	}()
	take := func() bool {
		i := 0
		if unordered {
			i = max(0, c.awaitAny(inner, window))
		}
		w, index := window[i], indexes[i]
		window, indexes = slices.Delete(window, i, i+1), slices.Delete(indexes, i, i+1)
		v, err := c.await(inner, w)
		if err != nil {
			err = &TaskError{Index: index, Task: w.task, Err: err}
		}
		return yield(v, err)
	}
	read := 0
	for task := range tasks {
		if ctx.Err() != nil {
			break
		}
		window, indexes = append(window, c.begin(inner, p.lane, task)), append(indexes, read)
		read++
		for len(window) >= ahead*c.cfg.Workers {
			if !take() {
				return
			}
		}
	}
	if ctx.Err() != nil && len(window) == 0 {
		yield(none, context.Cause(ctx))
		return
	}
	for len(window) > 0 {
		if !take() {
			return
		}
	}
}

// begin takes a task on. If that fails, the task is over, with the error.
func (c *pool[J, R]) begin(ctx context.Context, l actor.Lane, task J) *work[J, R] {
	w, err := c.newWork(ctx, l, task, true)
	if err == nil {
		err = c.submit(ctx, w, true, false)
	}
	if err != nil {
		w = &work[J, R]{p: c, task: task, stage: over, err: err}
	}
	return w
}
