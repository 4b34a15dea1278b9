package actor

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
)

// Here is what somebody needs who stands between senders and several actors,
// as package router does: a send that leaves the message with the caller if it
// fails, an ask whose message may go to any of them, and how busy each is.

// Offer is [Ref.Send], except that the message stays the caller's if Offer
// returns an error: with [ErrStopped] it is no dead letter, and the asks in it
// have not failed. So it can be given to another actor.
func (r Ref[M]) Offer(ctx context.Context, m M) error {
	if r.cell == nil {
		return ErrNoRef
	}
	return r.cell.send(orBackground(ctx), r.lane, m, mayWait|mayKeep, address{})
}

// TryOffer is [Ref.Offer], except that it returns [ErrFull] instead of waiting.
func (r Ref[M]) TryOffer(ctx context.Context, m M) error {
	if r.cell == nil {
		return ErrNoRef
	}
	return r.cell.send(orBackground(ctx), r.lane, m, mayKeep, address{})
}

// Backlog returns how many messages the actor has to handle, in all lanes and
// with the one that it is handling: 0 for one that is idle or has stopped, and
// for the zero Ref. It may count up to 1/64 of a lane's capacity too many, and
// for a moment, while the actor takes them, messages twice. It takes no lock, and
// costs some 5 ns, and 10 where the actor is busy; from the first call on, each
// message to the actor costs 2 ns more. See [Ref.Info] for more.
func (r Ref[M]) Backlog() int {
	if r.cell == nil {
		return 0
	}
	return r.cell.proc.backlog()
}

func (p *proc) backlog() int {
	if p.stopped.Load() {
		return 0
	}
	if p.opts.virtual {
		if to := p.activated(); to != nil {
			return to.backlog()
		}
		return 0
	}
	if p.isStandIn() {
		return p.home().backlog()
	}
	n := 0
	if p.mu.Load()&running != 0 {
		n++
	}
	if p.reentrancy != NoReentrancy {
		n += p.suspended()
	}
	n += p.pocketed()
	for which := range p.lanes {
		l := p.lanes[which].Load()
		if l == nil {
			continue
		}
		waiting, ok := l.look()
		if !ok {
			waiting = p.showLane(Lane(which))
		}
		n += waiting
	}
	return n
}

// showLane makes a lane show what waits behind the messages in hand from now on,
// and returns how many messages it has.
func (p *proc) showLane(which Lane) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lanes[which].Load()
	if l == nil {
		return 0 // The actor has ended just now.
	}
	n := l.pending()
	l.shown.Store(int32(n))
	return n + int(l.rest.Load())
}

// AfterBacklog calls f once, on a goroutine of its own, when the actor has handled the
// messages that it had accepted before the call, or has stopped. Other than
// [Ref.Backlog], it tells of exactly these: messages that come later do not delay it. Package
// netio uses it to count the bytes that a connection's actor has still to handle. A restart does not lose it, as it does not lose the messages. While the actor
// is suspended, or held by its parent, it waits.
//
// Of a reentrant actor, and of an actor with readers, the handlers of these messages
// have begun, and those that wait have not returned. Messages that were stashed count as
// handled.
//
// AfterBacklog returns [ErrStalePID], and does not call f, if the actor has stopped or is
// about to. It costs some 500 ns. It is safe for concurrent use.
func (s *System) AfterBacklog(id PID, f func()) error {
	switch {
	case s.missing():
		return ErrNoSystem
	case f == nil:
		return fmt.Errorf("actor: after the backlog of %s: the function is nil", id)
	}
	p := s.lookup(id)
	if p != nil && p.isStandIn() {
		return p.elsewhere("after the backlog of")
	}
	if p == nil || !p.mark(nil, &signal{after: f}) {
		return fmt.Errorf("after the backlog of %s: %w", id, ErrStalePID)
	}
	return nil
}

// callLater calls what was given to AfterBacklog.
func (p *proc) callLater(f func()) {
	contained := func() {
		defer func() {
			if v := recover(); v != nil {
				p.sys.log().Error("a function of AfterBacklog panicked", slog.Any("panic", v), slog.String("actor", p.String()))
			}
		}()
		f()
	}
	if !p.sys.scheduler.Later(p.String, contained) {
		go contained()
	}
}

// Lane returns the lane of the message that is being handled, and Data in a
// hook. It is meant for the handler itself.
func (c *scope) Lane() Lane {
	if c.lane >= numLanes {
		return Data
	}
	return c.lane
}

// Deliverer hands a message to one of several actors, and returns which one has
// it. On an error none has. It sends the message with the context that it is given,
// or with one that comes from it: by that the message is known to be the ask's where
// its [Reply] is behind a pointer.
type Deliverer[M any] interface {
	Deliver(ctx context.Context, m M) (Ref[M], error)
}

// AskBy is [Ask] for a message that one of several actors of a system answers:
// by delivers it. Where the message comes to the actor whose handler asks, AskBy
// returns a [*CycleError], as where it closes a longer ring, and the message is
// handled later, without an asker.
func AskBy[M, T any](ctx context.Context, s *System, by Deliverer[M], msg func(Reply[T]) M) (T, error) {
	var zero T
	ctx = orBackground(ctx)
	switch {
	case s.missing():
		return zero, ErrNoSystem
	case by == nil:
		return zero, fmt.Errorf("actor: ask: the Deliverer is nil")
	case msg == nil:
		return zero, fmt.Errorf("actor: ask: the function that makes the message is nil")
	}
	f, asker := s.caller(ctx)
	var up address
	if asker != nil {
		up = askedIn(ctx, f, asker)
	}
	slot := takeSlot[T](ctx, f, s, asker, up)
	slot.waiter.ArmOn(f, s.scheduler)
	round := slot.open(asker, nil, up, AskWait, Data)
	s.asks.rouse()
	to, err := deliverAsk(ctx, by, msg(Reply[T]{slot: slot, round: round}), address{&slot.asking, round})
	if err == nil && to.cell != nil && asker != nil {
		slot.delivered(round, &to.cell.proc, to.lane)
		if err = asker.enterWait(f, &to.cell.proc, &slot.asking, round); err != nil {
			err = fmt.Errorf("ask %s: %w", to, err)
		}
	}
	if err != nil {
		slot.withdraw(round)
		slot.keep(f)
		return zero, s.asks.expired(err, targetOf(to), reflect.TypeFor[M]())
	}
	if s.simulated {
		slot.explainWait(ctx, s, targetOf(to), round)
	}
	slot.lift(f, asker, round)
	err = slot.await(ctx, s, round)
	slot.endLift()
	v := slot.value
	if err != nil || slot.err != nil {
		err = s.asks.failed(err, slot.err, targetOf(to), reflect.TypeFor[M]())
	}
	slot.keep(f)
	return v, err
}
