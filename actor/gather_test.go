package actor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/simtest"
)

// summary says what has become of asks: a value, or an error without its details.
func summary(answers []actor.Answer[int]) string {
	var all []string
	for _, a := range answers {
		switch {
		case a.Err == nil:
			all = append(all, fmt.Sprint(a.Value))
		case a.Value != 0:
			all = append(all, fmt.Sprintf("%d with %v", a.Value, a.Err))
		default:
			all = append(all, kindOfError(a.Err))
		}
	}
	return strings.Join(all, " ")
}

func kindOfError(err error) string {
	for _, known := range []struct {
		error
		name string
	}{
		{actor.ErrNoRef, "noref"},
		{actor.ErrStopped, "stopped"},
		{actor.ErrNoReply, "noreply"},
		{actor.ErrCycle, "cycle"},
		{actor.ErrNotNeeded, "notneeded"},
		{context.DeadlineExceeded, "deadline"},
		{context.Canceled, "canceled"},
		{errOdd, "odd"},
	} {
		if errors.Is(err, known.error) {
			return known.name
		}
	}
	return err.Error()
}

func wantSummary(tb testing.TB, answers []actor.Answer[int], want string) {
	tb.Helper()
	if got := summary(answers); got != want {
		tb.Fatalf("got %s, want %s", got, want)
	}
}

// withHandler calls f in a handler of its own, and returns when that is over.
func withHandler(tb testing.TB, ctx context.Context, sys *actor.System, f func(c context.Context), opts ...actor.Option) {
	tb.Helper()
	ref := spawn(tb, sys, run, opts...)
	wantNoErr(tb, let(ctx, ref, func(c *actor.Context[instruction]) error { f(c); return nil }))
}

// everywhere calls f on the test's goroutine, and in a handler.
func everywhere(tb testing.TB, ctx context.Context, sys *actor.System, f func(c context.Context)) {
	f(ctx)
	withHandler(tb, ctx, sys, f)
	withHandler(tb, ctx, sys, f, actor.WithReentrancy(actor.FullReentrancy))
	withHandler(tb, ctx, sys, f, actor.WithReentrancy(actor.CallChainReentrancy))
}

func TestAskAll(t *testing.T) { simulated.Too(t, testAskAll) }

func testAskAll(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	good := spawn(t, sys, answer)
	odd := spawn(t, sys, func(c *actor.Context[question], q question) error { return q.reply.Fail(c, errOdd) })
	bad := spawn(t, sys, func(*actor.Context[question], question) error { return errors.New("bad") })
	gone := spawn(t, sys, answer)
	wantNoErr(t, gone.Stop(ctx))
	everywhere(t, ctx, sys, func(c context.Context) {
		n := 0
		next := func(r actor.Reply[int]) question { n++; return question{10 * n, r} }
		wantSummary(t, actor.AskAll(c, []actor.Ref[question]{good, odd, gone, {}, good, good}, next), "11 odd stopped noref 41 51")
		if n != 5 {
			t.Errorf("%d messages were made for 5 actors", n)
		}
		if answers := actor.AskAll(c, nil, next); len(answers) != 0 {
			t.Errorf("nobody has answered %v", answers)
		}
	})
	wantSummary(t, actor.AskAll(ctx, []actor.Ref[question]{good, bad}, asking(1)), "2 noreply")
	for _, a := range actor.AskAll[question, int](ctx, []actor.Ref[question]{good}, nil) {
		if a.Err == nil || !strings.Contains(a.Err.Error(), "nil") {
			t.Errorf("a nil function is the error %v", a.Err)
		}
	}
	wantSummary(t, actor.AskAll(ended(), []actor.Ref[question]{good, {}}, asking(1)), "canceled canceled")
	//nolint:staticcheck // Whoever passes nil is to be understood.
	wantSummary(t, actor.AskAll(nil, []actor.Ref[question]{good}, asking(1)), "2")
	if waits := sys.Waits(); len(waits) != 0 {
		t.Errorf("somebody waits: %v", waits)
	}
}

// All actors are asked before any of them has answered, on one worker, which the
// handler does not hold.
func TestAskAllAtTheSameTime(t *testing.T) { simulated.Too(t, testAskAllAtTheSameTime) }

func testAskAllAtTheSameTime(t testing.TB) {
	ctx := guarded(t)
	sys := oneWorker(t)
	const n = 5
	type met struct {
		i     int
		reply actor.Reply[int]
	}
	lobby := spawn(t, sys, func() func(*actor.Context[met], met) error {
		var here []met
		return func(c *actor.Context[met], m met) error {
			if here = append(here, m); len(here) < n {
				return nil
			}
			for _, m := range here {
				if err := m.reply.Send(c, m.i); err != nil {
					return err
				}
			}
			here = nil
			return nil
		}
	}())
	var answerers []actor.Ref[question]
	for i := range n {
		answerers = append(answerers, spawn(t, sys, func(c *actor.Context[question], q question) error {
			v, err := actor.Ask(c, lobby, func(r actor.Reply[int]) met { return met{q.n + i, r} })
			if err != nil {
				return q.reply.Fail(c, err)
			}
			return q.reply.Send(c, v)
		}))
	}
	everywhere(t, ctx, sys, func(c context.Context) {
		wantSummary(t, actor.AskAll(c, answerers, asking(7)), "7 8 9 10 11")
	})
}

// questionKeeper keeps the questions that it is asked.
type questionKeeper struct{ kept []question }

func (k *questionKeeper) Receive(_ *actor.Context[question], q question) error {
	k.kept = append(k.kept, q)
	return nil
}

// busy is an actor that passes what it is asked on to another and waits for that.
func busy(at actor.Ref[question]) func(*actor.Context[question], question) error {
	return func(c *actor.Context[question], q question) error {
		n, err := actor.Ask(c, at, asking(q.n))
		if err != nil {
			return q.reply.Fail(c, err)
		}
		return q.reply.Send(c, n)
	}
}

// The answers that have come by the deadline are there, and the rest is late. A full lane
// holds no other ask up.
func TestAskAllUntilTheDeadline(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 30}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		good, never, kept := spawn(s, sys, answer), &questionKeeper{}, &questionKeeper{}
		sink, keeper := spawnActor(s, sys, never), spawnActor(s, sys, kept)
		full := spawn(s, sys, busy(sink), actor.WithCapacity(actor.Data, 1))
		for range 2 { // One is handled, one waits.
			send(s, s.Context(), full, question{})
			s.RunUntilIdle()
		}
		everywhere(s, s.Context(), sys, func(c context.Context) {
			c, cancel := context.WithTimeout(c, time.Second)
			defer cancel()
			began := s.Now()
			wantSummary(s, actor.AskAll(c, []actor.Ref[question]{full, good, keeper}, asking(1)), "deadline 2 deadline")
			if took := s.Now().Sub(began); took != time.Second {
				s.Errorf("it took %v", took)
			}
		})
		if len(kept.kept) != 4 {
			s.Fatalf("%d questions have come", len(kept.kept))
		}
		withHandler(s, s.Context(), sys, func(c context.Context) {
			for _, q := range kept.kept {
				wantErr(s, q.reply.Send(c, 1), actor.ErrLateReply)
			}
		})
		if n := sys.Stats().LateReplies; n != 4 {
			s.Errorf("%d late replies were counted of 4", n)
		}
		if waits := unreturned(sys.Waits()); len(waits) != 0 { // The busy one waits for nobody knows whom.
			s.Errorf("somebody waits: %v", waits)
		}
		wantNoErr(s, full.Kill())
	})
}

// A handler that asks several has an edge for each that is open.
func TestWaitsOfAskAll(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 30}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		kept := &questionKeeper{}
		sink := spawnActor(s, sys, kept, actor.WithName("sink"))
		refs := []actor.Ref[question]{{}, spawn(s, sys, answer, actor.WithName("quick"))}
		for i := range 3 {
			refs = append(refs, spawn(s, sys, busy(sink), actor.WithName(fmt.Sprint("busy", i))))
		}
		for _, mode := range []actor.Reentrancy{actor.NoReentrancy, actor.CallChainReentrancy, actor.FullReentrancy} {
			kept.kept = nil
			a := spawn(s, sys, run, actor.WithName("a"), actor.WithReentrancy(mode))
			var answers []actor.Answer[int]
			send(s, s.Context(), a, instruction{do: func(c *actor.Context[instruction]) error {
				answers = actor.AskAll(c, refs, asking(1))
				return nil
			}})
			s.RunUntilIdle()
			want := func(n int) {
				s.Helper()
				info, err := a.Info()
				wantNoErr(s, err)
				if waits := unreturned(sys.Waits()); len(info.Waits) != n || len(waits) != n {
					s.Errorf("%v: %d and %d waits, want %d: %v", mode, len(info.Waits), len(waits), n, waits)
				}
				for _, w := range info.Waits {
					if w.Name != "a" || !strings.HasPrefix(w.OnName, "busy") || w.Kind != actor.AskWait {
						s.Errorf("a waits so: %v", w)
					}
				}
			}
			want(3) // The busy ones wait for nobody knows whom.
			withHandler(s, s.Context(), sys, func(c context.Context) { wantNoErr(s, kept.kept[0].reply.Send(c, 8)) })
			s.RunUntilIdle()
			want(2)
			withHandler(s, s.Context(), sys, func(c context.Context) {
				wantNoErr(s, kept.kept[1].reply.Send(c, 8))
				wantNoErr(s, kept.kept[2].reply.Send(c, 8))
			})
			s.RunUntilIdle()
			want(0)
			wantSummary(s, answers, "noref 2 8 8 8")
		}
	})
}

// An actor that is killed while it gathers does not wait any more, nor does its
// ghost.
func TestKillWhileGathering(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 30}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		kept := &questionKeeper{}
		refs := []actor.Ref[question]{spawn(s, sys, answer), spawnActor(s, sys, kept), spawn(s, sys, busy(spawnActor(s, sys, &questionKeeper{})))}
		a := spawn(s, sys, run)
		var answers []actor.Answer[int]
		send(s, s.Context(), a, instruction{do: func(c *actor.Context[instruction]) error {
			answers = actor.AskAll(c, refs, asking(1))
			return nil
		}})
		s.RunUntilIdle()
		wantNoErr(s, a.Kill())
		s.RunUntilIdle()
		wantErr(s, answers[1].Err, actor.ErrKilled)
		wantErr(s, answers[2].Err, actor.ErrKilled)
		wantSummary(s, answers[:1], "2")
		wantErr(s, kept.kept[0].reply.Send(s.Context(), 1), actor.ErrLateReply)
		if waits := unreturned(sys.Waits()); len(waits) != 0 {
			s.Errorf("somebody waits: %v", waits)
		}
		wantNoErr(s, refs[2].Kill())
	})
}

// Where the function that makes the messages panics, nobody waits for the asks that
// were made before.
func TestPanicWhileGathering(t *testing.T) { simulated.Too(t, testPanicWhileGathering) }

func testPanicWhileGathering(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	kept := &questionKeeper{}
	keeper := spawnActor(t, sys, kept)
	a := spawn(t, sys, run)
	err := let(ctx, a, func(c *actor.Context[instruction]) error {
		n := 0
		actor.AskAll(c, []actor.Ref[question]{keeper, keeper}, func(r actor.Reply[int]) question {
			if n++; n == 2 {
				panic("as wanted")
			}
			return question{reply: r}
		})
		return nil
	})
	wantErr(t, err, actor.ErrNoReply)
	ended := make(chan struct{})
	go func() { <-a.Done(); close(ended) }()
	wantNoErr(t, keeper.Drain(ctx))
	wantErr(t, kept.kept[0].reply.Send(ctx, 1), actor.ErrLateReply)
	if waits := sys.Waits(); len(waits) != 0 {
		t.Errorf("somebody waits: %v", waits)
	}
	receive(t, ctx, ended)
}

// The asks carry the context, each its own: one that is answered has not the asker's
// end any more, while another still has.
func TestAskAllCarriesItsContext(t *testing.T) { simulated.Too(t, testAskAllCarriesItsContext) }

func testAskAllCarriesItsContext(t testing.TB) {
	type key struct{}
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var quickly, slowly context.Context
	quick := spawn(t, sys, func(c *actor.Context[question], q question) error {
		quickly = c
		return q.reply.Send(c, c.Value(key{}).(int))
	})
	everywhere(t, ctx, sys, func(c context.Context) {
		c, cancel := context.WithCancelCause(c)
		answers := actor.AskAll(context.WithValue(c, key{}, 7), []actor.Ref[question]{quick}, asking(1))
		wantSummary(t, answers, "7")
		over := spawn(t, sys, func(x *actor.Context[question], q question) error {
			slowly = x
			cancel(errOdd)
			return nil
		})
		answers = actor.AskAll(context.WithValue(c, key{}, 8), []actor.Ref[question]{quick, over, over}, asking(1))
		for _, a := range answers[1:] {
			wantErr(t, a.Err, errOdd)
		}
		if a := answers[0]; a.Err == nil && (a.Value != 8 || quickly.Err() != nil) {
			t.Errorf("quick has answered %d, and its context has then ended by %v", a.Value, context.Cause(quickly))
		}
		wantNoErr(t, over.Stop(ctx)) // Its second handler may still write slowly.
		wantErr(t, context.Cause(slowly), errOdd)
	})
}

// Gather asks actors of different types.
func TestGather(t *testing.T) { simulated.Too(t, testGather) }

func testGather(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	type spelling struct{ reply actor.Reply[string] }
	numbers := spawn(t, sys, answer, actor.WithName("numbers"))
	odd := spawn(t, sys, func(c *actor.Context[question], q question) error { return q.reply.Fail(c, errOdd) }, actor.WithName("odd"))
	words := spawn(t, sys, func(c *actor.Context[spelling], m spelling) error { return m.reply.Send(c, "word") })
	word := func(r actor.Reply[string]) spelling { return spelling{r} }
	everywhere(t, ctx, sys, func(c context.Context) {
		var n, m actor.Answer[int]
		var w actor.Answer[string]
		both := []actor.Query{actor.Into(&n, numbers, asking(3)), actor.Into(&w, words, word)}
		for range 2 { // A query may be used again.
			n, w = actor.Answer[int]{}, actor.Answer[string]{}
			wantNoErr(t, actor.Gather(c, both...))
			if n.Value != 4 || w.Value != "word" || n.Err != nil || w.Err != nil {
				t.Errorf("got %v and %v", n, w)
			}
		}
		wantNoErr(t, actor.Gather(c))
		err := actor.Gather(c, append(both, actor.Into(&m, odd, asking(1)))...)
		wantErr(t, err, errOdd)
		wantErr(t, m.Err, errOdd)
		if !strings.Contains(err.Error(), "odd<") || strings.Contains(err.Error(), "numbers<") {
			t.Errorf("the error names not the one who has failed: %v", err)
		}
		m = actor.Answer[int]{}
		if err := actor.Gather(c, actor.Into(&m, numbers, asking(1)), actor.Query{}); err == nil || m.Value != 0 {
			t.Errorf("a zero query is the error %v, and the other's answer is %d", err, m.Value)
		}
		if err := actor.Gather(c, actor.Into(nil, numbers, asking(1))); err == nil {
			t.Error("an answer that goes nowhere is no error")
		}
	})
}
