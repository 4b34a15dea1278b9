package actor

import (
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"
)

// ReceiveTimeout makes an actor of another one, which it sends m whenever it has handled
// nothing for d: no message of any lane since its last handler returned, or since it started.
// The message comes on the Data lane. Its handler counts like any other, so an actor that stays idle gets m every d. Akka's
// setReceiveTimeout does the same.
//
//	ref, err := actor.Spawn(sys, actor.ReceiveTimeout(session, time.Minute, message{kind: idle}))
//
// Hooks work as ever, and so does [Context.Become]; a hook is no message. If another message is
// handled when m was sent already, m is taken back, as by [Timer.Stop]. Like all timers this one ends with
// the incarnation, and a restart begins with another. To change the time, or to turn it off,
// use [KeyedTimers] instead. A [Process] calls [Process.ReceiveWithin].
//
// Spawn returns an error if a is nil or a process, and if d is not positive. It costs each message about
// 30 ns more (BenchmarkReceiveTimeout).
func ReceiveTimeout[M any](a Actor[M], d time.Duration, m M) Actor[M] {
	return &idler[M]{inner: a, after: d, m: m, clock: &atomic.Pointer[idleClock]{}}
}

// idler is the actor that ReceiveTimeout makes.
type idler[M any] struct {
	inner Actor[M]
	after time.Duration
	m     M
	clock *atomic.Pointer[idleClock] // The clock of the incarnation, shared with its later behaviours.
}

// check is called by the spawn.
func (i *idler[M]) check() error {
	if i.inner == nil {
		return errors.New("actor: ReceiveTimeout was given a nil actor")
	}
	if _, ok := i.inner.(sequel); ok {
		return errors.New("actor: ReceiveTimeout was given a process, which calls ReceiveWithin instead")
	}
	if i.after <= 0 {
		return fmt.Errorf("actor: ReceiveTimeout was given %v; the time must be positive", i.after)
	}
	return check(i.inner, reflect.TypeFor[*Context[M]]())
}

func (i *idler[M]) standsFor() (code uintptr, other any) { return 0, i.inner }

// valueOf returns the value whose hook h is called: own, or the actor inside an idler, but
// for Started. It is not generic: else a program without an idler would have its code once for
// each type of messages.
//
//go:noinline
func valueOf(own any, h hook) any {
	if w, ok := own.(interface{ wrapped() any }); ok && h != onStarted {
		return w.wrapped()
	}
	return own
}

func (i *idler[M]) wrapped() any { return i.inner }

// becomes returns what the actor is when the one inside has become another.
func (i *idler[M]) becomes(inner Actor[M]) Actor[M] {
	again := *i
	again.inner = inner
	return &again
}

// Started runs the hook of the inner actor, and begins to measure.
func (i *idler[M]) Started(ctx *Context[M]) error {
	if hook, ok := i.inner.(Starter[M]); ok {
		if err := hook.Started(ctx); err != nil {
			return err
		}
	}
	t := &idleTick[M]{delivery: delivery[M]{m: i.m}}
	t.every, t.target, t.which, t.mark.of = i.after, ctx.p, Data, t
	t.clock = idleClock{sys: ctx.p.sys, timer: &t.timer}
	t.clock.last.Store(int64(ctx.p.sys.uptime()))
	i.clock.Store(&t.clock)
	_, err := t.set(ctx, i.after)
	return err
}

// Receive handles m, and says when.
func (i *idler[M]) Receive(ctx *Context[M], m M) error {
	c := i.clock.Load()
	c.begin()
	err := i.inner.Receive(ctx, m)
	c.end() // Not behind a panic, which ends the incarnation.
	return err
}

// idleTick is the timer of an idler. It fires like one of Every, but is put off for as long
// as the actor has not been idle for its time.
type idleTick[M any] struct {
	delivery[M]
	clock idleClock
}

func (t *idleTick[M]) putOff() bool { return t.clock.putOff() }

// untimely is a tick that may have to wait.
type untimely interface {
	// putOff reports whether the timer, which is due, is not to send yet, and sets when it
	// is due then. The caller holds the timer's mu.
	putOff() bool
}

// idleClock tells for how long an actor has handled nothing.
//
// # Protocol
//
// A handler says that it begins, and then looks at sent. The timer sets sent, and then looks
// whether a handler has begun, or has ended lately. So either the timer is put off, or the
// handler takes back what the timer sends, also if that is just about to enter the mailbox:
// may is false then, until the timer fires again.
type idleClock struct {
	sys   *System
	timer *timer
	busy  atomic.Int32 // How many handlers have begun and not returned.
	last  atomic.Int64 // When the last one returned, by the system's uptime.
	sent  atomic.Bool  // The timer has sent, or is about to, and no handler has begun since.
}

func (c *idleClock) begin() {
	c.busy.Add(1)
	if c.sent.Load() && c.sent.Swap(false) {
		c.timer.revoke(nil) // Nothing, if the message is what was sent.
	}
}

func (c *idleClock) end() {
	c.last.Store(int64(c.sys.uptime()))
	c.busy.Add(-1)
}

func (c *idleClock) putOff() bool {
	t := c.timer
	waits := c.sent.Swap(true)
	now := c.sys.uptime()
	next := now + t.every
	if c.busy.Load() == 0 {
		next = time.Duration(c.last.Load()) + t.every
	}
	if next > now {
		if !waits {
			c.sent.Store(false)
		}
		t.due = c.sys.born.Add(next)
		return true
	}
	t.target.mu.Lock()
	t.may = true
	t.target.mu.Unlock()
	return false
}
