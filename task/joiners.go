package task

import (
	"fmt"

	"github.com/troupe-go/troupe/internal/workers"
)

// AllCompleted waits for all tasks and never cancels one. Join returns the values
// in the order of Go, with the zero value for a task that failed, and the errors,
// joined.
func AllCompleted[T any]() Joiner[T] { return allCompleted[T]{} }

// FirstFailure waits for all tasks until one fails; then the others are
// cancelled and Join returns that error, without values. Where others fail too before
// they have ended, as in their clean-up, it is joined with theirs. Otherwise Join returns
// the values in the order of Go. A task that was cancelled by itself has not failed:
// the others go on, and Join returns its error at the end.
func FirstFailure[T any]() Joiner[T] { return firstFailure[T]{} }

// FirstSuccess waits until one task succeeds; then the others are cancelled, and Join
// returns that one value, and drops the errors of the others. If none succeeds, or there
// are none, it returns an error that wraps [ErrNoSuccess] and the errors of the tasks.
func FirstSuccess[T any]() Joiner[T] { return firstSuccess[T]{} }

// Quorum waits until n tasks have succeeded; then the others are cancelled, and Join
// returns those n values, in the order in which the tasks ended, and drops the errors of
// the others. As soon as Join was called and fewer than n have succeeded or can still do
// so, they are cancelled too, and Join returns an error that wraps [ErrQuorum] and the
// errors of the failed tasks. N must be positive.
func Quorum[T any](n int) Joiner[T] { return quorum[T]{n} }

// builtin is a joiner of this package. It does not call back, so the group asks
// it with its lock held.
type builtin interface{ traits() traits }

type traits struct {
	name   string
	values bool  // The result is made of the values.
	calm   bool  // Successes and cancelled tasks decide nothing.
	wrong  error // It makes no sense.
}

type allCompleted[T any] struct{}

func (allCompleted[T]) traits() traits                   { return traits{name: "AllCompleted", calm: true} }
func (allCompleted[T]) Decide(*Task[T], Count) bool      { return false }
func (allCompleted[T]) Result(o Outcome[T]) ([]T, error) { return o.Values(), o.Err() }

type firstFailure[T any] struct{}

func (firstFailure[T]) traits() traits { return traits{name: "FirstFailure", calm: true} }

func (firstFailure[T]) Decide(t *Task[T], _ Count) bool {
	return t != nil && failed(t)
}

// failed reports whether the task, which has ended, has failed: a cancelled one has not.
func failed[T any](t *Task[T]) bool {
	st := t.State()
	return st != workers.JobCompleted && st != workers.JobCancelled
}

func (firstFailure[T]) Result(o Outcome[T]) ([]T, error) {
	if o.Decided != nil {
		_, err := o.Decided.Result()
		return nil, o.withLaterFailures(err)
	}
	if err := o.Err(); err != nil {
		return nil, err
	}
	return o.Values(), nil
}

type firstSuccess[T any] struct{}

func (firstSuccess[T]) traits() traits { return traits{name: "FirstSuccess", values: true} }

func (firstSuccess[T]) Decide(t *Task[T], _ Count) bool {
	return t != nil && t.State() == workers.JobCompleted
}

func (firstSuccess[T]) Result(o Outcome[T]) ([]T, error) {
	if o.Decided != nil {
		value, err := o.Decided.Result()
		return []T{value}, err
	}
	return nil, withErrors(ErrNoSuccess, o.Err())
}

type quorum[T any] struct{ n int }

func (q quorum[T]) traits() traits {
	t := traits{name: "Quorum", values: true}
	if q.n < 1 {
		t.wrong = fmt.Errorf("task: the quorum is %d; it must be positive", q.n)
	}
	return t
}

func (q quorum[T]) Decide(_ *Task[T], c Count) bool {
	return c.Succeeded >= q.n || c.Joining && c.Succeeded+c.Left() < q.n
}

func (q quorum[T]) Result(o Outcome[T]) ([]T, error) {
	c := o.Count
	values := make([]T, 0, min(q.n, c.Succeeded))
	for t := range o.Ended() {
		if value, err := t.Result(); err == nil && len(values) < q.n {
			values = append(values, value)
		}
	}
	if len(values) >= q.n {
		return values, nil
	}
	missed := fmt.Errorf("%w: %d needed, %d started, %d succeeded", ErrQuorum, q.n, c.Started, c.Succeeded)
	return nil, withErrors(missed, o.Err())
}

// withErrors adds errs, which may be nil, to err.
func withErrors(err, errs error) error {
	if errs == nil {
		return err
	}
	return fmt.Errorf("%w: %w", err, errs)
}
