package router

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/supervise"
)

// The child of a supervised pool is the front that every pool has, so supervision adds no
// hop and no mailbox. Each incarnation of the front makes a core of its own, cuts the
// last one short, and replaces it. It was considered to open one core again and again. Then
// tasks that ignore the end of their context would keep their places and keys for ever, and
// a restart, which is to heal that, would not.

// PoolSpec describes a pool as a child of a supervisor. It returns the pool as well, for
// [Pool.Ask] and [Pool.Map]. The child may be changed before it is handed over, for example
// its Restart, Shutdown and Backoff. [PlayPool] does both for a member of a troupe.
//
//	pool, child := router.PoolSpec(router.PoolConfig[page, index]{Name: "parser", Do: parse})
//	sup, err := supervise.Start(sys, supervise.Config{Children: []supervise.Spec{child}})
//
// The child is the actor of [Pool.Ref]. It is started and stopped in its turn:
//
//   - Before its start, the methods of the pool return an error that wraps
//     [actor.ErrStopped] and says that the pool has not started; [Pool.Ref] is zero.
//   - A stop by the supervisor drops the tasks that have not begun, and waits for the others.
//     If they are not over within Child.Shutdown, the child is killed.
//   - A kill ends the contexts of the tasks that run, with the cause [actor.ErrForced]. Their
//     askers do not wait for them any longer, and get an error that wraps
//     [actor.ErrKilled].
//   - A restart begins with no tasks. Messages that wait in the mailbox of the ref are kept,
//     but for the few that [actor.Ref.Kill] names. The pool and the refs stay valid. A task that has ignored the end of its context
//     takes no place of the new incarnation, and may run beside a task with its key.
//
// The configuration is checked with the supervisor's; its errors are errors of
// [supervise.Start] and [supervise.Check]. PoolConfig.Name is the child's Name. Only one
// child at a time can be started by a spec; the start of a second one fails.
//
// [supervise.Start]: https://pkg.go.dev/github.com/troupe-go/troupe/supervise#Start
// [supervise.Check]: https://pkg.go.dev/github.com/troupe-go/troupe/supervise#Check
func PoolSpec[J, R any](cfg PoolConfig[J, R]) (*Pool[J, R], supervise.Child[J]) {
	h := newHome(unstarted(cfg))
	return &h.lanes[actor.Data], supervise.Child[J]{
		Name:  cfg.Name,
		New:   func() actor.Actor[J] { return &childFront[J, R]{home: h, cfg: cfg} },
		Check: cfg.check,
	}
}

// PlayPool makes a pool the member of a troupe whose ref is a field of the troupe's struct,
// as [supervise.Play] does with an actor. PoolConfig.Name defaults to the name of the field.
// PlayPool returns the pool, which may be kept in another field of the struct. See
// [PoolSpec] for what supervision means for a pool; a member with another Shutdown or
// Restart is played by supervise.Play with the child that PoolSpec returns.
//
// [supervise.Play]: https://pkg.go.dev/github.com/troupe-go/troupe/supervise#Play
func PlayPool[J, R any](cast *supervise.Cast, ref *actor.Ref[J], cfg PoolConfig[J, R]) *Pool[J, R] {
	p, child := PoolSpec(cfg)
	supervise.Play(cast, ref, child)
	return p
}

// unstarted returns a pool that takes nothing on, since it has no scheduler.
func unstarted[J, R any](cfg PoolConfig[J, R]) *pool[J, R] {
	if cfg.Name == "" {
		cfg.Name = "pool"
	}
	cfg.Workers = max(cfg.Workers, 1) // Map reads ahead by it.
	c := &pool[J, R]{cfg: cfg, closed: true}
	c.key = ownKey{c}
	return c
}

// guardedFront is a front that ends its pool when it is killed, since Stopped is not called
// then.
type guardedFront[J, R any] struct {
	poolFront[J, R]
	// timedOut says that a handler's time-out has used guard up. Written by guard, read by
	// Receive.
	timedOut atomic.Bool
	unguard  func() bool
}

// childFront is the front of a pool that a supervisor starts.
type childFront[J, R any] struct {
	guardedFront[J, R]
	home *home[J, R]
	cfg  PoolConfig[J, R]
}

// Started opens the pool.
func (f *childFront[J, R]) Started(ctx *actor.Context[J]) (err error) {
	if f.c, err = f.home.open(ctx, f.cfg); err != nil {
		return err
	}
	f.guard(ctx)
	return nil
}

// guard cuts the pool short when the front is killed.
func (f *guardedFront[J, R]) guard(ctx *actor.Context[J]) {
	f.unguard = context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), actor.ErrHandlerTimeout) && !fenced(ctx) {
			f.timedOut.Store(true) // Of this handler alone: the context is renewed when it returns.
			return
		}
		f.c.cutShort(context.Cause(ctx))
	})
}

// fenced reports whether ctx is of an incarnation that was killed, by a time-out too. A reply
// to nobody has no other effect than to say so.
func fenced(ctx context.Context) bool {
	return errors.Is(actor.Reply[struct{}]{}.Send(ctx, struct{}{}), actor.ErrFenced)
}

// Receive hands a task to the pool.
func (f *guardedFront[J, R]) Receive(ctx *actor.Context[J], task J) error {
	if f.timedOut.CompareAndSwap(true, false) {
		f.guard(ctx)
	}
	return f.poolFront.Receive(ctx, task)
}

// soleFront is the front of a pool that NewPool has started.
type soleFront[J, R any] struct{ guardedFront[J, R] }

// Started begins to watch for a kill.
func (f *soleFront[J, R]) Started(ctx *actor.Context[J]) error {
	f.guard(ctx)
	return nil
}

// Stopped ends the pool. [Pool.Stop] waits for the tasks.
func (f *soleFront[J, R]) Stopped(*actor.Context[J], error) {
	f.c.frontStopped()
	f.unguard()
}

// Stopped ends the pool and waits for its tasks, until somebody would not wait any longer.
func (f *childFront[J, R]) Stopped(ctx *actor.Context[J], _ error) {
	f.c.frontStopped()
	if !f.c.awaitQuiet(ctx) {
		f.c.cutShort(context.Cause(ctx))
	}
	f.unguard()
}

// open makes the core of an incarnation, which replaces the last one.
func (h *home[J, R]) open(ctx *actor.Context[J], cfg PoolConfig[J, R]) (*pool[J, R], error) {
	last := h.core.Load()
	if last.s != nil && last.front.PID() != ctx.PID() {
		select {
		case <-last.front.Done():
		default:
			return nil, fmt.Errorf("router: start %s: its pool was started before, as %s, and has not ended; each child needs a PoolSpec of its own",
				ctx.Path(), last.front.Path())
		}
	}
	if last.s != nil {
		last.cutShort(actor.ErrKilled) // Its front was killed, perhaps just now; else all is over.
	}
	if cfg.Name == "" {
		cfg.Name = ctx.Name()
	}
	c := newCore(cfg, ctx.System())
	c.front = ctx.Self()
	if ctx.Err() != nil { // It was killed, and the next incarnation may have opened the pool.
		return nil, context.Cause(ctx)
	}
	if !h.core.CompareAndSwap(last, c) {
		return nil, fmt.Errorf("router: start %s: its pool was started twice at the same time; each child needs a PoolSpec of its own", ctx.Path())
	}
	return c, nil
}

// cutShort ends a pool whose front has ended. Tasks that run are told by their contexts, and
// their askers get an error that wraps the cause. It does nothing if all is over.
func (c *pool[J, R]) cutShort(cause error) {
	c.frontStopped()
	c.close()
	c.abandon(cause)
	c.force()
}

// abandon wakes the askers of the tasks that run.
func (c *pool[J, R]) abandon(cause error) {
	c.mu.Lock()
	var woken []workers.Waiter
	for w := c.busy.first; w != nil; w = w.after {
		if w.abandoned == nil {
			w.abandoned = fmt.Errorf("%s ended while it did the task: %w", c.cfg.Name, cause)
			woken = append(woken, w.waiter)
		}
	}
	c.mu.Unlock()
	for _, w := range woken {
		w.Wake(nil, workers.Own)
	}
}
