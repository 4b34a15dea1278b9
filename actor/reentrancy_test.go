package actor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/simtest"
)

// answerer answers questions when the test wants it to.
type answerer struct {
	ref   actor.Ref[question]
	asked chan question
}

func newAnswerer(tb testing.TB, at actor.Spawner) *answerer {
	tb.Helper()
	o := &answerer{asked: make(chan question, 100)}
	o.ref = spawn(tb, at, func(_ *actor.Context[question], q question) error { o.asked <- q; return nil }, actor.WithName("oracle"))
	return o
}

// next returns the next question, which is asked and not yet answered.
func (o *answerer) next(tb testing.TB, ctx context.Context) question {
	tb.Helper()
	return receive(tb, ctx, o.asked)
}

// ask is what a handler does that waits for an answer.
func (o *answerer) ask(c context.Context, n int) (int, error) { return actor.Ask(c, o.ref, asking(n)) }

// suspendedIn waits until n handlers of the actor are suspended.
func suspendedIn[M any](tb testing.TB, ctx context.Context, ref actor.Ref[M], n int) {
	tb.Helper()
	until(tb, ctx, func() bool { i, err := ref.Info(); return err == nil && i.Suspended == n })
}

var reentrant = []actor.Reentrancy{actor.CallChainReentrancy, actor.FullReentrancy}

// callBack has a ask b, whose handler asks a.
func callBack(ctx context.Context, a, b instructedRef) error {
	return let(ctx, a, func(c *actor.Context[instruction]) error {
		return let(c, b, func(c *actor.Context[instruction]) error { return let(c, a, nil) })
	})
}

func TestReentrancyOfACallBack(t *testing.T) {
	for r := range actor.Reentrancy(3) {
		t.Run(r.String(), func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			a := spawn(t, sys, run, actor.WithName("a"), actor.WithReentrancy(r))
			b := spawn(t, sys, run, actor.WithName("b"))
			for range 100 {
				err := callBack(ctx, a, b)
				if r == actor.NoReentrancy {
					wantErr(t, err, actor.ErrCycle)
				} else {
					wantNoErr(t, err)
				}
			}
			if err := a.Stop(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestReentrancyOfLongChains(t *testing.T) {
	for _, r := range reentrant {
		for n := 1; n <= 5; n++ {
			t.Run(fmt.Sprint(r, n), func(t *testing.T) {
				ctx := guarded(t)
				sys := newSystem(t, actor.Config{})
				actors := []instructedRef{spawn(t, sys, run, actor.WithName("a"), actor.WithReentrancy(r))}
				for range n - 1 {
					actors = append(actors, spawn(t, sys, run))
				}
				wantNoErr(t, let(ctx, actors[0], askRing(actors)))
			})
		}
	}
}

// TestReentrancyOfAnAskSentOn has b send the question of a back to a, which
// answers it itself.
func TestReentrancyOfAnAskSentOn(t *testing.T) {
	for _, r := range reentrant {
		t.Run(r.String(), func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			var a, b actor.Ref[question]
			a = spawn(t, sys, func(c *actor.Context[question], q question) error {
				if q.n != 0 {
					return answer(c, q)
				}
				n, err := actor.Ask(c, b, asking(41))
				if err != nil {
					return err
				}
				return q.reply.Send(c, n)
			}, actor.WithReentrancy(r))
			b = spawn(t, sys, func(c *actor.Context[question], q question) error { return a.Send(c, q) })
			if n, err := actor.Ask(ctx, a, asking(0)); n != 42 || err != nil {
				t.Errorf("the answer is %d, %v", n, err)
			}
		})
	}
}

func TestFullReentrancyHandlesEverything(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	var order []string
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		order = append(order, fmt.Sprint("begin ", m))
		if _, err := o.ask(c, m); err != nil {
			return err
		}
		order = append(order, fmt.Sprint("end ", m))
		return nil
	}, actor.WithReentrancy(actor.FullReentrancy))
	send(t, ctx, ref, 1, 2, 3)
	var asked []question
	for range 3 {
		asked = append(asked, o.next(t, ctx))
	}
	suspendedIn(t, ctx, ref, 3)
	// The answerer keeps the replies. When its handlers have returned, nobody knows who owes them.
	until(t, ctx, func() bool {
		i, err := ref.Info()
		return err == nil && len(i.Waits) == 3 && len(unreturned(i.Waits)) == 0
	})
	i, err := ref.Info()
	wantNoErr(t, err)
	if i.Handled != 3 || ref.Backlog() != 3 {
		t.Errorf("%d handled, %d to do", i.Handled, ref.Backlog())
	}
	slices.Reverse(asked)
	for n, q := range asked {
		wantNoErr(t, q.reply.Send(ctx, 0))
		suspendedIn(t, ctx, ref, 2-n)
	}
	wantNoErr(t, ref.Drain(ctx))
	if want := []string{"begin 1", "begin 2", "begin 3", "end 3", "end 2", "end 1"}; !slices.Equal(order, want) {
		t.Errorf("the order is %q, want %q", order, want)
	}
}

// TestCallChainKeepsOthersOut has a handler wait while others want something.
func TestCallChainKeepsOthersOut(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	var order []string
	note := func(what string) func(*actor.Context[instruction]) error {
		return func(*actor.Context[instruction]) error { order = append(order, what); return nil }
	}
	a := spawn(t, sys, run, actor.WithReentrancy(actor.CallChainReentrancy))
	b := spawn(t, sys, run)
	first := make(chan error, 1)
	go func() {
		first <- let(ctx, a, func(c *actor.Context[instruction]) error {
			order = append(order, "begin")
			err := let(c, b, func(c *actor.Context[instruction]) error {
				if _, err := o.ask(c, 1); err != nil {
					return err
				}
				return let(c, a, note("of the chain"))
			})
			order = append(order, "end")
			return err
		})
	}()
	q := o.next(t, ctx)
	suspendedIn(t, ctx, a, 1)
	for range 3 {
		wantNoErr(t, a.Send(ctx, instruction{do: note("other")}))
		wantNoErr(t, a.On(actor.Control).Send(ctx, instruction{do: note("urgent")}))
	}
	wantNoErr(t, q.reply.Send(ctx, 0))
	wantNoErr(t, receive(t, ctx, first))
	wantNoErr(t, a.Drain(ctx))
	want := "begin, of the chain, end, urgent, urgent, urgent, other, other, other"
	if got := strings.Join(order, ", "); got != want {
		t.Errorf("the order is %s, want %s", got, want)
	}
}

// TestOneHandlerRuns has many handlers write to a plain field between their waits;
// the race detector looks on.
func TestOneHandlerRuns(t *testing.T) {
	const clients, rounds = 8, 50
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	echo := spawn(t, sys, answer)
	inside, sum := 0, 0
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		for range 3 {
			if inside++; inside != 1 {
				t.Errorf("%d handlers run at once", inside)
			}
			sum++
			inside--
			if _, err := actor.Ask(c, echo, asking(q.n)); err != nil {
				return err
			}
		}
		return q.reply.Send(c, sum)
	}, actor.WithReentrancy(actor.FullReentrancy))
	done := make(chan error, clients)
	for range clients {
		go func() {
			for i := range rounds {
				if _, err := actor.Ask(ctx, ref, asking(i)); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range clients {
		wantNoErr(t, receive(t, ctx, done))
	}
	if sum != 3*clients*rounds {
		t.Errorf("the sum is %d, want %d", sum, 3*clients*rounds)
	}
}

func TestMaxSuspended(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		_, err := o.ask(c, m)
		return err
	}, actor.WithReentrancy(actor.FullReentrancy), actor.WithMaxSuspended(2))
	send(t, ctx, ref, 1, 2, 3)
	q := o.next(t, ctx)
	o.next(t, ctx)
	suspendedIn(t, ctx, ref, 2)
	until(t, ctx, func() bool { return actor.Quiet(ref) })
	if i, err := ref.Info(); err != nil || i.Mailbox[actor.Data] != 1 || len(o.asked) != 0 {
		t.Errorf("of the lane %v are left, and %d more have asked (%v)", i.Mailbox, len(o.asked), err)
	}
	wantNoErr(t, q.reply.Send(ctx, 0))
	if q := o.next(t, ctx); q.n != 3 {
		t.Errorf("%d came next, want 3", q.n)
	}
	wantErr(t, ref.Stop(ended()), context.Canceled)
}

func TestBecomeAndStashOfReentrantActors(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	var order []string
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		switch m {
		case 1: // Waits, and then unstashes what was put aside meanwhile.
			if _, err := o.ask(c, m); err != nil {
				return err
			}
			order = append(order, "1")
			_, err := c.Unstash()
			return err
		case 2:
			return c.Stash(m)
		}
		return c.Become(func(_ *actor.Context[int], m int) error {
			order = append(order, fmt.Sprint("new ", m))
			return nil
		})
	}, actor.WithReentrancy(actor.FullReentrancy))
	send(t, ctx, ref, 1, 2, 3, 4)
	q := o.next(t, ctx)
	until(t, ctx, func() bool { return actor.Idle(ref) })
	if n := actor.Stashed(ref); n != 1 {
		t.Errorf("%d stashed, want 1", n)
	}
	wantNoErr(t, q.reply.Send(ctx, 0))
	wantNoErr(t, ref.Drain(ctx))
	if got, want := strings.Join(order, ", "), "new 4, 1, new 2"; got != want {
		t.Errorf("the order is %s, want %s", got, want)
	}
}

func TestHooksKeepTheTurn(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	var d eventLog
	a := noted(&d)
	a.started = func(c *actor.Context[int]) error { _, err := o.ask(c, 0); d.note("started"); return err }
	a.receive = func(_ *actor.Context[int], m int) error { d.note("%d", m); return nil }
	ref := spawnActor(t, sys, actor.Actor[int](a), actor.WithReentrancy(actor.FullReentrancy))
	send(t, ctx, ref, 1)
	q := o.next(t, ctx)
	send(t, ctx, ref.On(actor.Control), 2)
	wantNoErr(t, q.reply.Send(ctx, 0))
	wantNoErr(t, ref.Drain(ctx))
	d.want(t, "started", "2", "1", "stopped <nil>")
}

func TestWrongReentrancy(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	for want, opts := range map[string][]actor.Option{
		"unknown reentrancy 3":   {actor.WithReentrancy(3)},
		"at most 0 suspended":    {actor.WithMaxSuspended(0)},
		"add WithReentrancy":     {actor.WithMaxSuspended(2)},
		"leave out its backend":  {actor.WithReentrancy(actor.FullReentrancy), actor.WithBackend(actor.OnBlocking)},
		"leave out its backend,": {actor.WithBackend(actor.OnOwnThread), actor.WithReentrancy(actor.CallChainReentrancy)},
	} {
		if _, err := actor.Spawn(sys, actor.Actor[int](&hooks[int]{}), opts...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
}

// TestReentrancyUnderSimulation has an actor add to a figure that it reads by one
// ask and writes by another: a lost update, if it is fully reentrant.
func TestReentrancyUnderSimulation(t *testing.T) {
	program := func(r actor.Reentrancy) func(s *simtest.Sim) {
		return func(s *simtest.Sim) {
			sys := s.System(actor.Config{})
			figure := 0
			store := spawn(s, sys, func(c *actor.Context[question], q question) error {
				if q.n != 0 {
					figure = q.n
				}
				return q.reply.Send(c, figure)
			})
			adder := spawn(s, sys, func(c *actor.Context[int], m int) error {
				now, err := actor.Ask(c, store, asking(0))
				if err != nil {
					return err
				}
				_, err = actor.Ask(c, store, asking(now+m))
				return err
			}, actor.WithReentrancy(r))
			for range 2 {
				if err := adder.Send(s.Context(), 1); err != nil {
					s.Fatal(err)
				}
			}
			s.RunUntilIdle()
			if figure != 2 {
				s.Errorf("the figure is %d, want 2", figure)
			}
		}
	}
	for r := range actor.Reentrancy(3) {
		f, err := simtest.Find(t, simtest.Config{}, program(r))
		wantNoErr(t, err)
		if lost := f != nil; lost != (r == actor.FullReentrancy) {
			t.Errorf("with reentrancy %v, an update was lost: %t (%v)", r, lost, f)
		}
	}
}

// TestReentrantActorsUnderSimulation has actors of all kinds ask each other, be
// killed and stopped, under many schedules: every ask ends.
func TestReentrantActorsUnderSimulation(t *testing.T) {
	lane.Short(t)
	for _, r := range reentrant {
		for _, end := range []string{"drain", "stop", "kill"} {
			t.Run(r.String()+" "+end, func(t *testing.T) {
				simtest.Run(t, simtest.Config{Schedules: 300}, func(s *simtest.Sim) { reentrantProgram(s, r, end) })
			})
		}
	}
}

func reentrantProgram(s *simtest.Sim, r actor.Reentrancy, end string) {
	const n = 3
	sys := s.System(actor.Config{})
	inside := 0
	b := spawn(s, sys, run, actor.WithName("b"))
	a := spawn(s, sys, func(c *actor.Context[instruction], e instruction) error {
		if inside++; inside != 1 {
			s.Errorf("%d handlers run at once", inside)
		}
		inside--
		return run(c, e)
	}, actor.WithName("a"), actor.WithReentrancy(r), actor.WithMaxSuspended(2))
	done := make(chan error, n)
	for i := range n {
		client := spawn(s, sys, func(c *actor.Context[int], _ int) error { done <- callBack(c, a, b); return nil }, actor.WithName(fmt.Sprint("client ", i)))
		if err := client.Send(s.Context(), 1); err != nil {
			s.Fatal(err)
		}
	}
	if end != "drain" {
		ending := spawn(s, sys, func(c *actor.Context[int], _ int) error {
			if end == "kill" {
				return a.Kill()
			}
			return a.Stop(c)
		}, actor.WithName("end"))
		if err := ending.Send(s.Context(), 1); err != nil {
			s.Fatal(err)
		}
	}
	for _, err := range results(s, n, done) {
		if err != nil && !errors.Is(err, actor.ErrCycle) && end == "drain" {
			s.Error(err)
		}
	}
}

func TestTimeoutOfASuspendedHandler(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		var warned atomic.Int64
		sys := s.System(actor.Config{OnTimeout: func(actor.HandlerReport) { warned.Add(1) }})
		forgetful := spawn(s, sys, func(*actor.Context[question], question) error { return nil })
		ref := spawn(s, sys, func(c *actor.Context[int], m int) error {
			if m == 0 {
				return nil
			}
			ctx, cancel := context.WithTimeout(c, time.Duration(m)*time.Second)
			defer cancel()
			_, _ = actor.Ask(ctx, forgetful, asking(m))
			return nil
		}, actor.WithReentrancy(actor.FullReentrancy), actor.WithHandlerTimeout(5*time.Second, actor.TimeoutWarn))
		for _, m := range []int{3, 10, 0, 20} {
			if err := ref.Send(s.Context(), m); err != nil {
				s.Fatal(err)
			}
		}
		if err := ref.Drain(s.Context()); err != nil {
			s.Error(err)
		}
		if n := warned.Load(); n != 2 {
			s.Errorf("%d handlers were warned of, want 2", n)
		}
	})
}

// A handler that has waited knows its own lane again, not the lane of the message that was
// handled meanwhile.
func TestLaneOfASuspendedHandler(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	o := newAnswerer(t, sys)
	lanes := make(chan actor.Lane, 2)
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		if m == 1 {
			if _, err := o.ask(c, m); err != nil {
				return err
			}
		}
		lanes <- c.Lane()
		return nil
	}, actor.WithReentrancy(actor.FullReentrancy))
	send(t, ctx, ref.On(actor.Management), 1)
	q := o.next(t, ctx)
	send(t, ctx, ref, 2)
	if got := receive(t, ctx, lanes); got != actor.Data {
		t.Errorf("the second message came by the %v lane", got)
	}
	wantNoErr(t, q.reply.Send(ctx, 1))
	if got := receive(t, ctx, lanes); got != actor.Management {
		t.Errorf("the handler that has waited takes its message for one of the %v lane", got)
	}
}
