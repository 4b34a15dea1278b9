package router

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/troupe-go/troupe/actor"
)

// keeper is the router's actor. No message goes through it: it monitors the routees, and it
// lives as long as the router.
type keeper[M any] struct {
	core     *core[M]
	monitors map[actor.PID]actor.Monitor
}

// order tells the keeper what to do: one of these.
type order struct {
	watch, forget actor.PID
	front         actor.Reply[struct{}]
}

// Receive begins or ends the monitor of a routee, or spawns the front.
func (k *keeper[M]) Receive(ctx *actor.Context[order], o order) error {
	none := actor.PID{}
	switch {
	case o.watch != none:
		if _, ok := k.monitors[o.watch]; ok {
			return nil
		}
		m, err := ctx.Monitor(o.watch)
		if err != nil {
			return err
		}
		k.monitors[o.watch] = m
	case o.forget != none:
		if m, ok := k.monitors[o.forget]; ok && k.core.members.Load().index(o.forget) < 0 {
			ctx.Demonitor(m)
			delete(k.monitors, o.forget)
		}
	default:
		if err := k.core.spawnFront(ctx); err != nil {
			return o.front.Fail(ctx, err)
		}
		return o.front.Send(ctx, struct{}{})
	}
	return nil
}

// Down takes out a routee that has stopped for good.
func (k *keeper[M]) Down(_ *actor.Context[order], m actor.Monitor, _ actor.Exit) error {
	delete(k.monitors, m.PID())
	k.core.lost(m.PID())
	return nil
}

// Stopped ends the router.
func (k *keeper[M]) Stopped(*actor.Context[order], error) { k.core.close() }

// front is the actor behind [Router.Ref].
type front[M any] struct{ core *core[M] }

// Receive passes a message on. A message that nobody takes is a dead letter.
func (f front[M]) Receive(ctx *actor.Context[M], m M) error {
	if err := f.core.routes[ctx.Lane()].send(ctx, m, true); err != nil {
		return fmt.Errorf("%w: %w", actor.ErrUnhandled, err)
	}
	return nil
}

func (c *core[M]) spawnFront(at *actor.Context[order]) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.front != (actor.Ref[M]{}) {
		return nil
	}
	var err error
	c.front, err = actor.Spawn(at, actor.Actor[M](front[M]{c}), actor.WithName(c.cfg.Name))
	return err
}

// Ref returns the ref of an actor that passes on what it is sent, by the same
// strategy and on the same lane: for code that knows only refs. It costs a hop
// that [Router.Send] does not have, and it has mailbox and order of an actor.
// A message that can't be passed on, since there are no routees and the router
// does not wait, is a dead letter with the reason, and an ask in it fails at
// once. While the actor waits for a routee or for room, nothing overtakes; only
// Router.Send on another lane does.
//
// The actor is spawned by the first call, and stops with the router.
func (r Router[M]) Ref(ctx context.Context) (actor.Ref[M], error) {
	if r.route == nil {
		return actor.Ref[M]{}, ErrNoRouter
	}
	c := r.route.core
	_, err := actor.Ask(ctx, c.keeper, func(a actor.Reply[struct{}]) order { return order{front: a} })
	if err != nil {
		return actor.Ref[M]{}, fmt.Errorf("%s: ref: %w", c.cfg.Name, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.front.On(r.route.lane), nil
}

// Stop ends the router, not its routees. Sends and asks that wait for a routee,
// and all later ones, return [actor.ErrStopped].
func (r Router[M]) Stop(ctx context.Context) error {
	if r.route == nil {
		return ErrNoRouter
	}
	return r.route.core.keeper.Stop(ctx)
}

// Done returns a channel that is closed when the router has stopped: because it
// was asked to, or the actor or the system has under which it was made.
func (r Router[M]) Done() <-chan struct{} {
	if r.route == nil {
		return actor.Ref[M]{}.Done()
	}
	return r.route.core.keeper.Done()
}

// systemOf returns the system that actors are spawned in at a place.
func systemOf(at actor.Spawner) (*actor.System, error) {
	var sys *actor.System
	if p := reflect.ValueOf(at); at != nil && (p.Kind() != reflect.Pointer || !p.IsNil()) {
		switch at := at.(type) {
		case *actor.System:
			sys = at
		case interface{ System() *actor.System }:
			sys = at.System()
		}
	}
	if sys.Scheduler() == nil {
		return nil, errors.New("router: the Spawner is nil or zero; use a System that comes from NewSystem, or the Context of a handler")
	}
	return sys, nil
}
