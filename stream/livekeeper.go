package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/actor"
)

// liveOrders is how many subscriptions may come before the keeper knows of them: so many that
// nobody waits.
const liveOrders = 1 << 20

// liveKeeper is the topic's actor. No message goes through it: it monitors the subscribers,
// is the parent of the couriers, and lives as long as the topic.
type liveKeeper struct {
	ended    func()
	watched  map[actor.Monitor]*Subscription
	monitors map[*Subscription]actor.Monitor
}

// liveOrder tells the keeper what to do: one of these.
type liveOrder struct {
	watch  *Subscription
	pid    actor.PID // Of the actor to be watched.
	forget *Subscription

	spawn func(at actor.Spawner) error
	done  actor.Reply[struct{}]
}

// Receive carries out an order.
func (k *liveKeeper) Receive(ctx *actor.Context[liveOrder], o liveOrder) error {
	switch {
	case o.watch != nil:
		if o.watch.state.Load()&subEnded != 0 {
			return nil
		}
		m, err := ctx.Monitor(o.pid)
		if err != nil {
			return err
		}
		k.watched[m], k.monitors[o.watch] = o.watch, m
	case o.forget != nil:
		if m, ok := k.monitors[o.forget]; ok {
			ctx.Demonitor(m)
			delete(k.monitors, o.forget)
			delete(k.watched, m)
		}
	case o.spawn != nil:
		if err := o.spawn(ctx); err != nil {
			return o.done.Fail(ctx, err)
		}
		return o.done.Send(ctx, struct{}{})
	}
	return nil
}

// Down ends the subscription of an actor that has ended.
func (k *liveKeeper) Down(_ *actor.Context[liveOrder], m actor.Monitor, e actor.Exit) error {
	s := k.watched[m]
	delete(k.watched, m)
	delete(k.monitors, s)
	why := actor.ErrStopped
	if e.Reason != nil && !errors.Is(e.Reason, actor.ErrStalePID) {
		why = fmt.Errorf("%w: %w", why, e.Reason)
	}
	s.end(why)
	return nil
}

// Stopped ends the topic.
func (k *liveKeeper) Stopped(*actor.Context[liveOrder], error) { k.ended() }

// enter makes m known. From now on it gets messages. If pid is not zero, the subscription ends
// with that actor.
func (l *Live[T]) enter(ctx context.Context, m *liveMember[T], pid actor.PID) error {
	l.mu.Lock()
	if l.closed.Load() {
		l.mu.Unlock()
		return ErrLiveClosed
	}
	l.members.Store(&liveMembers[T]{append(l.members.Load().all, m)})
	l.mu.Unlock()
	if pid == (actor.PID{}) {
		return nil
	}
	if err := l.keeper.Send(ctx, liveOrder{watch: &m.Subscription, pid: pid}); err != nil {
		if errors.Is(err, actor.ErrStopped) {
			err = ErrLiveClosed
		}
		m.end(err)
		return err
	}
	return nil
}

// fewMembers are so few that the list is rebuilt when one leaves. Of more, half have to have
// left: so that each costs the same, however many there are.
const fewMembers = 64

// leave takes out a member that has ended.
func (l *Live[T]) leave(m *liveMember[T]) {
	l.mu.Lock()
	all := l.members.Load().all
	l.gone++
	if len(all) <= fewMembers || 2*l.gone > len(all) {
		left := slices.DeleteFunc(slices.Clone(all), func(m *liveMember[T]) bool { return m.state.Load()&subEnded != 0 })
		l.members.Store(&liveMembers[T]{left})
		l.gone = 0
	}
	l.mu.Unlock()
	if !l.closed.Load() {
		_ = l.keeper.TrySend(context.Background(), liveOrder{forget: &m.Subscription}) // If it has ended, so has the monitor.
	}
}
