package stream

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers"
)

// Live is a topic that stores nothing: a message goes to the subscribers there are when it is
// published. All methods are safe for concurrent use, and work in handlers. A nil or zero
// Live returns [ErrNoLive].
//
// # Protocol
//
// A publish loads the members once, and offers the message to each of them: first to all
// that have room, so that a slow one keeps none of the others from it, and then it waits for
// the late ones, one after the other. Each publish counts itself in begun, then looks at
// closed, and counts itself in ended at its end. Close sets closed, and then waits until the
// two are equal. A publish with late copies has ended when these have been settled.
//
// Delivered copies are counted once for each publish, for the topic as a whole. A counter
// for each subscription would be an atomic addition for each copy, some 5 ns beside a send of 26.
type Live[T any] struct {
	liveCore
	members atomic.Pointer[liveMembers[T]]
}

// liveCore is what is the same for all types of messages.
type liveCore struct {
	name   string
	sys    *actor.System
	keeper actor.Ref[liveOrder]
	closed atomic.Bool // Written by Close and by the end of the keeper.

	_                [64]byte // Keeps the fields that each message writes apart from the ones it reads.
	begun, ended     atomic.Uint64
	refused          atomic.Uint64 // Of begun, since the topic was closed.
	delivered        atomic.Uint64
	filtered         atomic.Uint64
	dropped, missed  atomic.Uint64
	panicked, waited atomic.Uint64
	waiting          atomic.Int64 // Publishers that wait for late subscribers.
	buffers          liveBuffer   // Of all subscriptions, also of those that have ended.
	_                [64]byte

	mu      sync.Mutex
	gone    int               // Members that have ended, and are still listed.
	closers []*workers.Waiter // Calls of Close that wait for publishes.
	feeds   map[*liveCore]int // Topics that this one feeds by Mix, and by how many of them. Under mixing.
}

// liveMembers are the members at one time. A longer one may share the array.
type liveMembers[T any] struct{ all []*liveMember[T] }

// LiveConfig says what a live topic is like. The zero LiveConfig is a valid one.
type LiveConfig struct {
	// Name is the topic's in errors and in snapshots. Defaults to "live topic".
	Name string
}

// NewLive starts a live topic, at the top of a system or below the actor whose context is
// given, with which it then ends. It costs an actor, through which no message goes.
func NewLive[T any](at actor.Spawner, cfg LiveConfig) (*Live[T], error) {
	sys := liveSystem(at)
	if sys.Scheduler() == nil {
		return nil, errors.New("stream: the Spawner is nil or zero; use a System that comes from NewSystem, or the Context of a handler")
	}
	l := &Live[T]{}
	l.name, l.sys = cfg.Name, sys
	if l.name == "" {
		l.name = "live topic"
	}
	l.members.Store(&liveMembers[T]{})
	k := &liveKeeper{ended: func() { l.force() }, watched: map[actor.Monitor]*Subscription{}, monitors: map[*Subscription]actor.Monitor{}}
	var err error
	l.keeper, err = actor.Spawn(at, actor.Actor[liveOrder](k), actor.WithName(l.name), actor.WithCapacity(actor.Data, liveOrders))
	if err != nil {
		return nil, fmt.Errorf("stream: start %s: %w", l.name, err)
	}
	return l, nil
}

func liveSystem(at actor.Spawner) (sys *actor.System) {
	if p := reflect.ValueOf(at); at != nil && (p.Kind() != reflect.Pointer || !p.IsNil()) {
		switch at := at.(type) {
		case *actor.System:
			sys = at
		case interface{ System() *actor.System }:
			sys = at.System()
		}
	}
	return sys
}

// String returns the topic's name.
func (l *Live[T]) String() string {
	if l.isVoid() {
		return "<no topic>"
	}
	return l.name
}

func (l *Live[T]) isVoid() bool { return l == nil || l.sys == nil }

// Publish hands a copy of v to each subscriber, and returns when all of them have it. It waits
// for those that have no room, until ctx ends, in a handler without holding a worker; see
// [WhenFull] for subscriptions that are not waited for. Messages of one publisher come to each
// subscriber in the order in which they were published. A subscriber that comes during a publish gets
// the next message.
//
// A subscriber that has ended is removed, and is no error. Publish returns [ErrLiveClosed] if
// the topic was closed. Otherwise an error joins the errors of the subscribers that have not got
// v, by name; the others have it, and each that has not counts in [LiveStats].Missed. That happens
// when ctx ends first, and when a wait could never end: a handler of a subscriber, which
// publishes while its own lane is full, gets [actor.ErrFull], and one that closes a ring of
// waits gets [actor.ErrCycle].
//
// It costs what a send to each subscriber costs, and allocates nothing unless it waits.
func (l *Live[T]) Publish(ctx context.Context, v T) error {
	late, err := l.offerAll(ctx, v)
	if late == nil {
		return err
	}
	return l.finishAll(ctx, late, err)
}

// TryPublish is [Live.Publish], except that it never waits. Where subscribers have no room it returns
// a [*FullError], which names the slowest of them. These have not got v; the others have.
func (l *Live[T]) TryPublish(ctx context.Context, v T) error {
	late, err := l.offerAll(ctx, v)
	if late == nil {
		return err
	}
	full := &FullError{Topic: l.name, Lag: -1, Full: len(late), Subscribers: len(l.members.Load().all)}
	for _, c := range late {
		if lag := c.to.lag(); lag > full.Lag {
			full.Slowest, full.Lag = c.to.name, lag
		}
	}
	l.forgoAll(late)
	return errors.Join(err, full)
}

// begin counts a publish that begins. It returns false, and counts nothing, if the topic is closed.
func (l *liveCore) begin() bool {
	l.begun.Add(1)
	if !l.closed.Load() {
		return true
	}
	l.refused.Add(1)
	l.end()
	return false
}

// end counts the end of a publish, and wakes those that wait for it.
func (l *liveCore) end() {
	l.ended.Add(1)
	if l.closed.Load() {
		l.wakeClosers()
	}
}

// livePass is one publish, as far as it has come.
type livePass struct {
	got  uint64
	late []lateCopy
	errs []error
}

// lateCopy is a message for a subscriber that had no room.
type lateCopy struct {
	to *Subscription
	liveLate
}

// liveLate is what is left to do for a receiver that had no room.
type liveLate struct {
	// wait hands the message over, when there is room.
	wait func(ctx context.Context) error
	// drop is called instead if the message is given up. It may be nil.
	drop func()
	// goesOn says that the end of the subscription does not end the wait.
	goesOn bool
}

// forgo gives up a copy, which counts as missed.
func (c lateCopy) forgo() {
	c.to.count(&c.to.missed, &c.to.topic.missed)
	c.abandon()
}

func (d liveLate) abandon() {
	if d.drop != nil {
		d.drop()
	}
}

// offerAll hands v to all members that have room. It returns those that have not; if there are any,
// the publish goes on until finishAll or forgoAll has settled them.
func (l *Live[T]) offerAll(ctx context.Context, v T) ([]lateCopy, error) {
	switch {
	case l.isVoid():
		return nil, ErrNoLive
	case !l.begin():
		return nil, l.closedError()
	}
	var pass livePass
	defer func() {
		if pass.late == nil {
			l.end()
		}
	}()
	if ctx == nil {
		ctx = context.Background()
	}
	for _, m := range l.members.Load().all {
		if m.plain && m.state.Load() == 0 {
			err := m.ref.TryOffer(ctx, v)
			if err == nil {
				pass.got++
			} else {
				m.notTaken(ctx, v, &pass, err)
			}
			continue
		}
		m.offer(ctx, v, &pass)
	}
	if pass.got > 0 {
		l.delivered.Add(pass.got)
	}
	return pass.late, errors.Join(pass.errs...)
}

// finishAll waits for late subscribers. It returns err joined with their errors.
func (l *liveCore) finishAll(ctx context.Context, late []lateCopy, err error) error {
	if ctx == nil {
		ctx = context.Background()
	}
	defer l.end()
	l.waited.Add(1)
	l.waiting.Add(1)
	defer l.waiting.Add(-1)
	errs := []error{err}
	done := 0
	defer func() { // There are some left if the goroutine ends by runtime.Goexit.
		for _, c := range late[done:] {
			c.forgo()
		}
	}()
	for _, c := range late {
		err := c.to.waitFor(ctx, c.liveLate)
		if err != nil {
			c.abandon()
		}
		errs = append(errs, c.to.settleLate(err))
		done++
	}
	return errors.Join(errs...)
}

// forgoAll gives up late copies, which count as missed.
func (l *liveCore) forgoAll(late []lateCopy) {
	for _, c := range late {
		c.forgo()
	}
	l.end()
}

func (l *liveCore) closedError() error { return fmt.Errorf("publish to %s: %w", l.name, ErrLiveClosed) }
