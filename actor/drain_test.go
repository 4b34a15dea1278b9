package actor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/simulated"
)

// drain begins to drain an actor that is held by its gate, and returns where
// the result will come.
func drain(tb testing.TB, ctx context.Context, ref actor.Ref[int]) <-chan error {
	tb.Helper()
	drained := make(chan error, 1)
	go func() { drained <- ref.Drain(ctx) }()
	until(tb, ctx, func() bool { return actor.Asked(ref) })
	return drained
}

// A drain ends also when the last message uses up what the actor may handle at
// a time.
func TestDrainThatEndsWithTheTurn(t *testing.T) {
	for _, lane := range lanes {
		for _, n := range []int{0, 1, 2, 3, 99, 100} {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{Workers: 1})
			g := newGate()
			ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithThroughput(max(1, n))).On(lane)
			g.hold(t, ctx, ref)
			for i := range n {
				send(t, ctx, ref, i+1)
			}
			drained := drain(t, ctx, ref)
			close(g.open)
			wantNoErr(t, receive(t, ctx, drained))
			if len(g.seen) != n {
				t.Errorf("%d of %d %v messages were handled", len(g.seen), n, lane)
			}
		}
	}
}

// A drain ends also when something critical comes with the last message.
func TestDrainThatIsInterrupted(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 1})
	other := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
	g := newGate()
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		if m == 1 {
			return other.On(actor.Control).Send(c, 1)
		}
		return g.Receive(c, m)
	})
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1)
	drained := drain(t, ctx, ref)
	close(g.open)
	wantNoErr(t, receive(t, ctx, drained))
}

func TestDrainAcceptsNothingNew(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	selfSend := make(chan error, 1)
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		if m == 2 {
			selfSend <- c.Self().Send(c, 3)
		}
		return g.Receive(c, m)
	}, actor.WithCapacity(actor.Data, 2))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2)
	waits := make(chan error, 1)
	go func() { waits <- ref.Send(ctx, 4) }()
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == 1 })
	drained := drain(t, ctx, ref)
	close(g.open)
	wantNoErr(t, receive(t, ctx, drained))
	wantErr(t, receive(t, ctx, selfSend), actor.ErrStopped)
	wantErr(t, receive(t, ctx, waits), actor.ErrStopped)
	wantErr(t, ref.Send(ctx, 5), actor.ErrStopped)
	if handled, letters := len(g.seen), sys.Stats().DeadLetters; handled != 2 || letters != 3 {
		t.Errorf("%d messages were handled and %d dead letters counted, want 2 and 3", handled, letters)
	}
}

// The refusal begins at the call, before the running handler returns. It holds for all
// senders, and for the senders that wait for room.
func TestDrainRefusesFromTheCallOn(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithCapacity(actor.Data, 2))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2)
	waits := make(chan error, 1)
	go func() { waits <- ref.Send(ctx, 3) }()
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == 1 })
	drained := drain(t, ctx, ref)
	wantErr(t, receive(t, ctx, waits), actor.ErrStopped)
	for _, lane := range lanes {
		wantErr(t, ref.On(lane).Send(ctx, 5), actor.ErrStopped)
		wantErr(t, ref.On(lane).TrySend(ctx, 6), actor.ErrStopped)
	}
	_, err := actor.SendAfter(sys, 0, ref, 7)
	wantNoErr(t, err)
	until(t, ctx, func() bool { return sys.Stats().DeadLetters == 8 })
	select {
	case <-ref.Done():
		t.Error("the actor has stopped, with its handler at work")
	default:
	}
	close(g.open)
	wantNoErr(t, receive(t, ctx, drained))
	if handled := len(g.seen); handled != 2 {
		t.Errorf("%d messages were handled, want 2", handled)
	}
}

// In a handler of the actor itself, too.
func TestDrainFromWithinRefusesAtOnce(t *testing.T) {
	simulated.Too(t, testDrainFromWithinRefusesAtOnce)
}

func testDrainFromWithinRefusesAtOnce(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	errs := make(chan error, 3)
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		errs <- c.Self().Send(c, 1)
		errs <- c.Self().Drain(c)
		errs <- c.Self().Send(c, 2)
		return nil
	}, actor.WithThroughput(1))
	send(t, ctx, ref, 0)
	wantNoErr(t, receive(t, ctx, errs))
	wantErr(t, receive(t, ctx, errs), actor.ErrWouldDeadlock)
	wantErr(t, receive(t, ctx, errs), actor.ErrStopped)
	wantErr(t, receive(t, ctx, errs), actor.ErrStopped) // The message of before is handled.
	receive(t, ctx, ref.Done())
}

// ownEnd is an actor that takes its end into its own hands.
type ownEnd struct{ gate }

func (*ownEnd) Leave(*actor.Context[int]) error { return nil }

func (l *ownEnd) Receive(c *actor.Context[int], m int) error {
	if m < 0 {
		c.Stop()
	}
	return l.gate.Receive(c, m)
}

func TestDrainOfAnActorThatLeavesRefusesNothing(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	l := &ownEnd{*newGate()}
	ref := spawnActor(t, sys, actor.Actor[int](l))
	l.hold(t, ctx, ref)
	drained := drain(t, ctx, ref)
	send(t, ctx, ref, 1)
	close(l.open)
	receive(t, ctx, l.seen)
	send(t, ctx, ref, 2, -1)
	wantNoErr(t, receive(t, ctx, drained))
	if n := len(l.seen); n != 2 {
		t.Errorf("%d more messages were handled, want 2", n)
	}
}

// A reentrant actor that drains finishes its work: the asks that its handlers wait for may
// lead back to it, which strangers' don't.
func TestDrainLetsCallChainsEnd(t *testing.T) {
	kinds := map[string][]actor.Option{
		"call chain": {actor.WithReentrancy(actor.CallChainReentrancy)},
		"full":       {actor.WithReentrancy(actor.FullReentrancy)},
		"reads":      {actor.WithReadOnly(func(question) bool { return true }), actor.WithMaxReaders(10)},
	}
	for name, kind := range kinds {
		for _, capacity := range []int{1, 100} {
			t.Run(fmt.Sprint(name, capacity), func(t *testing.T) {
				drainLetsCallChainsEnd(t, append(kind, actor.WithCapacity(actor.Data, capacity))...)
			})
		}
	}
}

func drainLetsCallChainsEnd(t *testing.T, opts ...actor.Option) {
	const rounds = 5
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	called, goOn := make(chan struct{}, 1), make(chan struct{})
	var self actor.Ref[question]
	// The helper asks back, until it is asked for 0.
	helper := spawn(t, sys, func(c *actor.Context[question], q question) error {
		if q.n == rounds {
			called <- struct{}{}
			<-goOn
		}
		v, err := actor.Ask(c, self, asking(q.n-1))
		if err != nil {
			return q.reply.Fail(c, err)
		}
		return q.reply.Send(c, v+1)
	}, actor.WithReentrancy(actor.FullReentrancy))
	self = spawn(t, sys, func(c *actor.Context[question], q question) error {
		if q.n == 0 {
			return q.reply.Send(c, 0)
		}
		v, err := actor.Ask(c, helper, asking(q.n))
		if err != nil {
			return q.reply.Fail(c, err)
		}
		return q.reply.Send(c, v)
	}, opts...)
	type result struct {
		v   int
		err error
	}
	results := make(chan result, 1)
	go func() {
		v, err := actor.Ask(ctx, self, asking(rounds))
		results <- result{v, err}
	}()
	receive(t, ctx, called)
	drained := make(chan error, 1)
	go func() { drained <- self.Drain(ctx) }()
	until(t, ctx, func() bool { return actor.Closed(self) })
	_, err := actor.Ask(ctx, self, asking(0))
	wantErr(t, err, actor.ErrStopped)
	stranger := spawn(t, sys, func(c *actor.Context[question], q question) error {
		_, err := actor.Ask(c, self, asking(0))
		return q.reply.Fail(c, err)
	})
	_, err = actor.Ask(ctx, stranger, asking(0))
	wantErr(t, err, actor.ErrStopped)
	close(goOn)
	if r := receive(t, ctx, results); r.v != rounds || r.err != nil {
		t.Errorf("the ask in progress got %d, %v, want %d", r.v, r.err, rounds)
	}
	wantNoErr(t, receive(t, ctx, drained))
	_, err = actor.Ask(ctx, self, asking(0))
	wantErr(t, err, actor.ErrStopped)
}

// Where an actor handles everything while it waits, its work in hand includes what tasks and
// goroutines of the handlers ask for, as far as their contexts tell whose they are.
func TestDrainLetsGoroutinesOfAChainEnd(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	called, goOn := make(chan struct{}), make(chan struct{})
	var self actor.Ref[question]
	helper := spawn(t, sys, func(c *actor.Context[question], q question) error {
		called <- struct{}{}
		<-goOn
		got := make(chan error, 1)
		go func() {
			_, err := actor.Ask(c, self, asking(0))
			got <- err
		}()
		if err := <-got; err != nil {
			return q.reply.Fail(c, err)
		}
		return q.reply.Send(c, 1)
	})
	self = spawn(t, sys, func(c *actor.Context[question], q question) error {
		if q.n == 0 {
			return answer(c, q)
		}
		v, err := actor.Ask(c, helper, asking(q.n))
		if err != nil {
			return q.reply.Fail(c, err)
		}
		return q.reply.Send(c, v)
	}, actor.WithReentrancy(actor.FullReentrancy))
	result := make(chan error, 1)
	go func() {
		_, err := actor.Ask(ctx, self, asking(1))
		result <- err
	}()
	receive(t, ctx, called)
	drained := make(chan error, 1)
	go func() { drained <- self.Drain(ctx) }()
	until(t, ctx, func() bool { return actor.Closed(self) })
	_, err := actor.Ask(ctx, self, asking(0))
	wantErr(t, err, actor.ErrStopped)
	close(goOn)
	wantNoErr(t, receive(t, ctx, result))
	wantNoErr(t, receive(t, ctx, drained))
}

func TestStopCutsADrainShort(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2)
	drained := drain(t, ctx, ref)
	wantErr(t, ref.Stop(ended()), context.Canceled)
	close(g.open)
	wantNoErr(t, receive(t, ctx, drained))
	if handled, letters := len(g.seen), sys.Stats().DeadLetters; handled != 0 || letters != 2 {
		t.Errorf("%d messages were handled and %d dead letters counted, want 0 and 2", handled, letters)
	}
}

func TestFailureEndsADrain(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			g := newGate()
			var reason error
			ref := spawnActor(t, sys, actor.Actor[int](&hooks[int]{
				receive: func(c *actor.Context[int], m int) error {
					if m == 1 {
						return f.fail()
					}
					return g.Receive(c, m)
				},
				stopped: func(_ *actor.Context[int], r error) { reason = r },
			}))
			g.hold(t, ctx, ref)
			send(t, ctx, ref, 1, 2)
			drained := drain(t, ctx, ref)
			close(g.open)
			wantNoErr(t, receive(t, ctx, drained))
			wantErr(t, reason, f.reason)
			if n := sys.Stats().DeadLetters; n != 1 {
				t.Errorf("%d dead letters, want 1", n)
			}
		})
	}
}

// Whatever is accepted is handled or becomes a dead letter, however the actor
// ends while others send.
func TestNothingAcceptedIsLost(t *testing.T) {
	lane.Short(t)
	ends := map[string]func(context.Context, *actor.System, *traffic) error{
		"drain":       func(ctx context.Context, _ *actor.System, f *traffic) error { return f.to.Drain(ctx) },
		"stop":        func(ctx context.Context, _ *actor.System, f *traffic) error { return f.to.Stop(ctx) },
		"system stop": func(ctx context.Context, sys *actor.System, _ *traffic) error { return sys.Stop(ctx) },
		"failure": func(ctx context.Context, _ *actor.System, f *traffic) error {
			_ = f.count(f.to.On(actor.Control).Send(ctx, -1))
			for f.count(f.to.Send(ctx, 1)) == nil {
				continue
			}
			return f.to.Stop(ctx) // It may still be busy with its dead letters.
		},
	}
	for name, end := range ends {
		for _, capacity := range []int{1, 4, 1024} {
			t.Run(fmt.Sprint(name, capacity), func(t *testing.T) {
				for range 20 {
					nothingIsLost(t, capacity, end)
				}
			})
		}
	}
}

// traffic counts what becomes of the messages to an actor.
type traffic struct {
	to                                  actor.Ref[int]
	accepted, refused, handled, letters atomic.Int64
}

func (f *traffic) count(err error) error {
	switch {
	case err == nil:
		f.accepted.Add(1)
	case errors.Is(err, actor.ErrStopped):
		f.refused.Add(1)
	}
	return err
}

func (f *traffic) Receive(_ *actor.Context[int], m int) error {
	f.handled.Add(1)
	if m < 0 {
		return errHook
	}
	return nil
}

func nothingIsLost(t testing.TB, capacity int, end func(context.Context, *actor.System, *traffic) error) {
	t.Helper()
	ctx := guarded(t)
	var f traffic
	sys := newSystem(t, actor.Config{OnDeadLetter: func(actor.DeadLetter) { f.letters.Add(1) }})
	f.to = spawnActor(t, sys, actor.Actor[int](&f), actor.WithCapacity(actor.Data, capacity), actor.WithThroughput(7))
	var all sync.WaitGroup
	begun := make(chan struct{}, 4)
	for s := range 4 {
		all.Go(func() {
			for i := 0; !errors.Is(f.count(sendImpatiently(ctx, f.to.On(lanes[(s+i)%3]), 1)), actor.ErrStopped); i++ {
				if i == 20 {
					begun <- struct{}{}
				}
			}
		})
	}
	for range 2 {
		receive(t, ctx, begun)
	}
	wantNoErr(t, end(ctx, sys, &f))
	all.Wait()
	if in, out := f.accepted.Load()+f.refused.Load(), f.handled.Load()+f.letters.Load(); in != out {
		t.Errorf("%d accepted + %d refused, but %d handled + %d dead letters",
			f.accepted.Load(), f.refused.Load(), f.handled.Load(), f.letters.Load())
	}
	if n := sys.Stats().DeadLetters; int64(n) != f.letters.Load() {
		t.Errorf("%d dead letters were counted, %d shown", n, f.letters.Load())
	}
}

// Whenever a reentrant actor drains, each ask that it has accepted gets its answer, whatever
// the depth at which the helpers ask back, and every other one is refused.
func TestDrainsOfReentrantActors(t *testing.T) {
	lane.Short(t)
	for name, kind := range map[string]actor.Reentrancy{"call chain": actor.CallChainReentrancy, "full": actor.FullReentrancy} {
		for _, capacity := range []int{1, 100} {
			t.Run(fmt.Sprint(name, capacity), func(t *testing.T) {
				simulated.Too(t, func(t testing.TB) {
					drainsOfReentrantActors(t, actor.WithReentrancy(kind), actor.WithCapacity(actor.Data, capacity))
				})
			})
		}
	}
}

func drainsOfReentrantActors(t testing.TB, opts ...actor.Option) {
	const askers, each = 4, 6
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var self actor.Ref[question]
	helper := spawn(t, sys, func(c *actor.Context[question], q question) error {
		v, err := actor.Ask(c, self, asking(q.n-1))
		if err != nil {
			return q.reply.Fail(c, fmt.Errorf("after %d: %w", q.n, err))
		}
		return q.reply.Send(c, v+1)
	}, actor.WithReentrancy(actor.FullReentrancy))
	self = spawn(t, sys, func(c *actor.Context[question], q question) error {
		if q.n == 0 {
			return q.reply.Send(c, 0)
		}
		v, err := actor.Ask(c, helper, asking(q.n))
		if err != nil {
			return q.reply.Fail(c, fmt.Errorf("after %d: %w", q.n, err))
		}
		return q.reply.Send(c, v)
	}, opts...)
	done := make(chan int, askers)
	var answered atomic.Int64
	for n := range askers {
		asker := spawn(t, sys, func(c *actor.Context[int], _ int) error {
			refused := 0
			for i := range each {
				depth := (n + i) % 4
				switch v, err := actor.Ask(c, self, asking(depth)); {
				case err == nil && v == depth && refused == 0:
					answered.Add(1)
				case errors.Is(err, actor.ErrStopped) && !errors.Is(err, actor.ErrNoReply) && strings.HasPrefix(err.Error(), "send to "+self.String()):
					refused++
				default:
					t.Errorf("ask %d of depth %d got %d, %v, after %d that were refused", i, depth, v, err, refused)
				}
			}
			done <- refused
			return nil
		})
		send(t, ctx, asker, 1)
	}
	drainer := spawn(t, sys, func(c *actor.Context[int], _ int) error {
		for answered.Load() < askers { // In a simulation, others go on meanwhile.
			if _, err := actor.Ask(c, self, asking(0)); err != nil {
				return err
			}
		}
		if err := self.Drain(c); err != nil {
			t.Errorf("the drain: %v", err)
		}
		return nil
	})
	send(t, ctx, drainer, 1)
	for range askers {
		receive(t, ctx, done)
	}
	receive(t, ctx, self.Done())
}
