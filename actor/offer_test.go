package actor_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

// call carries an ask.
type call struct {
	do    func(*actor.Context[call]) error
	reply actor.Reply[int]
}

func answerCall(ctx *actor.Context[call], m call) error {
	if m.do != nil {
		if err := m.do(ctx); err != nil {
			return err
		}
	}
	return m.reply.Send(ctx, 1)
}

// A message that is offered to an actor that has stopped, or stops while the
// sender waits for room, is no dead letter.
func TestOfferKeepsTheMessage(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	started, open := make(chan struct{}, 1), make(chan struct{})
	ref := spawn(t, sys, func(_ *actor.Context[int], m int) error {
		if m == 0 {
			started <- struct{}{}
			<-open
		}
		return nil
	}, actor.WithCapacity(actor.Data, 1))
	send(t, ctx, ref, 0)
	receive(t, ctx, started)
	send(t, ctx, ref, 1)
	if err := ref.TryOffer(ctx, 2); !errors.Is(err, actor.ErrFull) {
		t.Errorf("TryOffer to a full lane returned %v", err)
	}
	offered := make(chan error, 1)
	go func() { offered <- ref.Offer(ctx, 3) }()
	until(t, ctx, func() bool { i, _ := ref.Info(); return i.Senders[actor.Data] == 1 })
	if n := ref.Backlog(); n != 2 {
		t.Errorf("the backlog is %d, not 2", n)
	}
	if err := ref.Stop(ended()); err == nil {
		t.Error("the stop did not wait for the handler")
	}
	close(open)
	if err := receive(t, ctx, offered); !errors.Is(err, actor.ErrStopped) {
		t.Errorf("Offer returned %v", err)
	}
	<-ref.Done()
	if err := ref.Offer(ctx, 4); !errors.Is(err, actor.ErrStopped) {
		t.Errorf("Offer to an actor that has stopped returned %v", err)
	}
	if n := sys.Stats().DeadLetters; n != 1 {
		t.Errorf("there are %d dead letters, not the one that waited", n)
	}
	if n := ref.Backlog(); n != 0 {
		t.Errorf("the backlog of an actor that has stopped is %d", n)
	}
	var none actor.Ref[int]
	if err := errors.Join(none.Offer(ctx, 1), none.TryOffer(ctx, 1)); !errors.Is(err, actor.ErrNoRef) || none.Backlog() != 0 {
		t.Errorf("the zero Ref returned %v", err)
	}
}

func wantBacklog[M any](tb testing.TB, ref actor.Ref[M], want int) {
	tb.Helper()
	if n := ref.Backlog(); n != want {
		tb.Fatalf("the backlog is %d, not %d", n, want)
	}
}

// A backlog that has been looked at follows what comes, by whatever way, and what
// is handled, although nobody asks the mailbox.
func TestBacklog(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	started, goOn := make(chan int), make(chan struct{})
	ref := spawn(t, sys, func(_ *actor.Context[int], m int) error {
		started <- m
		<-goOn
		return nil
	}, actor.WithCapacity(actor.Data, 4))
	wantBacklog(t, ref, 0)
	send(t, ctx, ref, 0)
	receive(t, ctx, started)
	wantBacklog(t, ref, 1)
	send(t, ctx, ref, 1)
	wantBacklog(t, ref, 2)
	send(t, ctx, ref.On(actor.Management), 2)
	wantBacklog(t, ref, 3)
	timer, err := actor.Every(sys, time.Millisecond, ref, 3)
	wantNoErr(t, err)
	until(t, ctx, func() bool { return ref.Backlog() == 4 })
	timer.Stop() // Which takes the tick back.
	wantBacklog(t, ref, 3)
	send(t, ctx, ref, 3, 4)
	send(t, ctx, ref, 5)
	sent := make(chan error, 1)
	go func() { sent <- ref.Send(ctx, 6) }() // Waits for room.
	until(t, ctx, func() bool { i, _ := ref.Info(); return i.Senders[actor.Data] == 1 })
	wantBacklog(t, ref, 6)
	var got []int
	for _, left := range []int{5, 5, 4, 3, 2, 1} {
		goOn <- struct{}{}
		got = append(got, receive(t, ctx, started))
		until(t, ctx, func() bool { return ref.Backlog() <= left }) // A new one is let in a moment later.
		wantBacklog(t, ref, left)
	}
	wantNoErr(t, receive(t, ctx, sent))
	goOn <- struct{}{}
	until(t, ctx, func() bool { return ref.Backlog() == 0 })
	if !slices.Equal(got, []int{2, 1, 3, 4, 5, 6}) {
		t.Errorf("it was handled: %v", got)
	}
}

// toFirst delivers to the first of its refs that takes the message.
type toFirst []actor.Ref[call]

func (f toFirst) Deliver(ctx context.Context, m call) (actor.Ref[call], error) {
	err := actor.ErrNoRef
	for _, ref := range f {
		if err = ref.Offer(ctx, m); err == nil {
			return ref, nil
		}
	}
	return actor.Ref[call]{}, err
}

// An ask survives that the first actor to which it is offered has stopped.
func TestAskByTriesOthers(t *testing.T) { simulated.Too(t, testAskByTriesOthers) }

func testAskByTriesOthers(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	gone, there := spawn(t, sys, answerCall), spawn(t, sys, answerCall)
	if err := gone.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	ask := func(by actor.Deliverer[call], do func(*actor.Context[call]) error) (int, error) {
		return actor.AskBy(ctx, sys, by, func(r actor.Reply[int]) call { return call{do, r} })
	}
	if n, err := ask(toFirst{gone, there}, nil); n != 1 || err != nil {
		t.Errorf("the answer is %d, %v", n, err)
	}
	if _, err := ask(toFirst{gone}, nil); !errors.Is(err, actor.ErrStopped) {
		t.Errorf("an ask that nobody takes returned %v", err)
	}
	if _, err := ask(toFirst{there}, func(*actor.Context[call]) error { panic("as wanted") }); !errors.Is(err, actor.ErrNoReply) {
		t.Errorf("an ask whose handler panicked returned %v", err)
	}
	if _, err := actor.AskBy[call, int](ctx, sys, toFirst{there}, nil); err == nil {
		t.Error("a nil function made a message")
	}
	if n := sys.Stats().DeadLetters; n != 0 {
		t.Errorf("%d dead letters", n)
	}
}

// An actor that asks itself gets an error, and does not wait for ever.
func TestAskByOfOneself(t *testing.T) { simulated.Too(t, testAskByOfOneself) }

func testAskByOfOneself(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var self actor.Ref[call]
	asked := make(chan error, 1)
	self = spawn(t, sys, answerCall)
	send(t, ctx, self, call{do: func(c *actor.Context[call]) error {
		_, err := actor.AskBy(c, sys, toFirst{self}, func(r actor.Reply[int]) call { return call{nil, r} })
		asked <- err
		return nil
	}})
	if err := receive(t, ctx, asked); !errors.Is(err, actor.ErrAskCycle) {
		t.Errorf("the ask returned %v", err)
	}
}

// The handler knows the lane of its message.
func TestContextLane(t *testing.T) { simulated.Too(t, testContextLane) }

func testContextLane(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	lanes := make(chan actor.Lane, 1)
	ref := spawn(t, sys, func(c *actor.Context[int], _ int) error { lanes <- c.Lane(); return nil })
	for _, l := range []actor.Lane{actor.Data, actor.Management, actor.Control} {
		send(t, ctx, ref.On(l), 1)
		if got := receive(t, ctx, lanes); got != l {
			t.Errorf("the lane is %v, not %v", got, l)
		}
	}
}
