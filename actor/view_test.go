package actor_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
)

type traceKey struct{}

// chained spawns n actors, each of which asks the next one, with the context that
// wrap makes of its own. The last one does what last says. It returns the first.
func chained(tb testing.TB, sys *actor.System, n int, wrap func(context.Context) context.Context, last func(*actor.Context[question], question) error) actor.Ref[question] {
	tb.Helper()
	next := spawn(tb, sys, last)
	for range n - 1 {
		to := next
		next = spawn(tb, sys, func(c *actor.Context[question], q question) error {
			v, err := actor.Ask(wrap(c), to, asking(q.n))
			if err != nil {
				return err
			}
			return q.reply.Send(c, v+1)
		})
	}
	return next
}

func asIs(ctx context.Context) context.Context { return ctx }

func TestAskCarriesDeadlineAndValues(t *testing.T) {
	at := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(context.WithValue(guarded(t), traceKey{}, "trace 7"), at)
	defer cancel()
	at, _ = ctx.Deadline()
	sys := newSystem(t, actor.Config{})
	first := chained(t, sys, 3, asIs, func(c *actor.Context[question], q question) error {
		if d, ok := c.Deadline(); !ok || !d.Equal(at) {
			t.Errorf("the deadline is %v, %v; want %v", d, ok, at)
		}
		if v := c.Value(traceKey{}); v != "trace 7" {
			t.Errorf("the value is %v", v)
		}
		if c.Err() != nil || context.Cause(c) != nil || c.Checkpoint() != nil {
			t.Errorf("it has ended: %v, %v", c.Err(), context.Cause(c))
		}
		return q.reply.Send(c, 1)
	})
	got, err := actor.Ask(ctx, first, asking(0))
	if got != 3 || err != nil {
		t.Errorf("got %d, %v, want 3", got, err)
	}
}

// A message that is sent, or asked without a context, is handled with the incarnation's own
// Context, which costs nothing.
func TestPlainMessagesCarryNothing(t *testing.T) {
	ctx := context.WithValue(guarded(t), traceKey{}, 1)
	sys := newSystem(t, actor.Config{})
	var own *actor.Context[question]
	seen := make(chan bool, 2)
	ref := spawnActor(t, sys, actor.Actor[question](&hooks[question]{
		started: func(c *actor.Context[question]) error { own = c; return nil },
		receive: func(c *actor.Context[question], q question) error {
			seen <- c == own
			_, limited := c.Deadline()
			if limited || c.Value(traceKey{}) != nil {
				t.Error("a plain message has a context")
			}
			return q.reply.Send(c, 1)
		},
	}))
	asker := spawn(t, sys, func(c *actor.Context[int], _ int) error {
		_, err := actor.Ask(c, ref, asking(1))
		return err
	})
	_, err := actor.Ask(context.Background(), ref, asking(1))
	wantNoErr(t, err)
	send(t, ctx, ref, question{n: 1})
	send(t, ctx, asker, 1)
	for range 3 {
		if !receive(t, ctx, seen) {
			t.Error("the context is not the incarnation's own")
		}
	}
	wantNoErr(t, ref.Stop(ctx))
}

// Once it is answered, an ask does not end anything. The Context is then the incarnation's, in
// whatever way code has kept it.
func TestContextAfterTheAnswer(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	kept := make(chan context.Context, 1)
	told := make(chan string, 3)
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		done := c.Done()
		derived, cancel := context.WithCancel(context.WithValue(c, traceKey{}, 2))
		context.AfterFunc(c, func() { told <- "function" })
		go func() { <-done; told <- "channel" }()
		go func() { <-derived.Done(); cancel(); told <- "derived" }()
		kept <- c
		return q.reply.Send(c, 1)
	})
	short, cancel := context.WithTimeout(context.WithValue(ctx, traceKey{}, 1), time.Hour)
	_, err := actor.Ask(short, ref, asking(1))
	wantNoErr(t, err)
	cancel()
	for range 3 { // Only the channel itself is held by who waits for it.
		runtime.GC()
	}
	c := receive(t, ctx, kept)
	if _, limited := c.Deadline(); limited || c.Err() != nil || context.Cause(c) != nil {
		t.Errorf("after the answer the context has ended: %v", context.Cause(c))
	}
	if c.Value(traceKey{}) != 1 {
		t.Error("the value is gone")
	}
	select {
	case <-c.Done():
		t.Error("the channel is closed")
	case what := <-told:
		t.Errorf("the %s was told of an end", what)
	default:
	}
	wantNoErr(t, ref.Stop(ctx))
	all := map[string]bool{}
	for range 3 {
		all[receive(t, ctx, told)] = true
	}
	if len(all) != 3 {
		t.Errorf("told were %v", all)
	}
	receive(t, ctx, c.Done())
	wantErr(t, context.Cause(c), actor.ErrStopped)
}

// An incarnation remembers nothing of the contexts that nobody looks at any more.
func TestContextsLeaveNothingBehind(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var k tracked
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		inner, cancel := context.WithTimeout(c, time.Hour)
		defer cancel()
		defer context.AfterFunc(inner, func() {})()
		defer context.AfterFunc(c, func() {})()
		return q.reply.Send(inner, q.n)
	})
	for i := range 200 {
		short, cancel := context.WithTimeout(context.WithValue(ctx, traceKey{}, k.new()), time.Hour)
		_, err := actor.Ask(short, ref, asking(i+1))
		wantNoErr(t, err)
		cancel()
	}
	k.wantNone(t, ctx)
	for actor.Watchers(ref) > 0 && ctx.Err() == nil {
		runtime.GC()
	}
	if n := actor.Watchers(ref); n > 0 {
		t.Errorf("%d channels are remembered", n)
	}
	runtime.KeepAlive(ref)
}

// Wherever a message goes, its context goes with it.
func TestContextOfAMessageThatMoves(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.WithValue(guarded(t), traceKey{}, 1))
	defer cancel(nil)
	sys := newSystem(t, actor.Config{})
	gone := errors.New("gone")
	entered, causes := make(chan struct{}), make(chan error, 1)
	last := spawn(t, sys, func(c *actor.Context[question], q question) error {
		if c.Value(traceKey{}) != 1 {
			t.Error("the value is gone")
		}
		close(entered)
		<-c.Done()
		causes <- context.Cause(c)
		return c.Err()
	})
	first := spawn(t, sys, func(c *actor.Context[question], q question) error { return last.Send(c, q) })
	go func() { _, _ = actor.Ask(ctx, first, asking(0)) }()
	receive(t, guarded(t), entered)
	cancel(gone)
	wantErr(t, receive(t, guarded(t), causes), gone)
}

// A stashed message has its context when it comes back.
func TestContextOfAStashedMessage(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	stashedOne := make(chan struct{})
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		switch {
		case q.n == 0:
			_, err := c.Unstash()
			return err
		case c.Stashed() == 0 && c.Value(traceKey{}) == 1 && q.n == 1:
			if err := c.Become(func(c *actor.Context[question], q question) error {
				if q.n == 0 {
					_, err := c.Unstash()
					return err
				}
				if err := c.Unbecome(); err != nil {
					return err
				}
				v, _ := c.Value(traceKey{}).(int)
				return q.reply.Send(c, 10+v)
			}); err != nil {
				return err
			}
			defer close(stashedOne)
			return c.Stash(q)
		}
		return errOdd
	})
	go func() {
		<-stashedOne
		_ = ref.Send(ctx, question{n: 0})
	}()
	v, err := actor.Ask(context.WithValue(ctx, traceKey{}, 1), ref, asking(1))
	if v != 11 || err != nil {
		t.Errorf("got %d, %v, want 11", v, err)
	}
}

// Work that a handler begins belongs to the incarnation, whichever asker it was begun for.
func TestWorkOfAnAskedHandlerGoesOn(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ticks := make(chan int, 100)
	var child actor.Ref[int]
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		var err error
		if q.n == 0 {
			ticks <- 0
			return nil
		}
		if child, err = actor.Spawn(c, actor.Func(func(_ *actor.Context[int], n int) error { ticks <- n; return nil })); err != nil {
			return err
		}
		if _, err = actor.SendAfter(c, time.Millisecond, c.Self(), question{}); err != nil {
			return err
		}
		return q.reply.Send(c, 1)
	})
	short, cancel := context.WithCancel(ctx)
	_, err := actor.Ask(short, ref, asking(1))
	wantNoErr(t, err)
	cancel()
	receive(t, ctx, ticks)
	send(t, ctx, child, 7)
	if n := receive(t, ctx, ticks); n != 7 {
		t.Errorf("got %d", n)
	}
	wantNoErr(t, ref.Stop(ctx))
	wantErr(t, child.Send(ctx, 1), actor.ErrStopped)
}

// A view is fenced with its incarnation, and ends with it.
func TestContextOfAnAskIsFenced(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	other := spawn(t, sys, answer)
	entered, results := make(chan struct{}), make(chan error, 5)
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		close(entered)
		<-c.Done()
		results <- context.Cause(c)
		results <- other.Send(c, question{})
		results <- q.reply.Send(c, 1)
		results <- c.Stash(q)
		_, err := actor.Spawn(c, actor.Func(answer))
		results <- err
		return nil
	})
	short, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	go func() {
		<-entered
		_ = ref.Kill()
	}()
	_, err := actor.Ask(short, ref, asking(1))
	wantErr(t, err, actor.ErrNoReply, actor.ErrKilled)
	wantErr(t, receive(t, ctx, results), actor.ErrKilled)
	for range 4 {
		wantErr(t, receive(t, ctx, results), actor.ErrFenced)
	}
}

// The ask that closes a ring leaves its message behind; the context says that
// nobody waits for it.
func TestContextOfAnAskThatWasARing(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var second actor.Ref[question]
	causes := make(chan error, 1)
	asked := false
	first := spawn(t, sys, func(c *actor.Context[question], q question) error {
		if asked {
			return nil // It is what was left behind.
		}
		asked = true
		v, err := actor.Ask(c, second, asking(q.n))
		if err != nil {
			return q.reply.Fail(c, err)
		}
		return q.reply.Send(c, v)
	})
	hand := spawn(t, sys, func(c *actor.Context[question], q question) error {
		causes <- context.Cause(c)
		return first.Send(c, q)
	})
	second = spawn(t, sys, func(c *actor.Context[question], q question) error {
		return hand.Send(c, q) // From where it comes to the one that waits.
	})
	_, err := actor.Ask(context.WithValue(ctx, traceKey{}, 1), first, asking(1))
	wantErr(t, err, actor.ErrCycle)
	wantNoErr(t, receive(t, ctx, causes))
}

// Askers with all kinds of contexts come and go, and handlers do everything with
// theirs. The race detector watches; nobody gets another's value or end.
func TestContextsOfManyAskers(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 4})
	var inner []actor.Ref[question]
	check := func(c context.Context, n int) error {
		if v := c.Value(traceKey{}); v != nil && v != n/10 {
			t.Errorf("%d has the value of %v", n/10, v)
		}
		switch n % 4 {
		case 0:
			child, cancel := context.WithCancel(context.WithValue(c, "x", n)) //nolint:staticcheck // Any key will do.
			defer cancel()
			return child.Err()
		case 1:
			select {
			case <-c.Done():
				if context.Cause(c) == nil {
					t.Error("an end without a cause")
				}
				return c.Err()
			default:
			}
		case 2:
			defer context.AfterFunc(c, func() {})()
		}
		return nil
	}
	for range 3 {
		inner = append(inner, spawn(t, sys, func(c *actor.Context[question], q question) error {
			if err := check(c, q.n); err != nil {
				return err
			}
			return q.reply.Send(c, q.n)
		}))
	}
	var outer []actor.Ref[question]
	for range 3 {
		outer = append(outer, spawn(t, sys, func(c *actor.Context[question], q question) error {
			if err := check(c, q.n); err != nil {
				return err
			}
			v, err := actor.Ask(c, inner[q.n%3], asking(q.n))
			if err != nil {
				return err
			}
			return q.reply.Send(c, v)
		}))
	}
	var all sync.WaitGroup
	var answered, left atomic.Int64
	const each = 1000
	for g := range 4 {
		all.Go(func() {
			for i := range each {
				n := (g*each+i)*10 + rand.IntN(10)
				in, cancel := ctx, context.CancelFunc(func() {})
				if n%10 > 2 {
					in = context.WithValue(ctx, traceKey{}, n/10)
					in, cancel = context.WithTimeout(in, time.Duration(rand.IntN(100))*time.Microsecond)
				}
				switch v, err := actor.Ask(in, outer[i%3], asking(n)); {
				case err == nil && v == n:
					answered.Add(1)
				case errors.Is(err, context.DeadlineExceeded):
					left.Add(1)
				default:
					t.Errorf("%d: %d, %v", n, v, err)
				}
				cancel()
			}
		})
	}
	all.Wait()
	if n := answered.Load() + left.Load(); n != 4*each || answered.Load() == 0 {
		t.Errorf("%d answered and %d left", answered.Load(), left.Load())
	}
}

// Code that waits at a channel and has kept nothing else learns of the end of the incarnation
// all the same.
func TestChannelThatOutlivesItsContext(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var k tracked
	dones := make(chan (<-chan struct{}), 1)
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		dones <- c.Done()
		return q.reply.Send(c, 1)
	})
	_, err := actor.Ask(context.WithValue(ctx, traceKey{}, k.new()), ref, asking(1))
	wantNoErr(t, err)
	done := receive(t, ctx, dones)
	k.wantNone(t, ctx) // The value went away with its Context.
	select {
	case <-done:
		t.Fatal("the channel is closed before the actor has stopped")
	default:
	}
	wantNoErr(t, ref.Stop(ctx))
	receive(t, ctx, done)
}

// localKey is bound to the work that its context was made for.
type localKey struct{}

func (localKey) LocalKey() {}

func TestLocalValuesAreNotPassedOn(t *testing.T) {
	ctx := context.WithValue(context.WithValue(guarded(t), localKey{}, 1), traceKey{}, 2)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		if local, value := c.Value(localKey{}), c.Value(traceKey{}); local != nil || value != 2 {
			t.Errorf("the values are %v and %v", local, value)
		}
		return q.reply.Send(c, 1)
	})
	_, err := actor.Ask(ctx, ref, asking(1))
	wantNoErr(t, err)
}
