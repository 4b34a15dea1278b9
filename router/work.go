package router

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/gid"
	"github.com/troupe-go/troupe/internal/workers"
)

// job is embedded under a name that is nobody else's.
type job = workers.Job

// work is one task of a pool: a job of the scheduler, from the moment at which a
// place is free for it.
type work[J, R any] struct {
	job
	p      *pool[J, R]
	task   J
	key    uint64
	lane   actor.Lane
	asked  bool // Somebody waits for the result, or will.
	parent workContext[J, R]
	above  *work[J, R] // The task of this pool that has submitted it.
	// goroutine is the one on which Do runs. Written by it, read by who stops the pool.
	goroutine atomic.Uintptr
	value     R // Written by the task, before it is over.

	// Guarded by the pool's mu.
	in            *queue[J, R]
	before, after *work[J, R]
	stage         stage
	keyed         bool // It has its key, so that others with the same one wait.
	place         bool // It has one of the places of the workers.
	adopted       bool // The scheduler knows it.
	err           error
	abandoned     error // Why the asker got an error before the end, if so. Set once, while the task runs.
	waiter        workers.Waiter
}

// stage is how far a task has come.
type stage uint8

const (
	fresh   stage = iota
	outside       // Waits for room in its lane.
	behind        // Waits for an earlier task with the same key.
	ready         // Waits for a worker.
	started       // Is a job.
	over          // Has its result.
)

// Parent is the context from which the task's is derived. It is called by the
// scheduler.
func (w *work[J, R]) Parent() context.Context { return &w.parent }

// Do runs the task. It is called by the scheduler.
func (w *work[J, R]) Do(ctx context.Context) error {
	if d := w.p.cfg.Timeout; d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d, ErrTaskTimeout)
		defer cancel()
	}
	var err error
	w.goroutine.Store(uintptr(gid.Current()))
	w.value, err = w.p.cfg.Do(ctx, w.task)
	if err != nil && errors.Is(context.Cause(ctx), ErrTaskTimeout) && !errors.Is(err, ErrTaskTimeout) {
		err = fmt.Errorf("%w after %v: %w", ErrTaskTimeout, w.p.cfg.Timeout, err)
	}
	return err
}

// Ended takes the result and lets the next task begin. It is called by the
// scheduler.
func (w *work[J, R]) Ended(f *workers.Fiber) {
	err := w.Wait(context.Background())
	if err == workers.ErrGoexit { //nolint:errorlint // As Wait returns it.
		err = actor.ErrGoexit // The pool is an actor to its users.
	}
	w.p.settle(f, w, err)
	w.p.mu.Lock()
	w.p.dispatch(f)
}

// workContext is the parent of a task's context. It embeds the context of the asker, or
// an empty one for a task that was just sent, and leads to the task.
type workContext[J, R any] struct {
	context.Context
	w *work[J, R]
}

// ownKey is the key under which the context of a pool's task has the task.
type ownKey struct{ pool any }

// LocalKey implements [workers.LocalKey].
func (ownKey) LocalKey() {}

func (c *workContext[J, R]) Value(key any) any {
	if k, ok := key.(ownKey); ok && k.pool == any(c.w.p) {
		return c.w
	}
	return c.Context.Value(key)
}

// own returns the task of this pool that ctx is the context of, or nil.
func (c *pool[J, R]) own(ctx context.Context) *work[J, R] {
	w, _ := ctx.Value(c.key).(*work[J, R])
	return w
}

// stopsItself reports whether the caller is one of the pool's tasks, whatever its
// context.
func (c *pool[J, R]) stopsItself(ctx context.Context) bool {
	if c.own(ctx) != nil {
		return true
	}
	id := uintptr(gid.Current())
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := c.busy.first; w != nil; w = w.after {
		if w.goroutine.Load() == id {
			return true
		}
	}
	return false
}

// newWork makes a task. Its hash is asked for here, where an error is the
// caller's.
func (c *pool[J, R]) newWork(ctx context.Context, l actor.Lane, task J, asked bool) (*work[J, R], error) {
	w := &work[J, R]{p: c, task: task, lane: l, asked: asked, above: c.own(ctx)}
	if c.cfg.Key != nil {
		var err error
		if w.key, err = c.cfg.Key.of(task); err != nil {
			return nil, err
		}
	}
	for a := w.above; a != nil && asked && c.cfg.Key != nil; a = a.above {
		if a.key == w.key {
			return nil, fmt.Errorf("%s: a task asks for another of the same key, which waits for its end: %w", c.cfg.Name, actor.ErrAskCycle)
		}
		if !a.asked {
			break // Nobody waits for that one.
		}
	}
	parent := ctx
	if !asked {
		parent = context.Background()
	}
	w.parent = workContext[J, R]{parent, w}
	return w, nil
}

// report tells of the failure of a task that nobody waits for.
func (c *pool[J, R]) report(w *work[J, R], err error) {
	if c.cfg.OnError == nil || w.asked {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			c.panicked(v, debug.Stack())
		}
	}()
	c.cfg.OnError(w.task, err)
}
