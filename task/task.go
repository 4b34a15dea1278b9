package task

import (
	"context"
	"errors"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// job is embedded by Task under a name that is not exported, so that its methods
// are the task's and the field is nobody's.
type job = workers.Job

// Task is the handle of a function that runs in a [Group]. It is a [sched.Job],
// whose methods it has: ID, which no other task or job of the scheduler ever
// gets, State, Info, Cancel, Done, Wait. They may be called from any goroutine, and
// say of a nil Task what they do of a nil Job.
type Task[T any] struct {
	job
	g *Group[T]
	// work is the function given to Go or Do. The task drops it when it begins. Afterwards
	// it may be the error of a task that was cut short.
	work any
	// code is where that is, to tell its name and place when somebody asks.
	code  uintptr
	name  *string // Of a task that has one.
	value T       // Written before the job ends.

	standing standing
	// place is not 0 while the task is in the group; see enter. It, placed and next
	// are the group's, under its mu, but next is first written by who ends the task.
	place  int32
	placed bool // It takes one of the group's places; see Limit.
	lifted bool // It counts a caller of Join that is urgent; see awaited. Under mu.
	cut    bool // The error that its function returned is owed to the end of the group. Its own.
	next   *Task[T]
}

// standing says what a task is to its group. It leaves member once, by
// compare-and-swap:
//
//	member --> ending --> ended
//	member --> detached or refused
//
// Each is a bit, so that ending can be waited out.
type standing struct{ word xatomic.Uint32 }

const (
	member   uint32 = 0
	ending   uint32 = 1 // It has ended, and somebody is telling the group.
	ended    uint32 = 2 // The group was told.
	detached uint32 = 4 // It has left the group.
	refused  uint32 = 8 // The group was closed.
)

func (s *standing) transitionTo(what uint32) bool { return s.word.CompareAndSwap(member, what) }
func (s *standing) is(what uint32) bool           { return s.word.Load() == what }

// Name returns the name that was given to [Group.GoNamed], else the name of the function
// which the task runs, as in a stack trace.
func (t *Task[T]) Name() string {
	if t == nil {
		return nameOf(0)
	}
	if t.name != nil {
		return *t.name
	}
	return nameOf(t.code)
}

// Join waits until the task has ended and returns what its function returned: a
// panic as a [*sched.PanicError], a Goexit as [sched.ErrGoexit], and an error
// that wraps the cause if it was cancelled. It may be called more than once, by
// several, and always returns the same. If ctx ends first it returns an
// [*UnfinishedError], and the task goes on. Inside a task it holds no worker. A
// task that joins itself gets [sched.ErrSelfWait].
func (t *Task[T]) Join(ctx context.Context) (value T, err error) {
	if t == nil || t.g == nil {
		return value, workers.ErrNoJob
	}
	if ctx == nil {
		return value, errNilContext
	}
	if t.g.opts.limit != 0 && !t.State().Ended() {
		if caller, ok := ctx.Value(memberKey{t.g}).(*Task[T]); ok && caller != t {
			defer t.g.lendPlace(caller)()
		}
	}
	err = t.job.Wait(ctx)
	switch {
	case t.State().Ended():
		// So that Next, too, sees no later one before it.
		t.g.taskEnded(t, nil)
		xatomic.SpinWhile(&t.standing.word, ending) // Somebody is two instructions short of it.
	case !errors.Is(err, workers.ErrSelfWait):
		err = &UnfinishedError{Cause: err, Tasks: []Info{t.about()}}
	}
	if err == nil {
		value = t.value
	}
	return value, err
}

// Result returns what Join does of a task that has ended, and [ErrNotEnded] of
// one that has not. It never waits.
func (t *Task[T]) Result() (value T, err error) {
	if t == nil || t.g == nil {
		return value, workers.ErrNoJob
	}
	if !t.State().Ended() {
		return value, ErrNotEnded
	}
	if err = t.Wait(context.Background()); err == nil {
		value = t.value
	}
	return value, err
}

// Detach takes the task out of its group: the group waits for it no longer, does
// not cancel it, and its result is no part of the group's. From now on it is
// listed by [Detached], and ends with the limit of the scheduler's Stop. It
// reports false, and does nothing, if the task or its group has ended or was
// cancelled.
//
// Like the function [Detach], it lets something outlive the function that has
// started it, so it should be rare and easy to find.
func (t *Task[T]) Detach() bool {
	if t == nil || t.g == nil {
		return false
	}
	return t.g.detach(t)
}

// endedWithGroup reports whether the task was cancelled with its group, and err, its
// error, says so. The group has ended.
func (t *Task[T]) endedWithGroup(err error) bool {
	return t.State() == workers.JobCancelled && t.g.scope.ended.Load() && errors.Is(err, t.g.scope.cause)
}

// notNeeded reports whether, in addition, the group's own decision was the reason, and
// not the decision of a group around it.
func (t *Task[T]) notNeeded(err error) bool {
	return t.g.decided && t.g.scope.own && t.endedWithGroup(err)
}

// body is the task as the scheduler sees it.
type body[T any] Task[T]

// Parent is the context from which the task's is derived. It is called by the
// scheduler.
func (b *body[T]) Parent() context.Context { return (*taskContext[T])(b) }

// Do runs the task's function. It is called by the scheduler.
func (b *body[T]) Do(ctx context.Context) (err error) {
	t := (*Task[T])(b)
	if !t.standing.is(detached) && t.g.scope.state() != nil {
		cause := t.g.scope.Cause()
		t.Cancel(cause)
		return &CancelledError{Cause: cause}
	}
	work := t.work
	t.work = nil
	if ts := t.g.turns; ts != nil {
		if err := ts.await(ctx, t); err != nil {
			return t.explain(ctx, err)
		}
	}
	if fn, ok := work.(func(context.Context) (T, error)); ok {
		t.value, err = fn(ctx)
	} else {
		err = work.(func(context.Context) error)(ctx)
	}
	if err != nil {
		var none T
		t.value = none
		return t.explain(ctx, err)
	}
	return nil
}

// explain adds the cause to an error that says that ctx has ended. An error of
// that kind while ctx is well has come from elsewhere and is like any other.
func (t *Task[T]) explain(ctx context.Context, err error) error {
	ended := ctx.Err()
	if ended == nil {
		return err
	}
	cause := workers.Cause(ctx)
	why, what := errors.Is(err, cause), errors.Is(err, ended)
	if !why && !what {
		return err
	}
	t.cut = workers.IsCut((*body[T])(t))
	if !why || !errors.Is(err, context.Canceled) {
		if t.cut {
			err = t.g.scope.cutShort(err, ended)
		} else {
			err = &CancelledError{Cause: cause, Err: err}
		}
	}
	if !t.cut {
		t.Cancel(cause) // So that it counts as cancelled, in whichever order the news came.
	}
	return err
}

// KeepCut keeps the error of a task that was cut short by the end of its group. It is
// called by the scheduler.
func (b *body[T]) KeepCut(err error) bool {
	if b.cut {
		b.work = err
	}
	return b.cut
}

// CutError returns that error, or nil. It is called by the scheduler.
func (b *body[T]) CutError() error {
	if !b.cut {
		return nil
	}
	return b.work.(error)
}

// Ended tells the group. It is called by the scheduler.
func (b *body[T]) Ended(f *workers.Fiber) {
	t := (*Task[T])(b)
	t.g.taskEnded(t, f)
	if ts := t.g.turns; ts != nil { // Where it has decided, the others were cancelled first.
		ts.end(t, t.State() != workers.JobCompleted, f)
	}
	if t.g.adopting.Load() {
		t.g.mu.Lock()   // Until adopt is done: the scheduler must not be, before that.
		t.g.mu.Unlock() //nolint:staticcheck // As above.
	}
}

// taskContext is what the context of a task is derived from: the task under
// another type. It asks the group's scope, until the task is detached. The
// cancellation of the job reports the end to its waiters, so Done returns nil, and has
// the group keep itself informed.
type taskContext[T any] Task[T]

func (c *taskContext[T]) Deadline() (at time.Time, ok bool) {
	if c.standing.is(detached) {
		return at, false
	}
	return c.g.scope.due()
}

func (c *taskContext[T]) Done() <-chan struct{} {
	if !c.standing.is(detached) {
		c.g.scope.link()
	}
	return nil
}

func (c *taskContext[T]) Err() error {
	if c.standing.is(detached) {
		return nil
	}
	return c.g.scope.state()
}

// Cause is what context.Cause would find out with a lock that all tasks share.
func (c *taskContext[T]) Cause() error {
	if c.standing.is(detached) {
		return nil
	}
	return c.g.scope.Cause()
}

func (c *taskContext[T]) Value(key any) any {
	switch k := key.(type) {
	case workers.KeeperKey:
		if c.g.opts.detached || c.standing.is(detached) {
			return nil
		}
	case memberKey:
		if k.of == any(c.g) && !c.standing.is(detached) {
			return (*Task[T])(c)
		}
	}
	return (*scopeContext)(&c.g.scope).Value(key)
}

// memberKey is the key under which the context of a task of a group, and of what
// is below, has the task.
type memberKey struct{ of any }

// LocalKey implements [workers.LocalKey].
func (memberKey) LocalKey() {}
