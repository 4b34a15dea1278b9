package actor

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// Context is what a handler knows of its actor. It is a [context.Context] and
// can be passed to whatever takes one: a database call, an outgoing request, or
// the Send, Ask and Stop of this package, which by it know the worker that they
// run on and suspend instead of blocking.
//
// A Context belongs to one incarnation of an actor. It ends when that
// incarnation has ended. While the handler runs, it ends when the actor is
// killed, with the [context.Cause] [ErrKilled], and when somebody's [Ref.Stop]
// or [System.Stop] would not wait for the handler any longer, with [ErrForced].
// If the handler has taken too long, it ends until that has returned, with a
// [*TimeoutError]; see [WithHandlerTimeout].
// The handler is expected to return soon.
//
// Calls by the Context of an incarnation that was killed, or that a restart has
// replaced, have no effect and return [ErrFenced].
//
// While a message is handled that was asked with a context that says something,
// Context says it too: it has that one's deadline and values, and ends with it,
// by the same [context.Cause], for as long as the asker waits. An ask that the
// handler makes with it carries all this on. Once the ask is answered, it is but
// the incarnation's context with the asker's values. An ask carries no context if
// it was made with [context.Background], or with the Context of a handler that was not
// asked with one itself.
//
// Whatever is begun with a Context, such as children, timers, links or names,
// belongs to the incarnation, not to the asker.
//
// All methods may be called from any goroutine. On a goroutine that the
// handler started, a Context is an ordinary one: what waits there blocks.
//
// A Context comes with the call of a handler or hook. One that is made otherwise
// belongs to no actor, and is of no use: most of its methods panic.
type Context[M any] struct {
	_ [0]func() // It can't be compared, which would be code for each type.
	scope
	// actor handles the messages: the user's value, or what it has become. Written
	// by the activation that runs, or by the handler that it runs.
	actor Actor[M]
	extra *extra[M] // Written under proc.mu.
}

// scope is what there is to a Context apart from the type of the messages.
type scope struct {
	life  atomic.Pointer[life]
	kind  atomic.Pointer[kind] // Not written any more once its actor has begun.
	typed typed                // The Context around it.
	p     *proc
	// asked is the ask whose message is being handled, if any. The handler's own.
	asked address
	// incarnation is compared with the proc's.
	incarnation uint32
	// lane is the lane of the message that is being handled; numLanes in a hook. The
	// running activation owns it, and in a reentrant actor the handler that has the turn.
	lane Lane
	// process says that the user's value is a process. Written before the incarnation begins.
	process bool
	// hooks are the hooks of the user's value, if they are known. Written before the
	// incarnation begins, and when its value is let go of.
	hooks hooks
	// fence is up when the incarnation was killed or replaced. Set under proc.mu.
	fence atomic.Bool
}

// typed is a Context, as code sees it that is the same for all types of
// messages.
type typed interface {
	// hook reports whether the user's value has the hook, and calls it if there is
	// an occasion.
	hook(h hook, o *occasion) (has bool, err error)
	// begin makes actor the user's value, or lets go of it.
	begin(actor any)
	// handleBatch hands messages to the actor until none are in hand, the budget
	// is used up, or something more urgent has come. It returns the reason if the
	// actor has failed.
	handleBatch(a *activation, l *lane, which Lane) error
	stow(which Lane, m *letter, tries int32)
	keeps(asked address) bool
	unstash(which Lane, all bool) *lane
	stashedLocked() int
}

var errNoContext = errors.New("actor: the Context is nil or zero; a valid one is what a handler is called with")

var (
	_ context.Context = (*Context[int])(nil)
	_ workers.Resumer = (*Context[int])(nil)
)

// life is the part of a Context that can end. It is made when someone asks.
type life struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	view   *view // The view that it is part of from the beginning, or nil.
}

// stoppedLife is the life of all contexts that ended with their incarnation
// before someone asked.
var stoppedLife = func() *life {
	l := &life{}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	l.cancel(ErrStopped)
	return l
}()

// Self returns the actor's own ref.
func (c *Context[M]) Self() Ref[M] { return Ref[M]{cell: c.p.impl.(*cell[M])} }

// PID returns the actor's PID.
func (c *scope) PID() PID { return c.p.pid }

// Name returns the name that the actor was spawned with, or "".
func (c *scope) Name() string { return c.p.opts.name }

// System returns the system that the actor belongs to.
func (c *scope) System() *System {
	if c.p == nil {
		return nil
	}
	return c.p.sys
}

// Stop makes the actor stop after the current message. The messages in its
// lanes go to the dead letters, unless its parent restarts it.
func (c *scope) Stop() {
	c.p.post(workers.Current(c), sysMessage{kind: sysExit, incarnation: c.incarnation})
}

// Checkpoint is called by handlers that take long, every 100 us or so. If
// anything critical waits in the system, it is run first, and the handler goes
// on afterwards; other messages of this actor still wait. Checkpoint returns
// the cause of the context if that has ended, else nil. It costs a few
// nanoseconds if nothing is urgent.
func (c *scope) Checkpoint() error {
	if f := workers.Current(c); f != nil {
		f.Checkpoint()
	}
	if c.life.Load() == nil || c.Err() == nil {
		return nil
	}
	return context.Cause(c)
}

func (c *Context[M]) spawner() (birthplace, error) {
	if c == nil {
		return birthplace{}, errNoContext
	}
	return c.scope.spawner()
}

func (c *scope) spawner() (birthplace, error) {
	if c.p == nil {
		return birthplace{}, errNoContext
	}
	if c.home().fence.Load() {
		return birthplace{}, fmt.Errorf("use the Context of %s: %w", c.p, ErrFenced)
	}
	return birthplace{c.p, c.incarnation, workers.Current(c)}, nil
}

// Deadline returns the deadline of the ask that is being handled, while it is open. An
// incarnation has none.
func (c *scope) Deadline() (deadline time.Time, ok bool) {
	if v := c.view(); v != nil {
		return v.errand.deadline()
	}
	return time.Time{}, false
}

// Done returns a channel that is closed when the context ends. The channel is
// made when it is first asked for.
func (c *scope) Done() <-chan struct{} {
	if v := c.view(); v != nil {
		return v.Done()
	}
	return c.alive().ctx.Done()
}

// Err returns nil until the context ends, then [context.Canceled], or
// [context.DeadlineExceeded] if the deadline of the ask has passed.
func (c *scope) Err() error {
	switch l := c.life.Load(); {
	case l == nil:
		return nil
	case l.view != nil:
		return l.view.Err()
	default:
		return l.ctx.Err()
	}
}

// AfterFunc is [context.AfterFunc] for this context. Package context calls it,
// too.
func (c *scope) AfterFunc(f func()) (stop func() bool) {
	if v := c.view(); v != nil {
		return v.afterFunc(f)
	}
	return context.AfterFunc(c.alive().ctx, f)
}

// Value returns what the context of the ask that is being handled has under the
// key. An incarnation has no values.
func (c *scope) Value(key any) any {
	switch key.(type) {
	case workers.FrameKey:
		if v := c.view(); v != nil && v.frame != nil {
			return v.frame
		}
		return &c.p.frame
	case scopeKey:
		return c
	case workers.KeeperKey:
		return workers.Keeper(c.home())
	}
	switch l := c.life.Load(); {
	case l == nil:
		return nil
	case l.view != nil:
		return l.view.value(key)
	default:
		return l.ctx.Value(key)
	}
}

// scopeKey is the type of the key under which a Context returns its *scope.
type scopeKey struct{}

// scopeOf returns the scope of the Context that ctx is or comes from, or nil.
func scopeOf(ctx context.Context) *scope {
	c, _ := ctx.Value(scopeKey{}).(*scope)
	return c
}

// ResumesFiber reports whether the end of this context resumes f; see
// [workers.Resumer].
func (c *scope) ResumesFiber(f *workers.Fiber) bool {
	// Where another actor's handler runs on f, this actor may enter another
	// fiber meanwhile.
	// And a reentrant actor may wait on several.
	if c.p.reentrancy != NoReentrancy || current(f) != c.p || c.p.frame.Fiber() != f {
		return false
	}
	if v := c.view(); v != nil {
		v.arm(f)
	}
	return true
}

func (c *scope) alive() *life {
	if l := c.life.Load(); l != nil {
		return l
	}
	l := &life{}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	c.life.CompareAndSwap(nil, l)
	return c.life.Load()
}

// cancel ends the context, and resumes the handler if it waits.
func (c *scope) cancel(cause error) {
	if (cause == ErrStopped || errors.Is(cause, ErrStopped)) && c.life.CompareAndSwap(nil, stoppedLife) { //nolint:errorlint // Mostly it is that one, and Is takes 10 ns.
		return // Nobody has asked for its end, so nobody waits for it.
	}
	c.alive().cancel(cause)
	c.p.rouseBody()
	if f := c.p.frame.Fiber(); f != nil {
		f.Resume(nil, workers.High)
	}
}

// cancel ends the context of the present incarnation.
func (p *proc) cancel(cause error) {
	p.ctx.Load().cancel(cause)
}

// cancelOnly is cancel for the given incarnation alone. It returns false if that
// is not the present one, or was killed.
func (p *proc) cancelOnly(incarnation uint32, cause error) bool {
	x := p.ctx.Load()
	if x.incarnation != incarnation || x.fence.Load() {
		return false
	}
	x.cancel(cause)
	return true
}

// renew makes the context one that has not ended, if that was for a handler
// that has taken too long and has returned by now.
func (c *scope) renew() {
	l := c.life.Load()
	if l == nil {
		return
	}
	if _, ok := context.Cause(l.ctx).(*TimeoutError); ok { //nolint:errorlint // What it wraps would be another's.
		c.life.CompareAndSwap(l, nil)
	}
}
