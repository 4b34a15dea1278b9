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

// WhenFull says what becomes of a message for which a subscriber has no room: its lane and
// its buffer, if it has one, are full, or it is paused and has no buffer.
type WhenFull uint8

const (
	// WaitForRoom makes publishers wait. It is the default.
	WaitForRoom WhenFull = iota
	// DropNewest drops the message that finds no room. It counts as dropped.
	DropNewest
	// DropOldest drops the oldest message of the buffer, and takes the newest in its
	// place. It counts as dropped, and an actor's is a dead letter with the reason
	// [actor.ErrOverflow] besides. The subscription must have a buffer.
	DropOldest
	// EndSubscription ends the subscription, with [ErrTooSlow]. The message counts as
	// dropped, and so do the messages of the buffer.
	EndSubscription

	numWhenFull = 4
)

// String returns the name in words.
func (w WhenFull) String() string {
	if w < numWhenFull {
		return [numWhenFull]string{"wait for room", "drop newest", "drop oldest", "end subscription"}[w]
	}
	return fmt.Sprintf("WhenFull(%d)", uint8(w))
}

// maxBuffer keeps a slip of the pen from asking for all memory.
const maxBuffer = 1 << 24

func (w WhenFull) check(buffer int) error {
	switch {
	case w >= numWhenFull:
		return fmt.Errorf("%w: WhenFull is %v; use WaitForRoom, DropNewest, DropOldest or EndSubscription", ErrSubscriber, w)
	case buffer < 0 || buffer > maxBuffer:
		return fmt.Errorf("%w: Buffer is %d; it must be from 0 to %d", ErrSubscriber, buffer, maxBuffer)
	case w == DropOldest && buffer == 0:
		return fmt.Errorf("%w: DropOldest needs a Buffer of at least 1, since what is in an actor's own lane can't be taken back", ErrSubscriber)
	}
	return nil
}

// Subscriber is an actor that takes what is published to a topic. The topic's messages are of
// type T, the actor's of type M.
type Subscriber[T, M any] struct {
	// To is the actor: of this system, or one elsewhere. A ref from [actor.Ref.On] says on
	// which lane the messages come. It is needed.
	To actor.Ref[M]
	// Wrap makes messages of the actor's type. It may be nil if the types are the same.
	Wrap func(T) M
	// Where chooses the messages that the actor gets: those for which it returns true. A
	// nil Where chooses all.
	//
	// Wrap and Where are called by Publish, for several messages at the same time if several
	// publish. They must not wait. If one panics, the actor does not get the message, which is counted,
	// and the publisher sees nothing of it.
	Where func(T) bool
	// EndOnPanic ends the subscription when Where or Wrap panics, with [ErrPanicked].
	EndOnPanic bool
	// Buffer is how many messages may wait outside of the actor's lane. With a buffer, another
	// actor is in between, which hands over the messages as the lane has room: that takes one
	// hop more. Defaults to 0, which is no buffer.
	Buffer int
	// WhenFull says what becomes of a message for which there is no room. Defaults to
	// WaitForRoom.
	WhenFull WhenFull
}

// Subscribe has the actor get copies of all messages. It is [Subscribe] for an actor that takes them as they are.
func (l *Live[T]) Subscribe(ctx context.Context, to actor.Ref[T]) (*Subscription, error) {
	return Subscribe(ctx, l, Subscriber[T, T]{To: to})
}

// Subscribe has an actor get what is published to a live topic, from the next message on: it gets each
// message whose publish begins after Subscribe has returned. An actor may have several subscriptions to one
// topic, and gets as many copies. A subscription ends with its actor, with the topic, and by
// [Subscription.End]; the restart of an actor is no end.
//
// Subscribe returns [ErrLiveClosed], [ErrSubscriber], [actor.ErrNoRef] and [actor.ErrStopped],
// and an error for an actor of another system, which has no stand-in here. It costs a monitor, and with a buffer an
// actor.
func Subscribe[T, M any](ctx context.Context, from *Live[T], s Subscriber[T, M]) (*Subscription, error) {
	return subscribe(ctx, from, s, liveBegin{})
}

// liveBegin is how a subscription begins.
type liveBegin struct {
	state uint32
	atEnd func(*Subscription) // May be nil.
}

// subscribe is Subscribe with more to say.
func subscribe[T, M any](ctx context.Context, from *Live[T], s Subscriber[T, M], begin liveBegin) (*Subscription, error) {
	switch {
	case from.isVoid():
		return nil, ErrNoLive
	case s.To == actor.Ref[M]{}:
		return nil, fmt.Errorf("stream: subscribe to %s: %w", from.name, actor.ErrNoRef)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	m, err := newMember(from, s)
	if err == nil {
		err = checkActor(from.sys, s.To)
	}
	if err == nil {
		m.state.Store(begin.state)
		m.atEnd = begin.atEnd
	}
	if err == nil && m.courier != nil {
		err = m.courier.start(ctx, from.keeper, s.Buffer)
	}
	if err == nil {
		err = from.enter(ctx, m, s.To.PID())
	}
	if err != nil {
		return nil, fmt.Errorf("subscribe %s to %s: %w", s.To, from.name, err)
	}
	return &m.Subscription, nil
}

// newMember returns the member that the subscriber describes, which nobody knows yet.
func newMember[T, M any](from *Live[T], s Subscriber[T, M]) (*liveMember[T], error) {
	same, isSame := any(s.To).(actor.Ref[T])
	if err := s.WhenFull.check(s.Buffer); err != nil {
		return nil, err
	}
	if s.Wrap == nil && !isSame {
		return nil, fmt.Errorf("%w: Wrap is nil, but the topic has messages of type %v, and the actor takes %v", ErrSubscriber, reflect.TypeFor[T](), reflect.TypeFor[M]())
	}
	m := &liveMember[T]{where: s.Where}
	m.topic, m.full, m.name, m.endOnPanic = &from.liveCore, s.WhenFull, s.To.String(), s.EndOnPanic
	m.actor = s.To.PID()
	m.remove = func() { from.leave(m) }
	switch {
	case s.Buffer > 0:
		wrap := s.Wrap
		if wrap == nil {
			wrap, _ = any(func(v T) T { return v }).(func(T) M)
		}
		c := &courier[T, M]{wrapper: wrapper[T, M]{&m.Subscription, wrap}, to: s.To}
		m.to, m.courier, m.buffered = c, c, true
	case s.Wrap == nil:
		m.ref, m.to, m.plain = same, plainReceiver[T]{same}, s.Where == nil
	default:
		m.to = &wrappedReceiver[T, M]{wrapper[T, M]{&m.Subscription, s.Wrap}, s.To}
	}
	m.lag = m.to.lag
	return m, nil
}

// checkActor finds out whether the actor can be monitored by one of the system.
func checkActor[M any](sys *actor.System, to actor.Ref[M]) error {
	if own, err := actor.Resolve[M](sys, to.PID()); err == nil && own == to.On(actor.Data) {
		return nil
	}
	if i, err := to.Info(); err == nil && i.State == actor.Exited {
		return actor.ErrStopped
	}
	return fmt.Errorf("%w: the actor belongs to another system, or ends right now", ErrSubscriber)
}

// The states of a subscription are bits of one word.
const (
	subPaused uint32 = 1 << iota
	subMuted
	subEnded
)

// Subscription is what somebody has who gets the messages of a topic. Its methods are safe for
// concurrent use. A nil or zero Subscription is one that has ended.
type Subscription struct {
	// state is read for each message. Written under mu, except that the end is only set once.
	state      atomic.Uint32
	buffered   bool
	full       WhenFull
	endOnPanic bool
	topic      *liveCore
	name       string
	actor      actor.PID // Of the subscriber, or zero.
	remove     func()    // Takes the member out of the topic.
	lag        func() int
	courier    liveCourier         // Nil without a buffer.
	atEnd      func(*Subscription) // May be nil.

	filtered, dropped, missed, panicked atomic.Uint64
	buffer                              liveBuffer

	mu    sync.Mutex
	why   error
	fault error         // The last one of the courier.
	done  chan struct{} // Made on first use.
	gate  []*workers.Waiter
	waits map[*context.CancelCauseFunc]struct{} // Of publishers that wait for room.
}

func (s *Subscription) isVoid() bool { return s == nil || s.topic == nil }

func (s *Subscription) count(own, all *atomic.Uint64) {
	own.Add(1)
	all.Add(1)
}

// panics deals with a function of the subscriber that has panicked.
func (s *Subscription) panics(what string, v any) {
	s.count(&s.panicked, &s.topic.panicked)
	if s.endOnPanic {
		s.end(fmt.Errorf("%w: %s of subscriber %s: %v", ErrPanicked, what, s.name, v))
	}
}

// Pause holds the messages back. With a buffer they collect there; without one there is no room
// for them, and WhenFull says what becomes of them: so by default publishers wait. Messages
// that are in the actor's lane already are handled.
func (s *Subscription) Pause() { s.change(subPaused, 0) }

// Resume ends a pause.
func (s *Subscription) Resume() { s.change(0, subPaused) }

// Mute drops the messages that come, instead of handing them over. They count as dropped. A
// subscription that is both is paused.
func (s *Subscription) Mute() { s.change(subMuted, 0) }

// Unmute has messages come again.
func (s *Subscription) Unmute() { s.change(0, subMuted) }

// set sets both modes at once.
func (s *Subscription) set(paused, muted bool) {
	var set uint32
	if paused {
		set |= subPaused
	}
	if muted {
		set |= subMuted
	}
	s.change(set, subPaused|subMuted)
}

func (s *Subscription) change(set, clear uint32) {
	if s.isVoid() {
		return
	}
	s.mu.Lock()
	before := s.state.Load()
	s.state.Store(before&^clear | set)
	var woken []*workers.Waiter
	if s.state.Load()&subPaused == 0 {
		woken, s.gate = s.gate, nil
	}
	s.mu.Unlock()
	for _, w := range woken {
		w.Wake(nil, workers.Own)
	}
}

// End ends the subscription. When it has returned, the subscriber gets no message that is
// published later, and what waits in the buffer is dropped and counted. Ending it again does
// nothing. Publishers that wait for the subscriber go on.
func (s *Subscription) End() { s.end(nil) }

// Done returns a channel that is closed when the subscription has ended.
func (s *Subscription) Done() <-chan struct{} {
	if s.isVoid() {
		return actor.Ref[int]{}.Done()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done == nil {
		s.done = make(chan struct{})
		if s.state.Load()&subEnded != 0 {
			close(s.done)
		}
	}
	return s.done
}

// Err returns why the subscription has ended: [ErrTooSlow], [ErrPanicked], [ErrLiveClosed], or
// [actor.ErrStopped] if the actor has ended. It is nil while it has not, and after End.
func (s *Subscription) Err() error {
	if s.isVoid() {
		return ErrNoLive
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

func (s *Subscription) end(why error) {
	if s.isVoid() {
		return
	}
	s.mu.Lock()
	if s.state.Load()&subEnded != 0 {
		s.mu.Unlock()
		return
	}
	s.state.Store(s.state.Load() | subEnded)
	s.why = why
	if s.done != nil {
		close(s.done)
	}
	gate, waits := s.gate, s.waits
	s.gate, s.waits = nil, nil
	s.mu.Unlock()
	for _, w := range gate {
		w.Wake(nil, workers.Own)
	}
	for cancel := range waits {
		(*cancel)(errGone)
	}
	s.remove()
	if s.courier != nil {
		s.courier.stop()
	}
	if s.atEnd != nil {
		s.atEnd(s)
	}
}

// waitFor hands over what is late.
func (s *Subscription) waitFor(ctx context.Context, late liveLate) error {
	if late.goesOn {
		return late.wait(ctx)
	}
	return s.await(ctx, late.wait)
}

// isAwaited reports whether somebody waits for room at the actor in whose handler the caller runs.
func (s *Subscription) isAwaited(ctx context.Context) bool {
	if s.actor == (actor.PID{}) || !s.topic.sys.Inside(ctx, s.actor) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waits) > 0 || len(s.gate) > 0
}

// await runs a wait that the end of the subscription ends too.
func (s *Subscription) await(ctx context.Context, wait func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.mu.Lock()
	if s.state.Load()&subEnded != 0 {
		s.mu.Unlock()
		return errGone
	}
	if s.waits == nil {
		s.waits = map[*context.CancelCauseFunc]struct{}{}
	}
	s.waits[&cancel] = struct{}{}
	s.mu.Unlock()
	if s.topic.closed.Load() {
		s.topic.wakeClosers() // It may be one of them for whose lane this waits.
	}
	defer func() {
		s.mu.Lock()
		delete(s.waits, &cancel)
		s.mu.Unlock()
	}()
	err := wait(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errGone) {
		return errGone
	}
	return err
}

// awaitOpen waits until the subscription is not paused.
func (s *Subscription) awaitOpen(ctx context.Context) error {
	if s.state.Load()&(subPaused|subEnded) == 0 {
		return nil
	}
	scheduler := (*workers.Scheduler)(s.topic.sys.Scheduler())
	var w workers.Waiter
	w.Arm(ctx, scheduler)
	defer w.Disarm()
	mine := new(workers.Waiter)
	*mine = w
	w.Explain(scheduler, func() string { return "for " + s.name + ", which is paused" })
	for {
		s.mu.Lock()
		state := s.state.Load()
		if state&(subPaused|subEnded) == 0 || state&subEnded != 0 || ctx.Err() != nil {
			s.withdraw(mine)
			s.mu.Unlock()
			switch {
			case state&subEnded != 0:
				return errGone
			case state&subPaused == 0:
				return nil
			}
			return fmt.Errorf("it is paused: %w", context.Cause(ctx))
		}
		s.withdraw(mine)
		s.gate = append(s.gate, mine)
		s.mu.Unlock()
		w.Wait(ctx)
	}
}

// withdraw takes a waiter out of the gate. The caller holds mu.
func (s *Subscription) withdraw(w *workers.Waiter) {
	for i, other := range s.gate {
		if other == w {
			s.gate = append(s.gate[:i], s.gate[i+1:]...)
			return
		}
	}
}
