package actor

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/troupe-go/troupe/internal/workers"
)

// extra has the fields that few incarnations need.
type extra[M any] struct {
	behaviours []Actor[M] // The behaviours below the present one. Only the handler uses them.
	stash      []stashed[M]
	returning  []stashed[M] // Messages that are to go back to the lanes.
}

// extraLocked returns the extra part, which is made on first use. The caller
// holds the proc's mu.
func (c *Context[M]) extraLocked() *extra[M] {
	if c.extra == nil {
		c.extra = &extra[M]{}
	}
	return c.extra
}

// stashedLocked returns how many messages are put aside. The caller holds the
// proc's mu.
func (c *Context[M]) stashedLocked() int {
	if c.extra == nil {
		return 0
	}
	return len(c.extra.stash) + len(c.extra.returning)
}

// own returns the user's value, whose hooks are called whatever it has become.
// It is the running activation's question.
func (c *Context[M]) own() Actor[M] {
	if c.extra != nil && len(c.extra.behaviours) > 0 {
		return c.extra.behaviours[0]
	}
	return c.actor
}

// maxBehaviours is how many behaviours may lie on each other: picked out of
// thin air, to find an actor that becomes and never goes back.
const maxBehaviours = 1000

// Become makes the actor handle its messages by receive from the next one on,
// until [Context.Unbecome] or another Become. The behaviour so far is kept below
// it; hooks stay what they are. A restart begins with the actor itself again.
//
// Become and Unbecome are called in the actor's handlers and hooks, with their
// own Context; elsewhere they return [ErrNotInHandler]. Become returns an error
// for a nil function, or if 1000 behaviours lie on each other: an actor that
// only wants to change over calls Unbecome first.
func (c *Context[M]) Become(receive func(ctx *Context[M], m M) error) error {
	if receive == nil {
		return fmt.Errorf("actor: %s becomes a nil function; Unbecome goes back to what it was before", c.p)
	}
	if err := c.handling("becomes something else"); err != nil {
		return err
	}
	c = c.root()
	c.p.mu.Lock()
	e := c.extraLocked()
	c.p.mu.Unlock()
	if len(e.behaviours) == maxBehaviours {
		return fmt.Errorf("actor: %s has %d behaviours on each other already; call Unbecome before Become to change over",
			c.p, maxBehaviours)
	}
	e.behaviours = append(e.behaviours, c.actor)
	c.actor = Func(receive)
	if w, ok := e.behaviours[0].(interface{ becomes(inner Actor[M]) Actor[M] }); ok {
		c.actor = w.becomes(c.actor)
	}
	return nil
}

// Unbecome goes back to the behaviour that the last Become has replaced. It
// returns [ErrNoBehaviour] if there is none.
func (c *Context[M]) Unbecome() error {
	if err := c.handling("unbecomes"); err != nil {
		return err
	}
	c = c.root()
	if c.extra == nil || len(c.extra.behaviours) == 0 {
		return fmt.Errorf("%s: %w", c.p, ErrNoBehaviour)
	}
	last := len(c.extra.behaviours) - 1
	c.actor, c.extra.behaviours[last] = c.extra.behaviours[last], nil
	c.extra.behaviours = c.extra.behaviours[:last]
	return nil
}

// handling returns an error unless it is called by the incarnation's own
// handler or hook. The argument what names the caller's action.
func (c *scope) handling(what string) error {
	p := c.p
	if c.home().fence.Load() {
		return fmt.Errorf("%s %s: %w", p, what, ErrFenced)
	}
	if current(workers.Current(c)) != p {
		return fmt.Errorf("%s %s: %w", p, what, ErrNotInHandler)
	}
	if v := c.view(); v != nil && v.frame != nil {
		return fmt.Errorf("%s %s: %w", p, what, ErrReadOnly)
	}
	return nil
}

// FirstOf makes an actor of several that take the same messages: each message
// is handled by the first of them that does not return [ErrUnhandled]. If all
// do, so does the whole.
//
// Their Started hooks run in this order, and their Stopped hooks in the
// opposite one. Other hooks, such as ChildExited, are not called; an actor that
// needs them embeds the result and implements them itself. Spawn returns an
// error if one of the actors is nil, or there are none.
func FirstOf[M any](actors ...Actor[M]) Actor[M] { return firstOf[M](actors) }

type firstOf[M any] []Actor[M]

// check is called by the spawn.
func (f firstOf[M]) check() error {
	if len(f) == 0 {
		return errors.New("actor: FirstOf was given no actors")
	}
	for i, a := range f {
		if a == nil {
			return fmt.Errorf("actor: FirstOf was given a nil actor, as number %d", i+1)
		}
		if _, ok := a.(sequel); ok {
			return fmt.Errorf("actor: FirstOf was given a process, as number %d; a process must be the whole of its actor", i+1)
		}
		if err := check(a, reflect.TypeFor[*Context[M]]()); err != nil {
			return fmt.Errorf("%w, as number %d of FirstOf", err, i+1)
		}
	}
	return nil
}

func (f firstOf[M]) standsFor() (code uintptr, other any) {
	if len(f) == 0 || f[0] == nil {
		return 0, nil
	}
	return 0, f[0]
}

// Receive lets the actors try one after the other.
func (f firstOf[M]) Receive(ctx *Context[M], m M) error {
	err := ErrUnhandled
	for _, a := range f {
		if err = a.Receive(ctx, m); !isUnhandled(err) {
			return err
		}
	}
	return err
}

// Started runs the hooks until one fails.
func (f firstOf[M]) Started(ctx *Context[M]) error {
	for _, a := range f {
		if hook, ok := a.(Starter[M]); ok {
			if err := hook.Started(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Stopped runs all hooks, also if one of them panics.
func (f firstOf[M]) Stopped(ctx *Context[M], reason error) {
	for _, a := range f {
		if hook, ok := a.(Stopper[M]); ok {
			defer hook.Stopped(ctx, reason)
		}
	}
}

// isUnhandled reports whether a handler says by err that it does not handle the
// message. The error of an ask that another actor has not handled says
// something else.
func isUnhandled(err error) bool {
	return errors.Is(err, ErrUnhandled) && !errors.Is(err, ErrNoReply)
}

// bears reports whether the actor goes on after its handler has returned err,
// and whether the message is a dead letter then.
func (a *activation) bears(err error) (letter, bears bool) {
	switch {
	case errors.Is(err, ErrLateReply):
		return false, true
	case isUnhandled(err):
		a.sys.unhandled.Add(1)
		return true, true
	}
	return false, false
}
