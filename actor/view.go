package actor

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/internal/workers"
)

// A view is the Context of one message that was asked with a context of its own.
// It stands for the same incarnation as the incarnation's Context, its home, and
// besides it has the errand's deadline and values, and ends when the errand does.
//
// A view that is kept beyond its handler is as good as its home after the
// answer: it ends when the incarnation does. That was chosen over an end
// with the handler, as servers have it: an actor goes on after an answer,
// and tasks and goroutines that it has started in a handler should not
// depend on whether its asker happened to have a deadline.
//
// So a view must learn of the end of its home for as long as somebody may look
// at it, and there may be a million views in an incarnation's life. A function
// that is registered by AfterFunc, as contexts derived from a view do it, is one
// at home too, and is removed from there with it. A channel, however, is never
// given back. Home knows channels by weak pointers; see gate.
type view struct {
	life   // Has ctx only when the view has ended, for its cause.
	home   *scope
	errand *errand
	frame  *workers.Frame // The frame of a reader, or nil; see reader.go.
	// values takes the place of the errand's values, if it is not nil; see serve.go.
	// Written before the handler runs.
	values context.Context

	ended atomic.Bool // Set under mu, after err and ctx.
	mu    sync.Mutex
	err   error
	done  chan struct{} // Made when it is first asked for.
	gate  *gate         // Of done.
	armed atomic.Pointer[workers.Fiber]
}

// viewed is a Context together with its view.
type viewed[M any] struct {
	Context[M]
	view view
}

// sees returns the view in which the message of an ask is handled.
func (x *Context[M]) sees(e *errand, asked address, which Lane) *Context[M] {
	v := &viewed[M]{view: view{home: &x.scope, errand: e}}
	v.view.life = life{view: &v.view}
	c := &v.scope
	c.p, c.typed, c.incarnation = x.p, x.typed, x.incarnation
	c.asked, c.lane = asked, which
	c.kind.Store(x.kind.Load())
	c.life.Store(&v.view.life)
	return &v.Context
}

// view returns the view that c is of, or nil if it is an incarnation's own.
func (c *scope) view() *view {
	if l := c.life.Load(); l != nil {
		return l.view
	}
	return nil
}

// home returns the incarnation's own scope.
func (c *scope) home() *scope {
	if v := c.view(); v != nil {
		return v.home
	}
	return c
}

// root returns the incarnation's own Context.
func (c *Context[M]) root() *Context[M] {
	if c.view() == nil {
		return c
	}
	return c.typed.(*Context[M])
}

// excuses does the same as the activation's method, except for processes. A process has ended, whatever it returns.
func (x *Context[M]) excuses(a *activation, e *errand, m letter, err error) bool {
	_, ended := x.actor.(sequel)
	return !ended && a.excuses(e, m, err)
}

func (v *view) Err() error {
	v.look()
	if !v.ended.Load() {
		return nil
	}
	return v.err
}

// look ends the view if its errand or its home has ended.
func (v *view) look() {
	if v.ended.Load() {
		return
	}
	if err, cause := v.errand.end(); err != nil {
		v.end(err, cause)
	} else if l := v.home.life.Load(); l != nil && l.ctx.Err() != nil {
		v.end(l.ctx.Err(), context.Cause(l.ctx))
	}
}

// endWith is look when the context of the home has ended. The end by a
// handler that has taken too long is not the home's any more when the handler has
// returned, and the callbacks at its end must find that.
func (v *view) endWith(home context.Context) {
	if v.look(); !v.ended.Load() {
		v.end(home.Err(), context.Cause(home))
	}
}

func (v *view) end(err, cause error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended.Load() {
		return
	}
	ctx, cancel := context.WithCancelCause(background)
	cancel(cause)
	v.err, v.ctx = err, ctx
	v.ended.Store(true)
	if v.gate != nil {
		v.gate.open(v.done)
	}
}

func (v *view) Done() <-chan struct{} {
	v.mu.Lock()
	made := v.done == nil
	if made {
		v.done = make(chan struct{})
		v.gate = newGate(v.done)
		if v.ended.Load() {
			v.gate.open(v.done)
		}
	}
	v.mu.Unlock()
	if made && !v.ended.Load() {
		v.errand.tell(v.look)
		v.gate.watch(v)
		v.look() // It may have ended before.
	}
	return v.done
}

// value implements Context.Value; the actor's own values come first.
func (v *view) value(key any) any {
	switch {
	case key == causeKey:
	case v.values != nil:
		return v.values.Value(key)
	default:
		return v.errand.value(key)
	}
	if v.Err() == nil {
		return nil
	}
	return v.ctx.Value(key)
}

// afterFunc implements Context.AfterFunc.
func (v *view) afterFunc(f func()) (stop func() bool) {
	var once sync.Once
	run := func() { once.Do(func() { go f() }) }
	home := v.home.alive().ctx
	stopHome := context.AfterFunc(home, func() {
		v.endWith(home)
		run()
	})
	forget := v.errand.tell(run)
	return func() bool {
		forget()
		stopHome()
		stopped := false
		once.Do(func() { stopped = true })
		return stopped
	}
}

// arm has f resumed when the errand ends. The handler, which is on f, is about
// to wait.
func (v *view) arm(f *workers.Fiber) {
	if v.armed.Swap(f) != f {
		v.errand.tell(func() { f.Resume(nil, workers.High) })
	}
}

// causeKey is the key by which context.Cause asks a context of package context,
// as a view must know when somebody asks for its cause rather than for a value.
var causeKey = func() any {
	p := &keyProbe{Context: background}
	_ = context.Cause(p)
	return p.key
}()

// keyProbe notes for what it is asked.
type keyProbe struct {
	context.Context
	key any
}

func (p *keyProbe) Err() error { return context.Canceled }

func (p *keyProbe) Value(key any) any {
	p.key = key
	return nil
}
