package actor

import (
	"context"
	"fmt"
	"reflect"
)

// Ref is the address of an actor that takes messages of type M. It is a small
// value, to be copied, compared, sent in messages and used from any goroutine.
// It stays valid when its actor is restarted. The zero Ref leads to no actor;
// using it returns [ErrNoRef].
type Ref[M any] struct {
	cell *cell[M]
	lane Lane
}

// On returns a ref to the same actor on the given lane. A ref is on [Data]
// unless it came from On. Refs on different lanes are not equal.
func (r Ref[M]) On(l Lane) Ref[M] {
	r.lane = l
	return r
}

// PID returns the actor's PID, or the zero PID for the zero Ref.
func (r Ref[M]) PID() PID {
	if r.cell == nil {
		return PID{}
	}
	return r.cell.proc.pid
}

// String returns the actor's name and PID.
func (r Ref[M]) String() string {
	if r.cell == nil {
		return "<no actor>"
	}
	return r.cell.proc.String()
}

// Send puts m into the actor's lane. Messages from one sender on one lane
// arrive in the order in which they were sent. While the lane is full, Send
// waits, until ctx ends. Senders get room in the order in which they came. (A
// goroutine that sends to a running actor first looks for room for some microseconds.)
// A Send that finds room does not look at ctx.
//
// In a handler, with its [Context], a wait holds no worker. A lane may have been
// told to drop messages instead, see [WithBuffer]; Send then returns nil.
//
// Send returns [ErrStopped] if the actor has stopped; the message then goes to
// the dead letters. It returns [ErrFull] if a handler fills its own actor's
// lane, since nobody else could make room, and an error that wraps the cause
// of ctx if that has ended the wait. A message costs no allocation if its type has
// at most 512 bytes. A larger one costs one: it lies on the heap until it is handled,
// and an actor takes no memory for messages that it does not have.
func (r Ref[M]) Send(ctx context.Context, m M) error {
	if r.cell == nil {
		return ErrNoRef
	}
	return r.cell.send(orBackground(ctx), r.lane, m, mayWait, address{})
}

// TrySend is Send, except that it returns [ErrFull] instead of waiting.
func (r Ref[M]) TrySend(ctx context.Context, m M) error {
	if r.cell == nil {
		return ErrNoRef
	}
	return r.cell.send(orBackground(ctx), r.lane, m, 0, address{})
}

// Stop makes the actor stop after the message that it is handling, and returns
// when it, its children and its tasks have ended. Messages that were not handled go to
// the dead letters. An actor that was asked to stop is not restarted. Stop
// returns nil if the actor has stopped before.
//
// If ctx ends first, Stop ends the contexts of the handlers that still run, of
// the actor and of those below it, and returns an error that wraps the cause of
// ctx. The stop goes on.
//
// In a handler of the actor itself or of one below it, Stop returns
// [ErrWouldDeadlock] at once, whatever its context, and the stop goes on when the
// handler returns. On a goroutine that the handler has started, it waits.
func (r Ref[M]) Stop(ctx context.Context) error {
	return r.shutdown(ctx, sysStop)
}

// Drain is Stop, except that the actor first handles the messages that it has.
//
// From the call on, before Drain begins to wait, the actor accepts no new ones: sends
// return [ErrStopped], also those that wait for room by then, those by its
// own handlers, and what timers send. The asks that belong to the work in hand of a
// reentrant actor are accepted until it is done: those that a handler of it has made,
// and those that other handlers make while they handle these; see [WithReentrancy]. With
// [FullReentrancy], that includes the asks of goroutines and tasks of the handlers, if
// the ask from outside that began the work has a deadline, a value or a cancellation. A
// [GracefulStopper] decides by itself, and goes on to accept messages until it stops.
//
// An actor that fails while it drains is not restarted: the messages behind go to the
// dead letters.
func (r Ref[M]) Drain(ctx context.Context) error {
	return r.shutdown(ctx, sysDrain)
}

func (r Ref[M]) shutdown(ctx context.Context, kind sysKind) error {
	if r.cell == nil {
		return ErrNoRef
	}
	return r.cell.proc.shutdown(orBackground(ctx), kind)
}

// Done returns a channel that is closed when the actor has stopped for good,
// with its children. The zero Ref's is closed.
func (r Ref[M]) Done() <-chan struct{} {
	if r.cell == nil {
		return closed
	}
	return r.cell.proc.done()
}

// Err returns why the actor has stopped, see [Exit]: nil if it was asked to,
// stopped itself, or has not stopped yet. For the zero Ref it is [ErrNoRef].
func (r Ref[M]) Err() error {
	switch {
	case r.cell == nil:
		return ErrNoRef
	case r.cell.proc.sys == nowhere:
		return ErrUnbound
	case !r.cell.proc.stopped.Load():
		return nil
	}
	return r.cell.proc.reason
}

// Resolve returns the ref of the actor with the given PID. It returns
// [ErrStalePID] if that actor has stopped, and another error if it takes
// messages of another type than M.
func Resolve[M any](s *System, id PID) (Ref[M], error) {
	if s.missing() {
		return Ref[M]{}, ErrNoSystem
	}
	p := s.lookup(id)
	if p == nil {
		return Ref[M]{}, fmt.Errorf("resolve %s: %w", id, ErrStalePID)
	}
	c, ok := p.impl.(*cell[M])
	if !ok {
		return Ref[M]{}, fmt.Errorf("actor: resolve %s: %w", id, p.takesNo(reflect.TypeFor[M]()))
	}
	return Ref[M]{cell: c}, nil
}

// takesNo says that the actor does not take messages of a type.
func (p *proc) takesNo(message reflect.Type) error {
	return fmt.Errorf("%s takes messages of type %v, and not %v; name its own type", p, p.impl.messageType(), message)
}

func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// targetOf returns the actor, or nil for the zero Ref. It is no method, since a program has all
// methods of each Ref's type that is in an interface.
func targetOf[M any](r Ref[M]) *proc {
	if r.cell == nil {
		return nil
	}
	return &r.cell.proc
}
