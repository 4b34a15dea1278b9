package task

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/xatomic"
)

// Scope is a part of a program that can be cancelled as a whole. Cancellation is
// a level, not an event: once a scope has ended, every wait below it returns at
// once, every time, until the work has left the scope. [Within] opens one.
//
// A scope ends by Cancel, at its deadline, when what surrounds it ends, or when its
// function returns, whichever is first. Its methods may be called from any goroutine. A nil
// Scope, which a nil Group has, never ends, and can't be cancelled. A zero one is one that
// nothing surrounds.
type Scope struct {
	// # Protocol
	//
	// The end is recorded here, not in a context of package context, since that can't have
	// its deadline moved and costs too much for a group whose tasks never ask. Each
	// question to the scope also asks the contexts around it, so that an end is never missed. A
	// scope that wants to be told calls link first.
	parent   context.Context
	shielded bool // The end of parent is not the scope's.
	// onEnd is called at the end, without a lock held. Nil for a scope without
	// tasks.
	onEnd func(cause error)
	s     *workers.Scheduler // The scheduler of the group; nil for a scope without tasks.

	// ended is set under mu, after err, cause and own. They don't change later.
	ended  xatomic.Bool
	linked xatomic.Bool

	mu     xatomic.Mutex
	err    error // The error that the context's Err returns.
	cause  error
	own    bool // It ended by itself, not with what surrounds it.
	closed bool // It is left, or has ended.

	deadline time.Time
	timer    *time.Timer
	unlink   func() bool
	std      context.Context
	endStd   context.CancelCauseFunc
	fiber    *workers.Fiber // See ResumesFiber.
	// shared are the errors of tasks that returned the cause, and of those that returned
	// what the context's Err does. Written under mu, by who first needs one.
	shared xatomic.Pointer[[2]CancelledError]
	keeper *runKeeper // Of the scope of a Run. Written before the body begins.
	// overtaken are the causes of scopes below that had ended before. Guarded by mu.
	overtaken *overtaken
}

// scopeKey is the key under which a context returns its innermost *Scope.
type scopeKey struct{}

// LocalKey implements [workers.LocalKey].
func (scopeKey) LocalKey() {}

// Within calls fn in a new scope and returns its error. The context of fn ends
// with the scope, and has the values of ctx. If the error is owed to this
// scope's cancellation, [Scope.Caught] says so:
//
//	err := task.Within(ctx, func(ctx context.Context, sc *task.Scope) error {
//		sc.SetDeadline(time.Now().Add(time.Second))
//		_, err := fetch(ctx)
//		if sc.Caught(err) {
//			return nil // Do without.
//		}
//		return err
//	})
//
// It costs about 200 ns.
func Within(ctx context.Context, fn func(ctx context.Context, sc *Scope) error) error {
	switch {
	case ctx == nil:
		return errNilContext
	case fn == nil:
		return errNilFunction
	}
	sc := &Scope{parent: ctx}
	defer sc.leave()
	return fn((*scopeContext)(sc), sc)
}

// Cancel ends the scope with a cause; nil means [context.Canceled]. It reports
// whether the scope had not ended. It never waits.
func (sc *Scope) Cancel(cause error) bool {
	if sc == nil {
		return false
	}
	if cause == nil {
		cause = context.Canceled
	}
	return sc.end(context.Canceled, cause, true)
}

// SetDeadline moves the time at which the scope ends by itself, with the cause
// [ErrDeadline], in either direction. The zero time means none, which is the
// default; a time that has passed ends the scope at once. It reports whether the
// scope had not ended. The deadline of what surrounds the scope still holds.
func (sc *Scope) SetDeadline(at time.Time) bool {
	if sc == nil || sc.ended.Load() {
		return false
	}
	sc.mu.Lock()
	if sc.closed {
		sc.mu.Unlock()
		return false
	}
	sc.deadline = at
	if sc.timer != nil {
		sc.timer.Stop()
		sc.timer = nil
	}
	left := time.Until(at)
	if !at.IsZero() && left > 0 {
		sc.timer = time.AfterFunc(left, workers.InOrder(func() { sc.expire(at) }))
	}
	sc.mu.Unlock()
	if !at.IsZero() && left <= 0 {
		return sc.expire(at)
	}
	return true
}

// expire ends the scope if its deadline is still the one that has passed.
func (sc *Scope) expire(at time.Time) bool {
	sc.mu.Lock()
	moved := !sc.deadline.Equal(at)
	sc.mu.Unlock()
	return !moved && sc.end(context.DeadlineExceeded, ErrDeadline, true)
}

// Cause returns why the scope has ended, and nil before.
func (sc *Scope) Cause() error {
	if !sc.isOver() {
		return nil
	}
	return sc.cause
}

// Caught reports whether err is owed to the end of this scope itself: the scope
// was cancelled or its deadline has passed, and err says that some context has
// ended, or why this one has. It is false for an error of that kind which has come
// from elsewhere while this scope is well: the timeout of some request, say. And it is
// false if what surrounds the scope has ended, before or after: then the scope there
// whose end it is has caught the error, also one that tells this scope's cause.
func (sc *Scope) Caught(err error) bool {
	if err == nil || !sc.isOver() || !sc.own || sc.isOvertaken() {
		return false
	}
	return errors.Is(err, sc.cause) || isCancellation(err) || sc.hasOvertaken(err)
}

// isCancellation reports whether err says that some context has ended.
func isCancellation(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// isOvertaken reports whether what surrounds the scope has ended too, which has ended by
// itself before. Then the end is owed to the surroundings. The outermost scope there that
// ended by itself comes to know the cause of this one, with which work here may still
// come back.
func (sc *Scope) isOvertaken() bool {
	if sc.parent == nil || sc.shielded || sc.parent.Err() == nil {
		return false
	}
	if by := Canceller(sc.parent); by != nil {
		by.overtakeFrom(sc)
	}
	return true
}

// overtaken is the cause of a scope whose end was overtaken, and of others.
type overtaken struct {
	cause error
	next  *overtaken
}

func (sc *Scope) overtake(cause error) {
	if isCancellation(cause) || sc.hasOvertaken(cause) {
		return // It is known for one already.
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	sc.overtaken = &overtaken{cause, sc.overtaken}
}

// overtakeFrom makes known what inner knows, whose end this scope's has overtaken.
func (sc *Scope) overtakeFrom(inner *Scope) {
	sc.overtake(inner.cause)
	inner.mu.Lock()
	first := inner.overtaken
	inner.mu.Unlock()
	for o := first; o != nil; o = o.next {
		sc.overtake(o.cause)
	}
}

// hasOvertaken reports whether err is owed to the end of a scope that this one's end has
// overtaken.
func (sc *Scope) hasOvertaken(err error) bool {
	sc.mu.Lock()
	first := sc.overtaken
	sc.mu.Unlock()
	for o := first; o != nil; o = o.next {
		if errors.Is(err, o.cause) {
			return true
		}
	}
	return false
}

// scopeOf returns the innermost scope around ctx, or nil.
func scopeOf(ctx context.Context) *Scope {
	sc, _ := ctx.Value(scopeKey{}).(*Scope)
	return sc
}

// Canceller returns the outermost scope around ctx that has ended by itself, not with what
// is around it, and nil if there is none: the one to which a cancellation seen now is owed,
// so that its [Scope.Caught] says so. Scopes outside of a [Shield] do not count.
func Canceller(ctx context.Context) *Scope {
	var found *Scope
	for ctx != nil {
		sc := scopeOf(ctx)
		if sc == nil {
			break
		}
		// Flags suffice: a scope that ends by itself sets them at once.
		if sc.ended.Load() && sc.own {
			if found != nil {
				sc.overtakeFrom(found)
			}
			found = sc
		}
		if sc.shielded {
			break
		}
		ctx = sc.parent
	}
	if found != nil && found.parent != nil && !found.shielded && found.parent.Err() != nil {
		return nil // A context that is no scope's has ended.
	}
	return found
}

// isOver reports whether the scope has ended. One that nobody has opened has no
// surroundings, and one that is nil is none.
func (sc *Scope) isOver() bool {
	return sc != nil && (sc.parent != nil || sc.ended.Load()) && sc.state() != nil
}

// state returns what the context's Err does.
func (sc *Scope) state() error {
	if sc.ended.Load() {
		return sc.err
	}
	if sc.shielded {
		return nil
	}
	if err := sc.parent.Err(); err != nil {
		sc.inherit()
		return sc.err
	}
	return nil
}

// inherit ends the scope with what surrounds it.
func (sc *Scope) inherit() { sc.end(sc.parent.Err(), context.Cause(sc.parent), false) }

// endWith ends the scope with what surrounds it, which says so itself.
func (sc *Scope) endWith(cause error) { sc.end(context.Canceled, cause, false) }

func (sc *Scope) end(err, cause error, own bool) bool {
	sc.mu.Lock()
	if sc.ended.Load() || sc.closed && own {
		sc.mu.Unlock()
		return false
	}
	sc.err, sc.cause, sc.own = err, cause, own
	sc.ended.Store(true)
	fiber, endStd := sc.fiber, sc.endStd
	sc.release()
	sc.mu.Unlock()
	if endStd != nil {
		endStd(cause)
	}
	if fiber != nil {
		fiber.Resume(nil, workers.High)
	}
	if sc.onEnd != nil {
		sc.onEnd(cause)
	}
	return true
}

// cutShort returns the CancelledError of a task that returned err. Most return one of
// two errors, so most have one of two in common. The scope has ended.
func (sc *Scope) cutShort(err, ended error) error {
	switch shared := sc.sharedErrors(); {
	case same(err, sc.cause):
		return &shared[0]
	case same(err, ended) && same(ended, shared[1].Err):
		return &shared[1]
	}
	return &CancelledError{Cause: sc.cause, Err: err}
}

func (sc *Scope) sharedErrors() *[2]CancelledError {
	if shared := sc.shared.Load(); shared != nil {
		return shared
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.shared.Load() == nil {
		sc.shared.Store(&[2]CancelledError{{sc.cause, sc.cause}, {sc.cause, sc.err}})
	}
	return sc.shared.Load()
}

// same reports whether two errors are one. Errors that can't be compared are not the same.
func same(a, b error) bool {
	return a != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Comparable() && a == b //nolint:errorlint // Exactly this one.
}

// leave ends the scope because its work is done.
func (sc *Scope) leave() {
	if sc.ended.Load() && sc.own {
		sc.isOvertaken() // Its cause may be on its way to the scope that is told then.
	}
	sc.mu.Lock()
	sc.release()
	sc.mu.Unlock()
	if !sc.ended.Load() {
		sc.end(context.Canceled, ErrScopeClosed, false)
	}
}

// release lets go of the timer and of what surrounds the scope. The caller holds
// mu.
func (sc *Scope) release() {
	sc.closed = true
	if sc.timer != nil {
		sc.timer.Stop()
		sc.timer = nil
	}
	if sc.unlink != nil {
		sc.unlink()
		sc.unlink = nil
	}
	sc.fiber = nil
}

// link has the end of what surrounds the scope told to it. Without a link the end is only
// seen by callers that ask.
func (sc *Scope) link() {
	if sc.linked.Load() || sc.shielded || sc.parent.Done() == nil {
		return
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if !sc.closed && !sc.linked.Load() {
		sc.unlink = context.AfterFunc(sc.parent, sc.inherit)
		sc.linked.Store(true)
	}
}

// due returns the earlier one of the scope's deadline and the surrounding one.
func (sc *Scope) due() (at time.Time, ok bool) {
	if !sc.shielded {
		at, ok = sc.parent.Deadline()
	}
	sc.mu.Lock()
	own := sc.deadline
	sc.mu.Unlock()
	if !own.IsZero() && (!ok || own.Before(at)) {
		return own, true
	}
	return at, ok
}
