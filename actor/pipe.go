package actor

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/internal/workers"
)

// PipeToSelf has work run beside the actor, as a job of the system's scheduler, and its
// result come back to the actor as a message of its own, which wrap makes of it. So a handler
// need not wait: for an [Ask], a job, a channel, or a call that blocks.
//
//	err := actor.PipeToSelf(ctx, func(ctx context.Context) (row, error) {
//		return db.Find(ctx, id)
//	}, func(r row, err error) message { return message{found: r, err: err} })
//
// Each call brings one message, on the Data lane, for as long as the incarnation lives; if the
// lane is full, it waits for room. A panic of work is its error, a [*sched.PanicError], and a
// Goexit is [ErrGoexit]. Work and wrap run beside the handlers, so they must not touch what
// the actor has in its fields. A panic or a Goexit of wrap ends the incarnation, like one of a
// handler.
//
// The work belongs to the incarnation: the context of work has neither the deadline nor the
// values of an ask that is being handled. When the incarnation ends, by a stop or before a
// restart, that context ends, the work is waited for, as tasks are, and its result is dropped:
// the next incarnation does not get it. After a kill it is not waited for.
//
// PipeToSelf returns [ErrStopped] or [ErrFenced] if the incarnation is ending, [ErrSystemStopped]
// with the system, and an error for a nil function. It may be called by any goroutine. It costs
// about as much as a task, and a timer.
func PipeToSelf[M, T any](ctx *Context[M], work func(ctx context.Context) (T, error), wrap func(result T, err error) M) error {
	if work == nil || wrap == nil {
		return errors.New("actor: PipeToSelf was given a nil function")
	}
	b, err := ctx.spawner()
	if err != nil {
		return err
	}
	p := &pipe[M, T]{to: ctx.root(), work: work, wrap: wrap}
	s := b.parent.sys.scheduler
	if err := s.Adopt(p, workers.Admission{Kind: "pipe", Priority: workers.Normal, From: b.fiber}); err != nil {
		if errors.Is(err, workers.ErrStopped) {
			err = ErrSystemStopped
		}
		return fmt.Errorf("actor: the work of %s: %w", b.parent, err)
	}
	if !p.to.Keep(p) {
		p.Cancel(ErrStopped)
		err = fmt.Errorf("actor: the work of %s: %w", b.parent, ErrStopped)
	}
	s.Enqueue(b.fiber, p) // Void, if it was cancelled.
	return err
}

// pipe is the work, and what becomes of it.
type pipe[M, T any] struct {
	workers.Job
	to   *Context[M]
	work func(ctx context.Context) (T, error)
	wrap func(result T, err error) M
}

var _ workers.Body = (*pipe[int, int])(nil)

// Parent implements [workers.Body].
func (p *pipe[M, T]) Parent() context.Context { return p.to }

// KeeperEnds implements [workers.Kept].
func (p *pipe[M, T]) KeeperEnds(cause error) { p.Cancel(cause) }

// Ended implements [workers.Body].
func (p *pipe[M, T]) Ended(f *workers.Fiber) { p.to.LetGo(f, p) }

// Do implements [workers.Body].
func (p *pipe[M, T]) Do(ctx context.Context) error {
	var result T
	err := ErrGoexit
	defer func() { p.deliver(ctx, result, err) }() // Also for a Goexit.
	result, err = p.run(ctx)
	return nil
}

// run calls work, and makes an error of a panic.
func (p *pipe[M, T]) run(ctx context.Context) (result T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = workers.NewPanicError(v)
		}
	}()
	return p.work(ctx)
}

// deliver has the result come to the actor. The message is the one of a timer that is due at
// once: so it waits for room without a goroutine, and is taken back at the end of the
// incarnation.
func (p *pipe[M, T]) deliver(ctx context.Context, result T, err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		why := ErrGoexit
		if v := recover(); v != nil {
			why = workers.NewPanicError(v)
		}
		p.to.p.post(workers.Current(ctx), sysMessage{kind: sysFailed, incarnation: p.to.incarnation, reason: why})
	}()
	m := p.wrap(result, err)
	returned = true
	_, _ = SendAfter(p.to, 0, p.to.Self(), m) // If it has ended, nobody is to be told.
}
