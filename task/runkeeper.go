package task

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/internal/workers"
)

// runKeeper keeps the groups that were opened on the context of a Run's body, or below it,
// so that Run waits for those that nobody has joined. They are kept by what surrounds the
// Run too, so that the end of an actor cancels them.
type runKeeper struct {
	outer workers.Keeper // The keeper around the Run, or nil.

	mu     sync.Mutex
	groups map[leftGroup]int // With the order in which they came.
	came   int
	closed bool
}

// leftGroup is a kept group, whatever its type.
type leftGroup interface {
	workers.Kept
	// isForgotten reports whether the group, which has no tasks, leaves the Run nothing to tell. It is called with the
	// group's lock held.
	isForgotten() bool
	// finish waits until the group has ended, for what surrounds it has, and returns the
	// errors that are more than cancellations.
	finish(ctx context.Context) error
}

var _ workers.Keeper = (*runKeeper)(nil)

// KeeperID implements [workers.Keeper].
func (r *runKeeper) KeeperID() uint64 {
	if r.outer == nil {
		return 0
	}
	return r.outer.KeeperID()
}

// Keep implements [workers.Keeper].
func (r *runKeeper) Keep(k workers.Kept) bool {
	g, ok := k.(leftGroup)
	if !ok {
		return false
	}
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return false
	}
	if r.groups[g] == 0 {
		if r.groups == nil {
			r.groups = map[leftGroup]int{}
		}
		r.came++
		r.groups[g] = r.came
	}
	r.mu.Unlock()
	if r.outer != nil {
		r.outer.Keep(k)
	}
	return true
}

// LetGo implements [workers.Keeper]. A group stays if it ended with what surrounds it, as with a task of the Run, and something
// of it failed besides: that is the Run's to return. It is called with the group's lock held.
func (r *runKeeper) LetGo(from *workers.Fiber, k workers.Kept) {
	if g, ok := k.(leftGroup); ok && g.isForgotten() {
		r.remove(g)
	}
	if r.outer != nil {
		r.outer.LetGo(from, k)
	}
}

// forget removes a group that was joined, here and further out.
func (r *runKeeper) forget(g leftGroup) {
	r.remove(g)
	if outer, ok := r.outer.(*runKeeper); ok {
		outer.forget(g)
	}
}

func (r *runKeeper) remove(g leftGroup) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.groups, g)
}

// finish waits for the groups that are left, which are cancelled since the Run's scope has
// ended, and for those that they open meanwhile. It returns their errors.
func (r *runKeeper) finish(ctx context.Context) error {
	var errs []error
	for {
		left := r.take()
		if left == nil {
			return errors.Join(errs...)
		}
		for _, g := range left {
			if err := g.finish(ctx); err != nil {
				errs = append(errs, err)
			}
		}
	}
}

// take takes the groups that are left, in the order in which they came. If there are none,
// no more are kept.
func (r *runKeeper) take() []leftGroup {
	r.mu.Lock()
	defer r.mu.Unlock()
	groups := r.groups
	r.groups = nil
	r.closed = len(groups) == 0
	return slices.SortedFunc(maps.Keys(groups), func(a, b leftGroup) int { return cmp.Compare(groups[a], groups[b]) })
}

func (k *kept[T]) isForgotten() bool {
	g, sc := (*Group[T])(k), &k.scope
	if !sc.ended.Load() || sc.own { // The surroundings were asked before, without the lock.
		return true
	}
	err := Outcome[T]{Count: g.count, group: g}.Err()
	return withoutCancellations(err, sc.cause) == nil
}

func (k *kept[T]) finish(ctx context.Context) error {
	g := (*Group[T])(k)
	cause := g.scope.Cause() // So that it ends with what surrounds it.
	_, err := g.Join(ctx)
	return withoutCancellations(err, cause)
}

// withoutCancellations returns err, or nil if all that is joined in it says that some
// context has ended, or is the cause of a cancellation.
func withoutCancellations(err, cause error) error {
	if err == nil || onlyCancelled(err, cause) {
		return nil
	}
	return err
}

func onlyCancelled(err, cause error) bool {
	if cut, ok := err.(*CancelledError); ok { //nolint:errorlint // What it wraps comes next.
		return cut.Err == nil || onlyCancelled(cut.Err, cut.Cause)
	}
	if same(err, cause) {
		return true
	}
	switch err := err.(type) { //nolint:errorlint // What it wraps comes next.
	case interface{ NeverBegan() }: // A job's.
		return true
	case interface{ Unwrap() []error }:
		for _, e := range err.Unwrap() {
			if !onlyCancelled(e, cause) {
				return false
			}
		}
		return true
	case interface{ Unwrap() error }:
		if inner := err.Unwrap(); inner != nil {
			return onlyCancelled(inner, cause)
		}
	}
	return isCancellation(err) || cause != nil && errors.Is(err, cause)
}
