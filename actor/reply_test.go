package actor_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/simulated"
)

var errOdd = errors.New("odd")

func TestAskReturnsTheAnswer(t *testing.T) { simulated.Too(t, testAskReturnsTheAnswer) }

func testAskReturnsTheAnswer(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		if q.n%2 == 1 {
			return q.reply.Fail(c, errOdd)
		}
		return q.reply.Send(c, q.n+1)
	})
	got, err := actor.Ask(ctx, ref, asking(6))
	if got != 7 || err != nil {
		t.Errorf("got %d, %v, want 7", got, err)
	}
	got, err = actor.Ask(ctx, ref, asking(5))
	wantErr(t, err, errOdd)
	if got != 0 {
		t.Errorf("a failed ask returned %d", got)
	}
	if err := (actor.Reply[int]{}).Fail(ctx, nil); err == nil {
		t.Error("Fail took a nil error")
	}
}

// Asks of several types take turns in one handler, and one is made while the
// message of another is.
func TestAsksOfSeveralTypesInAHandler(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	numbers := spawn(t, sys, answer)
	type spelling struct{ reply actor.Reply[string] }
	words := spawn(t, sys, func(c *actor.Context[spelling], m spelling) error { return m.reply.Send(c, "word") })
	asker := spawn(t, sys, func(c *actor.Context[question], q question) error {
		for i := range q.n {
			inner := 0
			word, err := actor.Ask(c, words, func(r actor.Reply[string]) spelling {
				inner, _ = actor.Ask(c, numbers, asking(i))
				return spelling{r}
			})
			alike := 0
			outer, err2 := actor.Ask(c, numbers, func(r actor.Reply[int]) question {
				alike, _ = actor.Ask(c, numbers, asking(3*i))
				return question{2 * i, r}
			})
			if word != "word" || inner != i+1 || alike != 3*i+1 || outer != 2*i+1 || err != nil || err2 != nil {
				return q.reply.Fail(c, fmt.Errorf("round %d: got %q, %d, %d, %d, %w", i, word, inner, alike, outer, errors.Join(err, err2)))
			}
		}
		return q.reply.Send(c, q.n)
	})
	_, err := actor.Ask(ctx, asker, asking(50))
	wantNoErr(t, err)
}

func TestAskOfAnAbsentActor(t *testing.T) { simulated.Too(t, testAskOfAnAbsentActor) }

func testAskOfAnAbsentActor(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, answer)
	_, err := actor.Ask(ctx, actor.Ref[question]{}, asking(1))
	wantErr(t, err, actor.ErrNoRef)
	if _, err = actor.Ask[question, int](ctx, ref, nil); err == nil {
		t.Error("Ask took a nil function")
	}
	wantNoErr(t, ref.Stop(ctx))
	_, err = actor.Ask(ctx, ref, asking(1))
	wantErr(t, err, actor.ErrStopped)
}

func TestZeroReplyDropsTheAnswer(t *testing.T) { simulated.Too(t, testZeroReplyDropsTheAnswer) }

func testZeroReplyDropsTheAnswer(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, answer)
	send(t, ctx, ref, question{n: 1})          // Sent, not asked.
	got, err := actor.Ask(nil, ref, asking(1)) //nolint:staticcheck // A nil context is one of the cases.
	if got != 2 || err != nil {
		t.Errorf("got %d, %v, want 2", got, err)
	}
}

// The asker shares its only worker with the handler, so it can't have left
// between the two replies.
func TestSecondReply(t *testing.T) { simulated.Too(t, testSecondReply) }

func testSecondReply(t testing.TB) {
	ctx := guarded(t)
	sys := oneWorker(t)
	second := make(chan error, 2)
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		wantNoErr(t, q.reply.Send(c, 1))
		second <- q.reply.Send(c, 2)
		second <- q.reply.Fail(c, errOdd)
		return errOdd // Does not undo the reply either.
	})
	asker := spawn(t, sys, func(c *actor.Context[question], q question) error {
		v, err := actor.Ask(c, ref, asking(0))
		if err != nil {
			return err
		}
		return q.reply.Send(c, v)
	})
	got, err := actor.Ask(ctx, asker, asking(0))
	if got != 1 || err != nil {
		t.Errorf("got %d, %v, want the first reply, 1", got, err)
	}
	wantErr(t, receive(t, ctx, second), actor.ErrReplied)
	wantErr(t, receive(t, ctx, second), actor.ErrReplied)
}

func TestLateReplyIsCounted(t *testing.T) { simulated.Too(t, testLateReplyIsCounted) }

func testLateReplyIsCounted(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	left, late := make(chan struct{}), make(chan error, 1)
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		<-left
		late <- q.reply.Send(c, 1)
		return nil
	})
	cause := errors.New("no patience")
	short, cancel := context.WithCancelCause(ctx)
	cancel(cause)
	_, err := actor.Ask(short, ref, asking(0))
	wantErr(t, err, cause)
	close(left)
	wantErr(t, receive(t, ctx, late), actor.ErrLateReply)
	if n := sys.Stats().LateReplies; n != 1 {
		t.Errorf("%d late replies were counted, want 1", n)
	}
}

// TestLateReplyOfAGoroutineIsCounted answers late where no handler runs: by the
// handler's Context on a goroutine, and without one.
func TestLateReplyOfAGoroutineIsCounted(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	type user struct{}
	type kept struct {
		ctx   context.Context
		reply actor.Reply[int]
	}
	replies := make(chan kept, 1)
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		replies <- kept{c, q.reply}
		return nil
	})
	for n, short := range []context.Context{patience.Ended(), context.WithValue(patience.Ended(), user{}, "ada")} {
		_, err := actor.Ask(short, ref, asking(0))
		wantErr(t, err, context.Canceled)
		k := receive(t, ctx, replies)
		wantErr(t, k.reply.Send(k.ctx, 1), actor.ErrLateReply)
		wantErr(t, k.reply.Fail(ctx, errHook), actor.ErrLateReply)
		answers := actor.AskAll(short, []actor.Ref[question]{ref}, asking(0))
		wantErr(t, answers[0].Err, context.Canceled)
		if got, want := sys.Stats().LateReplies, uint64(2*n+2); got != want {
			t.Errorf("%d late replies were counted, want %d", got, want)
		}
	}
}

// TestLateReplyIsNoFailure ends handlers with the reply, as most do, when the
// asker has left.
func TestLateReplyIsNoFailure(t *testing.T) { simulated.Too(t, testLateReplyIsNoFailure) }

func testLateReplyIsNoFailure(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	left := make(chan struct{})
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		<-left
		if err := q.reply.Send(c, q.n); err != nil {
			return fmt.Errorf("the answer: %w", err)
		}
		return nil
	})
	_, err := actor.Ask(ended(), ref, asking(1))
	wantErr(t, err, context.Canceled)
	close(left)
	if got, err := actor.Ask(ctx, ref, asking(2)); got != 2 || err != nil {
		t.Errorf("got %d, %v from the actor after its late reply, want 2", got, err)
	}
	if st := sys.Stats(); st.LateReplies != 1 || st.Actors != 1 {
		t.Errorf("%+v, want one late reply and one actor", st)
	}
}

func TestAskFailsAtOnceWithItsHandler(t *testing.T) {
	handlers := map[string]struct {
		receive func(*actor.Context[question], question) error
		reason  error
	}{
		"error":  {func(*actor.Context[question], question) error { return errOdd }, errOdd},
		"panic":  {func(*actor.Context[question], question) error { panic(errOdd) }, errOdd},
		"goexit": {func(*actor.Context[question], question) error { runtime.Goexit(); return nil }, actor.ErrGoexit},
	}
	for name, h := range handlers {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			_, err := actor.Ask(ctx, spawn(t, sys, h.receive), asking(1))
			wantErr(t, err, actor.ErrNoReply, h.reason)
		})
	}
}

func TestAskFailsAtOnceWhenItsMessageIsDropped(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	entered, open := make(chan struct{}), make(chan struct{})
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		entered <- struct{}{}
		<-open
		return answer(c, q)
	}, actor.WithCapacity(actor.Data, 1))
	results := make(chan error, 3)
	ask := func() {
		_, err := actor.Ask(ctx, ref, asking(1))
		results <- err
	}
	go ask()
	receive(t, ctx, entered)
	go ask() // One of these is in the lane, the other waits for room.
	go ask()
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == 1 })
	wantErr(t, ref.Stop(ended()), context.Canceled)
	close(open)
	count := map[string]int{}
	for range 3 {
		switch err := receive(t, ctx, results); {
		case err == nil:
			count["answered"]++
		case errors.Is(err, actor.ErrNoReply) && errors.Is(err, actor.ErrStopped):
			count["dropped"]++
		case errors.Is(err, actor.ErrStopped):
			count["refused"]++
		default:
			t.Error(err)
		}
	}
	if count["answered"] != 1 || count["dropped"] != 1 || count["refused"] != 1 {
		t.Errorf("of three asks there were %v", count)
	}
}

func TestReplyThatIsHandedOn(t *testing.T) { simulated.Too(t, testReplyThatIsHandedOn) }

func testReplyThatIsHandedOn(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	successor := spawn(t, sys, answer)
	front := spawn(t, sys, func(c *actor.Context[question], q question) error { return successor.Send(c, q) })
	got, err := actor.Ask(ctx, front, asking(1))
	if got != 2 || err != nil {
		t.Errorf("got %d, %v, want 2", got, err)
	}
	wantNoErr(t, successor.Stop(ctx))
	_, err = actor.Ask(ctx, front, asking(1))
	wantErr(t, err, actor.ErrNoReply, actor.ErrStopped)
}

func TestReplyThatIsKept(t *testing.T) { simulated.Too(t, testReplyThatIsKept) }

func testReplyThatIsKept(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var kept []actor.Reply[int]
	ref := spawn(t, sys, func(_ *actor.Context[question], q question) error {
		if kept = append(kept, q.reply); len(kept) == 3 {
			for i, r := range kept {
				go func() { _ = r.Send(ctx, i) }()
			}
		}
		return nil
	})
	var all sync.WaitGroup
	var sum atomic.Int64
	for range 3 {
		all.Go(func() {
			v, err := actor.Ask(ctx, ref, asking(0))
			if err != nil {
				t.Error(err)
			}
			sum.Add(int64(v))
		})
	}
	all.Wait()
	if sum.Load() != 3 {
		t.Errorf("the answers have the sum %d, want 3", sum.Load())
	}
}

func TestSelfAskIsACycle(t *testing.T) { simulated.Too(t, testSelfAskIsACycle) }

func testSelfAskIsACycle(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		_, err := actor.Ask(c, c.Self().On(actor.Control), asking(1))
		return q.reply.Fail(c, err)
	})
	_, err := actor.Ask(ctx, ref, asking(1))
	wantErr(t, err, actor.ErrAskCycle)
}

func TestPanicInTheMessageOfAnAsk(t *testing.T) { simulated.Too(t, testPanicInTheMessageOfAnAsk) }

func testPanicInTheMessageOfAnAsk(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, answer)
	func() {
		defer func() {
			if v := recover(); v != any(errOdd) {
				t.Errorf("recovered %v, want what was thrown", v)
			}
		}()
		_, _ = actor.Ask(ctx, ref, func(actor.Reply[int]) question { panic(errOdd) })
	}()
	got, err := actor.Ask(ctx, ref, asking(1))
	if got != 2 || err != nil {
		t.Errorf("afterwards an ask returned %d, %v, want 2", got, err)
	}
}

// Askers that leave at any moment, on goroutines and in handlers, never get
// the answer to another's question.
func TestAnswersReachTheirOwnAskers(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 4})
	var spread []actor.Ref[question]
	for range 4 {
		spread = append(spread, spawn(t, sys, func(c *actor.Context[question], q question) error {
			switch q.n % 5 {
			case 0: // From elsewhere, and later.
				go func() {
					runtime.Gosched()
					_ = q.reply.Send(context.Background(), q.n+1)
				}()
				return nil
			case 1: // Twice.
				_ = q.reply.Send(c, q.n+1)
				_ = q.reply.Send(c, -1)
				return nil
			default:
				_ = q.reply.Send(c, q.n+1)
				return nil
			}
		}))
	}
	var answered, missed atomic.Int64
	ask := func(c context.Context, n int) {
		short, cancel := context.WithTimeout(c, time.Duration(rand.IntN(40))*time.Microsecond)
		defer cancel()
		switch v, err := actor.Ask(short, spread[n%4], asking(n)); {
		case err == nil && v == n+1:
			answered.Add(1)
		case errors.Is(err, context.DeadlineExceeded):
			missed.Add(1)
		default:
			t.Errorf("the answer to %d is %d, %v", n, v, err)
		}
	}
	const each = 2000
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range each {
				ask(ctx, g*each+i)
			}
		})
		asker := spawn(t, sys, func(c *actor.Context[int], n int) error { ask(c, n); return nil })
		all.Go(func() {
			for i := range each {
				_ = asker.Send(ctx, (4+g)*each+i)
			}
			_ = asker.Drain(ctx)
		})
	}
	all.Wait()
	if total := answered.Load() + missed.Load(); total != 8*each || answered.Load() == 0 {
		t.Errorf("%d asks were answered and %d missed, of %d", answered.Load(), missed.Load(), 8*each)
	}
}

// Pools of reply slots are found by their types, also where many types share a place.
func TestReplyPoolsAreFound(t *testing.T) {
	var pools actor.ReplyPools
	types := make([]reflect.Type, 100)
	for i := range types {
		types[i] = reflect.ArrayOf(i, reflect.TypeFor[int]())
		if got := pools.Find(types[i]); got != nil {
			t.Fatalf("%v has pool %v before it was entered", types[i], got)
		}
		if got := pools.Enter(types[i], i); got != i {
			t.Fatalf("entered %d for %v, and it has %v", i, types[i], got)
		}
	}
	for i, of := range types {
		if got := pools.Find(of); got != i {
			t.Errorf("the pool of %v is %v, want %d", of, got, i)
		}
		if got := pools.Enter(of, -1); got != i {
			t.Errorf("a second pool for %v: %v is the one, want %d", of, got, i)
		}
	}
}
