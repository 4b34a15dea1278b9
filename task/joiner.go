package task

import (
	"errors"
	"iter"
	"unsafe"

	"github.com/troupe-go/troupe/internal/workers"
)

// Joiner decides when a group has its result, and what that is. Use
// [AllCompleted], [FirstFailure], [FirstSuccess] or [Quorum], or write one. A
// Joiner that keeps state can be used for one group only.
type Joiner[T any] interface {
	// Decide is called when a task has ended, one call at a time, in the order in
	// which they ended, and once with a nil task when Join is first called: from
	// then on c.Started grows only if the tasks themselves start more. If it
	// returns true the result is decided: the tasks that are left are cancelled,
	// and Decide is not called again.
	Decide(t *Task[T], c Count) bool
	// Result is called once, by Join, after all tasks have ended. It returns the
	// values and the error of Join.
	Result(o Outcome[T]) ([]T, error)
}

// Count says what has become of a group's tasks.
type Count struct {
	Started   int // All.
	Succeeded int // Returned without an error.
	Failed    int // Returned an error, panicked, or called runtime.Goexit.
	Cancelled int // Were cancelled, and ended for that reason or never began.
	// Joining says that Join was called: more tasks come only if those that are
	// left start them.
	Joining bool
}

// Left returns how many have not ended.
func (c Count) Left() int { return c.Started - c.Succeeded - c.Failed - c.Cancelled }

// Outcome is a group all of whose tasks have ended.
type Outcome[T any] struct {
	Tasks []*Task[T] // In the order of Go.
	// Decided is the task with which Decide returned true, or nil.
	Decided *Task[T]
	Count   Count

	group *Group[T]
}

// each is an iterator over the tasks, also for a joiner of this package, for which
// there is no slice.
func (o Outcome[T]) each(yield func(*Task[T]) bool) {
	if o.Tasks == nil && o.group != nil {
		o.group.all(yield)
		return
	}
	for _, t := range o.Tasks {
		if !yield(t) {
			return
		}
	}
}

// Ended returns an iterator over the tasks in the order in which they ended.
func (o Outcome[T]) Ended() iter.Seq[*Task[T]] {
	return func(yield func(*Task[T]) bool) {
		if o.group == nil {
			return
		}
		for t := o.group.ended.first; t != nil && yield(t); t = t.next {
		}
	}
}

// Values returns the tasks' values in the order of Go, with the zero value for
// those that did not succeed.
func (o Outcome[T]) Values() []T {
	counted := o.group != nil && o.group.builtin // Else Tasks and Count may be anything.
	if counted && unsafe.Sizeof(*new(T)) == 0 {
		return make([]T, o.Count.Started) // All that there is to tell.
	}
	all := counted && o.Count.Succeeded == o.Count.Started
	values := make([]T, 0, max(len(o.Tasks), o.Count.Started))
	for t := range o.each {
		var value T
		if all || t.State() == workers.JobCompleted {
			value = t.value
		}
		values = append(values, value)
	}
	return values
}

// withLaterFailures joins err, the error of Decided, with the errors of other tasks that are
// more than cancellations.
func (o Outcome[T]) withLaterFailures(err error) error {
	errs := []error{err}
	for t := range o.each {
		if t == o.Decided || t.State() == workers.JobCompleted {
			continue
		}
		if _, later := t.Result(); !onlyCancelled(later, nil) {
			errs = append(errs, later)
		}
	}
	if len(errs) == 1 {
		return err
	}
	return errors.Join(errs...)
}

// Err returns the errors of the tasks, joined, in the order of Go, and nil if
// all succeeded. Of the tasks that were cancelled with their group it has the
// first only, and of those that were no longer needed none; but all that have failed
// besides, as in their clean-up.
func (o Outcome[T]) Err() error {
	if o.Count.Succeeded == o.Count.Started {
		return nil
	}
	var errs []error
	told := false
	for t := range o.each {
		_, err := t.Result()
		if err == nil {
			continue
		}
		if t.known() && t.endedWithGroup(err) {
			if (told || t.notNeeded(err)) && onlyCancelled(err, nil) {
				continue
			}
			told = true
		}
		errs = append(errs, err)
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}
