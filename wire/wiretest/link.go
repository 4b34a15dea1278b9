package wiretest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/kernel/standin"
	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/wire"
)

// ErrLost is the reason of what ends by [Link.Lose].
var ErrLost = errors.New("wiretest: the other node is lost")

// Link joins two systems of one process. Each message is encoded, and decoded for the other system, as between two
// processes. Its methods are safe for concurrent use.
type Link struct {
	nodes Nodes
	sides [2]*side
}

// side is the carrier of one of the systems.
type side struct {
	link  *Link
	host  standin.Host
	other *side
	agree *wire.Agreement
	out   *queue // The letters to the other side.

	ctx    context.Context // Ends with the link.
	cancel context.CancelCauseFunc
	orders sync.WaitGroup

	mu       sync.Mutex
	watched  map[uint64]standin.StandIn // The actors of the other side that are watched here, by number.
	watching map[uint64]func()          // How to end the watches of the other side here.
}

// T is what this package needs of a test. A [testing.TB] has it, and so have the tests of packages for random tests.
type T interface {
	Helper()
	Fatal(args ...any)
	Cleanup(f func())
}

// Join makes a and b nodes, with a link between them that carries the types that r has. It fails t if it can't, and the link ends with the test.
// The systems must not be nodes already, and have to stop by themselves.
func Join(t T, r *wire.Registry, a, b *actor.System) *Link {
	t.Helper()
	offer, err := r.Offer()
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{}
	for i, sys := range []*actor.System{a, b} {
		s := &side{link: l, out: newQueue(), watched: map[uint64]standin.StandIn{}, watching: map[uint64]func(){}}
		s.ctx, s.cancel = context.WithCancelCause(context.Background())
		if s.agree, err = offer.Agree(offer.Bytes()); err != nil {
			t.Fatal(err)
		}
		if s.host, err = standin.Join(sys, standin.Node{Name: []string{"a", "b"}[i], Birth: 7}, s); err != nil {
			t.Fatal(err)
		}
		l.sides[i] = s
		l.nodes.Systems[i], l.nodes.Bind[i] = sys, func(ref any) error { return s.host.Bind(ref, nil) }
	}
	l.sides[0].other, l.sides[1].other = l.sides[1], l.sides[0]
	l.nodes.Lose = l.Lose
	t.Cleanup(func() { l.end(ErrLost) })
	return l
}

// Nodes returns the two systems, for [Move] and for what [Run] takes.
func (l *Link) Nodes() Nodes { return l.nodes }

// Flush returns when all that was sent before has arrived: each message is in its actor's lane, or a dead letter. It returns an
// error if ctx ends before.
func (l *Link) Flush(ctx context.Context) error {
	var left sync.WaitGroup
	for _, s := range l.sides {
		left.Add(1)
		s.out.behind(left.Done)
	}
	all := make(chan struct{})
	go func() {
		left.Wait()
		close(all)
	}()
	select {
	case <-all:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wiretest: messages are under way yet: %w", context.Cause(ctx))
	}
}

// Lose ends the link, as if each node had lost the other: their stand-ins end with [ErrLost]. Letters under way may arrive
// or not.
func (l *Link) Lose() { l.end(ErrLost) }

func (l *Link) end(reason error) {
	for _, s := range l.sides {
		s.out.end(reason)
		s.cancel(reason)
	}
	for _, s := range l.sides {
		s.host.Ended(s.other.host.Node(), reason)
	}
	for _, s := range l.sides {
		s.out.idle.Wait()
		s.orders.Wait()
	}
}

// lane is the key of a queue.
type lane struct {
	target uint64
	lane   standin.Lane
}

// Backlog implements [standin.Counter].
func (s *side) Backlog(to standin.StandIn) (n int) {
	for l := range standin.Lane(3) {
		n += s.out.underWay(lane{to.Address().Number, l})
	}
	return n
}

// Route implements [standin.Carrier].
func (s *side) Route(standin.StandIn) any { return nil }

// Carry implements [standin.Carrier].
func (s *side) Carry(ctx context.Context, to standin.StandIn, l standin.Letter) error {
	data, err := s.agree.Append(nil, reflect.ValueOf(l.Message).Elem().Interface())
	if err != nil {
		return err
	}
	var ask *standin.Ask
	var values []byte
	var left time.Duration
	limited := false
	if l.Ask != nil {
		ask = &standin.Ask{To: l.Ask.To, Chain: append([]standin.Address(nil), l.Ask.Chain...)}
		if from := l.Ask.Context; from != nil {
			if values, err = s.agree.AppendValues(nil, from); err != nil {
				return err
			}
			var at time.Time
			if at, limited = from.Deadline(); limited {
				left = time.Until(at)
			}
		}
	}
	number := to.Address().Number
	return s.out.enter(ctx, lane{number, l.Lane}, true, l.Wait, func() {
		if ask != nil {
			if err := s.other.receiveAsk(ask, values, limited, left); err != nil {
				_ = s.other.Answer(ask.To, nil, err)
				return
			}
		}
		s.other.receive(number, l.Lane, data, ask)
	})
}

// receiveAsk completes an ask that has come.
func (s *side) receiveAsk(ask *standin.Ask, values []byte, limited bool, left time.Duration) error {
	ctx := context.Background()
	if values != nil {
		var err error
		if ctx, err = s.agree.DecodeValues(ctx, values); err != nil {
			return err
		}
	}
	if limited {
		ctx = timed{ctx, time.Now().Add(left)}
	}
	ask.Context = ctx
	return nil
}

// timed is a context with a deadline that only tells of it.
type timed struct {
	context.Context
	at time.Time
}

func (t timed) Deadline() (time.Time, bool) { return t.at, true }

// receive delivers a message that has come. The message waits for room, and so do those for the same lane behind it.
func (s *side) receive(number uint64, l standin.Lane, data []byte, ask *standin.Ask) {
	m, err := s.decode(data, ask)
	if err != nil {
		if ask != nil {
			_ = s.Answer(ask.To, nil, err)
			s.host.Cancel(ask.To, err)
		}
		return
	}
	_ = s.host.Deliver(s.ctx, number, standin.Letter{Lane: l, Message: m, Wait: true, Ask: ask}) // It is a dead letter there.
}

// decode returns the value in the data, with its refs bound. The data is used up.
func (s *side) decode(data []byte, ask *standin.Ask) (any, error) {
	m, err := s.agree.DecodeFor(data, func(ref any) error { return s.host.Bind(ref, ask) })
	for i := range data {
		data[i] = poison
	}
	return m, err
}

// poison fills the bytes of messages that were decoded, so that no message refers to them.
const poison = 0xdb

// keys of queues for what is no message.
type (
	answerKey struct{}
	orderKey  struct{}
)

// Answer implements [standin.Carrier].
func (s *side) Answer(to standin.Address, value any, err error) error {
	var data []byte
	var failed error
	if err == nil {
		if data, failed = s.agree.Append(nil, value); failed != nil {
			err = fmt.Errorf("%w: the answer can't be sent: %w", actor.ErrNoReply, failed)
		}
	}
	isError := err != nil
	if isError {
		data = s.agree.AppendError(nil, err)
	}
	if to.Node == s.host.Node() { // An ask of this node whose message has been away.
		return failed
	}
	ended := s.out.enter(context.Background(), answerKey{}, false, false, func() { s.other.answered(to.Number, data, isError) })
	if failed == nil {
		failed = ended
	}
	return failed
}

func (s *side) answered(number uint64, data []byte, isError bool) {
	var err error
	if isError {
		remote, bad := s.agree.DecodeError(data)
		if err = remote; bad != nil {
			err = bad
		}
		_ = s.host.Answered(number, nil, err) // Late.
		return
	}
	value, err := s.decode(data, nil)
	_ = s.host.Answered(number, value, err) // Late.
}

// Cancel implements [standin.Carrier].
func (s *side) Cancel(_ standin.StandIn, ask standin.Address, cause error) {
	data := s.agree.AppendError(nil, cause)
	_ = s.out.enter(context.Background(), orderKey{}, false, false, func() { // The link is over.
		if remote, err := s.agree.DecodeError(data); err == nil {
			s.other.host.Cancel(ask, remote)
		}
	})
}

// Order implements [standin.Carrier].
func (s *side) Order(ctx context.Context, to standin.StandIn, o standin.Order) error {
	number := to.Address().Number
	w := &waiter{}
	w.Arm(ctx, nil)
	defer w.Disarm()
	var mu sync.Mutex // Guards what follows.
	var done, left bool
	var result error
	defer func() {
		mu.Lock()
		left = true
		mu.Unlock()
	}()
	there, cancel := context.WithCancelCause(s.other.ctx)
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	finish := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if done, result = true, err; !left {
			w.Wake(nil, workers.Low)
		}
	}
	obey := func() {
		s.orders.Add(1)
		go func() {
			defer s.orders.Done()
			defer stop()
			defer cancel(nil)
			err := s.other.host.Order(there, number, o)
			if err != nil {
				if remote, bad := s.agree.DecodeError(s.agree.AppendError(nil, err)); bad == nil {
					err = remote
				}
			}
			finish(err)
		}()
	}
	if err := s.out.enter(ctx, orderKey{}, false, false, obey); err != nil {
		stop()
		cancel(nil)
		return err
	}
	if o == standin.Kill {
		return nil
	}
	for {
		mu.Lock()
		over, err := done, result
		mu.Unlock()
		if over {
			return err
		}
		if !w.Wait(ctx) {
			return context.Cause(ctx)
		}
	}
}

// Watch implements [standin.Carrier].
func (s *side) Watch(to standin.StandIn, on bool) {
	number := to.Address().Number
	s.mu.Lock()
	if on {
		s.watched[number] = to
	} else {
		delete(s.watched, number)
	}
	s.mu.Unlock()
	_ = s.out.enter(context.Background(), orderKey{}, false, false, func() { s.other.watch(number, on) }) // The link is over.
}

// watch begins or ends a watch for the other side.
func (s *side) watch(number uint64, on bool) {
	s.mu.Lock()
	cancel := s.watching[number]
	delete(s.watching, number)
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	if !on {
		return
	}
	cancel = s.host.Watch(number, func(name string, reason error) {
		var data []byte
		if reason != nil {
			data = s.agree.AppendError(nil, reason)
		}
		s.out.behind(func() { s.other.exited(number, name, data) })
	})
	s.mu.Lock()
	s.watching[number] = cancel
	s.mu.Unlock()
}

// exited tells the stand-in of an actor that it has ended.
func (s *side) exited(number uint64, name string, data []byte) {
	s.mu.Lock()
	to := s.watched[number]
	delete(s.watched, number)
	s.mu.Unlock()
	if to == nil {
		return
	}
	var reason error
	if data != nil {
		remote, err := s.agree.DecodeError(data)
		if reason = remote; err != nil {
			reason = err
		}
	}
	to.Exited(name, reason)
}
