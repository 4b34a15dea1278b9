package actor_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

func spawnProcess[M any](tb testing.TB, at actor.Spawner, body func(*actor.Process[M]) error, opts ...actor.Option) actor.Ref[M] {
	tb.Helper()
	ref, err := actor.SpawnProcess(at, body, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return ref
}

// collector receives by the given receive, n times, and sends what it gets.
func collector(n int, to chan<- int, receive func(*actor.Process[int]) (int, error)) func(*actor.Process[int]) error {
	return func(p *actor.Process[int]) error {
		for range n {
			m, err := receive(p)
			if err != nil {
				return err
			}
			to <- m
		}
		return nil
	}
}

func anything(p *actor.Process[int]) (int, error) { return p.Receive(p) }

func take(tb testing.TB, from <-chan int, n int) (all []int) {
	tb.Helper()
	for range n {
		all = append(all, receive(tb, guarded(tb), from))
	}
	return all
}

func TestProcessReceivesInOrder(t *testing.T) {
	const n = 3000 // More than a lane holds.
	got := make(chan int, n)
	sys := newSystem(t, actor.Config{})
	ref := spawnProcess(t, sys, collector(n, got, anything))
	for i := range n {
		send(t, guarded(t), ref, i)
	}
	if all := take(t, got, n); !slices.IsSorted(all) {
		t.Errorf("received out of order: %v", all)
	}
	receive(t, guarded(t), ref.Done())
	if i, _ := ref.Info(); i.Reason != nil || i.State != actor.Exited {
		t.Errorf("the process has ended as %v, %v", i.State, i.Reason)
	}
}

// What does not match stays where it is, and is offered again in its order.
func TestReceiveMatchLeavesTheOthers(t *testing.T) {
	got := make(chan int, 16)
	sys := newSystem(t, actor.Config{})
	ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		for _, match := range []func(int) bool{
			func(m int) bool { return m == 7 },
			func(m int) bool { return m%2 == 0 },
			nil, nil,
			func(m int) bool { return m > 4 },
			nil, nil, nil,
		} {
			m, err := p.ReceiveMatch(p, match)
			if err != nil {
				return err
			}
			got <- m
		}
		return nil
	})
	send(t, guarded(t), ref, 1, 2, 3, 4, 5, 6, 7, 8)
	if all := take(t, got, 8); !slices.Equal(all, []int{7, 2, 1, 3, 5, 4, 6, 8}) {
		t.Errorf("received %v", all)
	}
	receive(t, guarded(t), ref.Done())
}

func TestProcessEndsWithItsBody(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		body   func(*actor.Process[int]) error
		reason error
	}{
		"nil":       {func(*actor.Process[int]) error { return nil }, nil},
		"error":     {func(*actor.Process[int]) error { return broken }, broken},
		"unhandled": {func(*actor.Process[int]) error { return actor.ErrUnhandled }, errors.New("any")},
		"panic":     {func(*actor.Process[int]) error { panic(broken) }, broken},
		"goexit":    {func(*actor.Process[int]) error { return failures["goexit"].fail() }, actor.ErrGoexit},
		"stop":      {func(p *actor.Process[int]) error { p.Stop(); _, err := p.Receive(p); return err }, nil},
	} {
		for _, late := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				sys := newSystem(t, actor.Config{})
				ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
					if late {
						if _, err := p.Receive(p); err != nil {
							return err
						}
					}
					return c.body(p)
				})
				if late {
					send(t, guarded(t), ref, 1)
				}
				receive(t, guarded(t), ref.Done())
				i, _ := ref.Info()
				if (i.Reason == nil) != (c.reason == nil) || name != "unhandled" && !errors.Is(i.Reason, c.reason) {
					t.Errorf("the reason is %v, want %v", i.Reason, c.reason)
				}
			})
		}
	}
}

// A process that is asked to stop gets its children's end first, then ErrStopped,
// and after that no second turn.
func TestStopReachesReceive(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	var seen error
	cleared, ready := false, make(chan struct{})
	child := make(chan actor.Ref[int], 1)
	ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		defer func() { cleared = true }()
		child <- spawn(t, p, func(*actor.Context[int], int) error { return nil })
		close(ready)
		_, seen = p.Receive(p)
		_, _ = p.Receive(p)
		t.Error("a receive after the last has returned")
		return nil
	})
	receive(t, guarded(t), ready)
	if err := ref.Stop(guarded(t)); err != nil {
		t.Fatal(err)
	}
	if !cleared || !errors.Is(seen, actor.ErrStopped) {
		t.Errorf("the body got %v, and has ended: %v", seen, cleared)
	}
	select {
	case <-(<-child).Done():
	default:
		t.Error("the child was not stopped first")
	}
	if err := ref.Err(); err != nil {
		t.Errorf("the reason is %v", err)
	}
}

// Nothing that was accepted is lost by a drain or a stop.
func TestDrainGoesOnWithWhatIsNew(t *testing.T) {
	letters := make(chan any, 16)
	sys := newSystem(t, actor.Config{OnDeadLetter: func(d actor.DeadLetter) { letters <- d.Message }})
	got := make(chan int, 16)
	hold := make(chan struct{})
	ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		<-hold
		for {
			m, err := p.ReceiveMatch(p, func(m int) bool { return m%2 == 0 })
			if err != nil {
				return err
			}
			got <- m
		}
	})
	send(t, guarded(t), ref, 1, 2, 3, 4)
	drained := make(chan error)
	go func() { drained <- ref.Drain(guarded(t)) }()
	close(hold)
	if err := receive(t, guarded(t), drained); err != nil {
		t.Fatal(err)
	}
	if all := take(t, got, 2); !slices.Equal(all, []int{2, 4}) || len(got) != 0 {
		t.Errorf("received %v", all)
	}
	if a, b := <-letters, <-letters; a != 1 || b != 3 || len(letters) != 0 {
		t.Errorf("the dead letters are %v and %v", a, b)
	}
}

// A kill does not wait for a body, and leaves none behind: goleak would see it.
func TestKillWhileItWaits(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	seen := make(chan error, 2)
	ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		_, err := p.Receive(p)
		seen <- err
		seen <- p.Self().Send(p, 1)
		_, _ = p.Receive(p)
		t.Error("a ghost has received")
		return nil
	})
	until(t, guarded(t), func() bool { i, _ := ref.Info(); return i.State == actor.Waiting && i.Goroutine != 0 })
	if err := ref.Kill(); err != nil {
		t.Fatal(err)
	}
	receive(t, guarded(t), ref.Done())
	if err := ref.Err(); !errors.Is(err, actor.ErrKilled) {
		t.Errorf("the reason is %v", err)
	}
	if err := receive(t, guarded(t), seen); !errors.Is(err, actor.ErrKilled) {
		t.Errorf("Receive returned %v", err)
	}
	if err := receive(t, guarded(t), seen); !errors.Is(err, actor.ErrFenced) {
		t.Errorf("a ghost's send returned %v", err)
	}
	until(t, guarded(t), func() bool { return sys.Stats().Ghosts == 0 })
}

func TestKillWhileItRuns(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	hold, in := make(chan struct{}), make(chan struct{})
	seen := make(chan error, 1)
	type question struct{ reply actor.Reply[int] }
	ref := spawnProcess(t, sys, func(p *actor.Process[question]) error {
		if _, err := p.Receive(p); err != nil {
			return err
		}
		close(in)
		<-hold
		_, err := p.Receive(p)
		seen <- err
		return err
	})
	asked := make(chan error, 1)
	go func() {
		_, err := actor.Ask(guarded(t), ref, func(r actor.Reply[int]) question { return question{r} })
		asked <- err
	}()
	receive(t, guarded(t), in)
	if err := ref.Kill(); err != nil {
		t.Fatal(err)
	}
	receive(t, guarded(t), ref.Done())
	if err := receive(t, guarded(t), asked); !errors.Is(err, actor.ErrNoReply) {
		t.Errorf("who asked got %v", err)
	}
	close(hold)
	if err := receive(t, guarded(t), seen); !errors.Is(err, actor.ErrFenced) {
		t.Errorf("Receive returned %v", err)
	}
	until(t, guarded(t), func() bool { return sys.Stats().Ghosts == 0 })
}

// The body fails with a question in its hands, and one that it has not looked
// at, and one that it has put off: nobody waits for ever.
func TestProcessFailureAnswersWhoAsked(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	broken := errors.New("broken")
	type question struct {
		n     int
		reply actor.Reply[int]
	}
	hold := make(chan struct{})
	ref := spawnProcess(t, sys, func(p *actor.Process[question]) error {
		<-hold
		if _, err := p.ReceiveMatch(p, func(q question) bool { return q.n == 2 }); err != nil {
			return err
		}
		return broken
	})
	asked := make(chan error, 3)
	for n := range 3 {
		go func() {
			_, err := actor.Ask(guarded(t), ref, func(r actor.Reply[int]) question { return question{n + 1, r} })
			asked <- err
		}()
	}
	until(t, guarded(t), func() bool { i, _ := ref.Info(); return i.Mailbox[actor.Data] == 3 })
	close(hold)
	for range 3 {
		if err := receive(t, guarded(t), asked); !errors.Is(err, actor.ErrNoReply) {
			t.Errorf("who asked got %v", err)
		}
	}
	receive(t, guarded(t), ref.Done())
	if err := ref.Err(); !errors.Is(err, broken) {
		t.Errorf("the reason is %v", err)
	}
}

func TestReceiveWithin(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	seen := make(chan error, 8)
	got := make(chan int, 8)
	hold := make(chan struct{})
	even := func(m int) bool { return m%2 == 0 }
	ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		<-hold
		for _, d := range []time.Duration{0, 0, time.Millisecond, time.Millisecond, time.Hour, -1} {
			m, err := p.ReceiveWithin(d, even)
			if seen <- err; err == nil {
				got <- m
			}
		}
		ctx, cancel := context.WithTimeout(p, time.Millisecond)
		defer cancel()
		_, err := p.ReceiveMatch(ctx, even)
		seen <- err
		_, err = p.ReceiveMatch(ctx, even)
		seen <- err
		m, err := p.Receive(ctx) // It was there before, so it does not matter that ctx has ended.
		got <- m
		return err
	})
	send(t, guarded(t), ref, 1, 2)
	close(hold)
	for i, want := range []error{nil, actor.ErrNoMessage, actor.ErrNoMessage, actor.ErrNoMessage} {
		if err := receive(t, guarded(t), seen); !errors.Is(err, want) {
			t.Errorf("receive %d returned %v, want %v", i, err, want)
		}
	}
	send(t, guarded(t), ref, 3, 4)
	for i, want := range []error{nil, actor.ErrNoMessage, context.DeadlineExceeded, context.DeadlineExceeded} {
		if err := receive(t, guarded(t), seen); !errors.Is(err, want) {
			t.Errorf("receive %d returned %v, want %v", i+4, err, want)
		}
	}
	if all := take(t, got, 3); !slices.Equal(all, []int{2, 4, 1}) {
		t.Errorf("received %v", all)
	}
	receive(t, guarded(t), ref.Done())
	if err := ref.Err(); err != nil {
		t.Error(err)
	}
}

// What comes on Control is received first, also of what was kept.
func TestProcessLanes(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	got := make(chan int, 16)
	hold := make(chan struct{})
	ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		<-hold
		m, err := p.ReceiveMatch(p, func(m int) bool { return m == 99 })
		got <- m
		for range 5 {
			if m, err = p.Receive(p); err != nil {
				return err
			}
			got <- m
		}
		return err
	})
	send(t, guarded(t), ref, 1, 2)
	send(t, guarded(t), ref.On(actor.Management), 11)
	send(t, guarded(t), ref.On(actor.Control), 21, 22)
	send(t, guarded(t), ref, 99)
	close(hold)
	if all := take(t, got, 6); !slices.Equal(all, []int{99, 21, 22, 11, 1, 2}) {
		t.Errorf("received %v", all)
	}
	receive(t, guarded(t), ref.Done())
}

func TestProcessKeepsNoMoreThanItsStash(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	got, seen := make(chan int, 16), make(chan error, 16)
	ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		_, err := p.ReceiveMatch(p, func(int) bool { return false })
		seen <- err
		for range 4 {
			m, err := p.Receive(p)
			if err != nil {
				return err
			}
			got <- m
		}
		return nil
	}, actor.WithStash(2))
	send(t, guarded(t), ref, 1, 2, 3, 4)
	if err := receive(t, guarded(t), seen); !errors.Is(err, actor.ErrStashFull) {
		t.Errorf("Receive returned %v", err)
	}
	if all := take(t, got, 4); !slices.Equal(all, []int{1, 2, 3, 4}) {
		t.Errorf("received %v", all)
	}
	receive(t, guarded(t), ref.Done())
}

func TestProcessMonitorsAndTraps(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	type event struct {
		what string
		exit actor.Exit
	}
	got := make(chan event, 8)
	sit := func(*actor.Context[int], int) error { return nil }
	watched, linked, fatal := spawn(t, sys, sit), spawn(t, sys, sit), spawn(t, sys, sit)
	ref := spawnProcess(t, sys, func(p *actor.Process[event]) error {
		down := func(e actor.Exit) event { return event{"down", e} }
		if _, err := p.Monitor(watched.PID(), down); err != nil {
			return err
		}
		m, err := p.Monitor(linked.PID(), down)
		if err != nil || !p.Demonitor(m) {
			return errors.New("no monitor")
		}
		if err := errors.Join(p.Link(linked.PID()), p.Link(fatal.PID()),
			p.TrapExits(func(e actor.Exit) event { return event{"exit", e} })); err != nil {
			return err
		}
		got <- event{what: "ready"}
		for _, what := range []string{"exit", "down"} { // In this order, whatever comes first.
			e, err := p.ReceiveMatch(p, func(e event) bool { return e.what == what })
			if err != nil {
				return err
			}
			got <- e
		}
		if err := p.TrapExits(nil); err != nil {
			return err
		}
		got <- event{what: "mortal"}
		_, err = p.Receive(p)
		got <- event{"end", actor.Exit{Reason: err}}
		return err
	})
	if e := receive(t, guarded(t), got); e.what != "ready" {
		t.Fatal(e)
	}
	if err := watched.Stop(guarded(t)); err != nil {
		t.Fatal(err)
	}
	_ = linked.Kill()
	if e := receive(t, guarded(t), got); e.what != "exit" || e.exit.PID != linked.PID() || !errors.Is(e.exit.Reason, actor.ErrKilled) {
		t.Errorf("got %v", e)
	}
	if e := receive(t, guarded(t), got); e.what != "down" || e.exit.PID != watched.PID() {
		t.Errorf("got %v", e)
	}
	receive(t, guarded(t), got)
	_ = fatal.Kill()
	receive(t, guarded(t), ref.Done())
	linkedTo := (*actor.LinkedError)(nil)
	if e := receive(t, guarded(t), got); !errors.As(e.exit.Reason, &linkedTo) || !errors.As(ref.Err(), &linkedTo) {
		t.Errorf("Receive returned %v, and the reason is %v", e.exit.Reason, ref.Err())
	}
}

func TestProcessRefuses(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	body := func(p *actor.Process[int]) error { _, err := p.Receive(p); return err }
	if _, err := actor.SpawnProcess[int](sys, nil); err == nil {
		t.Error("a nil body is accepted")
	}
	if _, err := actor.Spawn(sys, actor.NewProcess[int](nil)); err == nil {
		t.Error("a nil body is accepted by NewProcess")
	}
	one := actor.NewProcess(body)
	first := spawnActor(t, sys, one)
	until(t, guarded(t), func() bool { i, _ := first.Info(); return i.Goroutine != 0 && i.State == actor.Waiting })
	for name, a := range map[string]actor.Actor[int]{
		"again":    one,
		"embedded": struct{ actor.Actor[int] }{actor.NewProcess(body)},
	} {
		ref := spawnActor(t, sys, a)
		_ = ref.Send(guarded(t), 1)
		receive(t, guarded(t), ref.Done())
		if ref.Err() == nil {
			t.Errorf("%s: a process that is not the whole of its actor has begun", name)
		}
	}
	for _, opt := range []actor.Option{actor.WithBackend(actor.OnBlocking), actor.WithReentrancy(actor.FullReentrancy)} {
		if _, err := actor.SpawnProcess(sys, body, opt); err == nil || !strings.Contains(err.Error(), "leave out") {
			t.Errorf("a process with a backend, or reentrant: %v", err)
		}
	}
	out := make(chan *actor.Process[int], 1)
	ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		_, err := p.Monitor(p.PID(), nil)
		if err == nil {
			t.Error("a nil function is accepted")
		}
		out <- p
		return body(p)
	})
	p := receive(t, guarded(t), out)
	if _, err := p.Receive(p); !errors.Is(err, actor.ErrNotInHandler) {
		t.Errorf("a receive from outside returned %v", err)
	}
	if _, err := p.Monitor(ref.PID(), func(actor.Exit) int { return 0 }); !errors.Is(err, actor.ErrNotInHandler) {
		t.Errorf("a monitor from outside returned %v", err)
	}
	if err := p.TrapExits(nil); !errors.Is(err, actor.ErrNotInHandler) {
		t.Errorf("a trap from outside returned %v", err)
	}
	if err := ref.Stop(guarded(t)); err != nil {
		t.Error(err)
	}
	if _, err := p.Receive(p); !errors.Is(err, actor.ErrNotInHandler) {
		t.Errorf("a receive after the end returned %v", err)
	}
}

// A predicate that panics is the process's own failure, with its stack.
func TestPredicatePanics(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	broken := errors.New("broken")
	var seen error
	ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		_, seen = p.ReceiveMatch(p, func(int) bool { panic(broken) })
		return seen
	})
	send(t, guarded(t), ref, 1)
	receive(t, guarded(t), ref.Done())
	if !errors.Is(ref.Err(), broken) || !errors.Is(seen, broken) {
		t.Errorf("the reason is %v, and Receive returned %v", ref.Err(), seen)
	}
}

// A restart begins the body anew, with all messages that it had not received, in
// their order.
func TestProcessRestarts(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			sys := newSystem(t, actor.Config{})
			got := make(chan int, 16)
			hold := make(chan struct{})
			_, child := restarting(t, sys, func() actor.Actor[int] {
				return actor.NewProcess(func(p *actor.Process[int]) error {
					<-hold
					m, err := p.ReceiveMatch(p, func(m int) bool { return m == 3 })
					if err == nil {
						got <- m
						return f.fail()
					}
					return err
				})
			}, restart)
			send(t, guarded(t), child, 1, 2, 3, 4, 3)
			close(hold)
			take(t, got, 2)
			if err := child.Send(guarded(t), 3); err != nil {
				t.Fatal(err)
			}
			take(t, got, 1)
			until(t, guarded(t), func() bool { i, _ := child.Info(); return i.Restarts == 3 && i.Mailbox[actor.Data]+i.Stashed == 3 })
		})
	}
}

// The time from one receive to the next is that of a handler.
func TestProcessTimesOut(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		for {
			if _, err := p.Receive(p); err != nil {
				return err
			}
			<-p.Done()
		}
	}, actor.WithHandlerTimeout(5*time.Millisecond, actor.TimeoutStop))
	send(t, guarded(t), ref, 1)
	receive(t, guarded(t), ref.Done())
	late := (*actor.TimeoutError)(nil)
	if !errors.As(ref.Err(), &late) {
		t.Errorf("the reason is %v", ref.Err())
	}
	until(t, guarded(t), func() bool { return sys.Stats().Ghosts == 0 })
}

// A body asks others, and is asked meanwhile, without holding a worker.
func TestProcessAsks(t *testing.T) {
	sys := newSystem(t, actor.Config{Workers: 1})
	type question struct {
		n     int
		reply actor.Reply[int]
	}
	ask := func(n int) func(actor.Reply[int]) question {
		return func(r actor.Reply[int]) question { return question{n, r} }
	}
	double := spawnProcess(t, sys, func(p *actor.Process[question]) error {
		for {
			q, err := p.Receive(p)
			if err != nil {
				return err
			}
			if err := q.reply.Send(p, 2*q.n); err != nil {
				return err
			}
		}
	})
	chain := double
	for range 3 {
		next := chain
		chain = spawnProcess(t, sys, func(p *actor.Process[question]) error {
			for {
				q, err := p.Receive(p)
				if err != nil {
					return err
				}
				n, err := actor.Ask(p, next, ask(q.n+1))
				if err != nil {
					return err
				}
				if err := q.reply.Send(p, n); err != nil {
					return err
				}
			}
		})
	}
	for n := range 10 {
		if got, err := actor.Ask(guarded(t), chain, ask(n)); err != nil || got != 2*(n+3) {
			t.Errorf("got %d, %v", got, err)
		}
	}
}

// Whatever the schedule: what is kept keeps its order, Control comes first, and a
// receive that finds its message among what was kept gets that one.
func TestProcessSimulated(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		var got []int
		ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
			for _, match := range []func(int) bool{
				func(m int) bool { return m == 5 },
				func(m int) bool { return m%2 == 0 },
				func(m int) bool { return m%2 == 0 },
				nil, nil, nil, nil,
			} {
				m, err := p.ReceiveMatch(p, match)
				if err != nil {
					return err
				}
				got = append(got, m)
			}
			_, err := p.ReceiveWithin(time.Minute, nil)
			if !errors.Is(err, actor.ErrNoMessage) {
				s.Errorf("the last receive returned %v", err)
			}
			return nil
		}, actor.WithName("p"))
		a := spawn(t, sys, func(ctx *actor.Context[int], m int) error { return ref.Send(ctx, m) })
		b := spawn(t, sys, func(ctx *actor.Context[int], m int) error { return ref.On(actor.Control).Send(ctx, m) })
		for m := 1; m <= 5; m++ {
			_ = a.Send(s.Context(), m)
		}
		_, _ = b.Send(s.Context(), 12), b.Send(s.Context(), 14)
		s.Advance(2 * time.Minute)
		receive(t, s.Context(), ref.Done())
		odd, even, urgent := []int{}, []int{}, []int{}
		for _, m := range got {
			switch {
			case m > 10:
				urgent = append(urgent, m)
			case m%2 == 0:
				even = append(even, m)
			default:
				odd = append(odd, m)
			}
		}
		if !slices.Equal(odd, []int{5, 1, 3}) || !slices.Equal(even, []int{2, 4}) || !slices.Equal(urgent, []int{12, 14}) {
			s.Errorf("received %v", got)
		}
	})
}

// Whenever the kill comes, nothing of the process is left, and each message was
// received, or is a dead letter.
func TestProcessKilledAnyTime(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		letters, received := 0, 0
		sys := s.System(actor.Config{OnDeadLetter: func(actor.DeadLetter) { letters++ }})
		ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
			for _, want := range []int{2, 1, 3} {
				if _, err := p.ReceiveMatch(p, func(m int) bool { return m == want }); err != nil {
					return err
				}
				received++
			}
			_, err := p.Receive(p)
			return err
		})
		for m := 1; m <= 3; m++ {
			_ = ref.Send(s.Context(), m)
		}
		_ = ref.Kill()
		s.RunUntilIdle()
		if received+letters != 3 || sys.Stats().Ghosts != 0 || sys.Stats().Actors != 0 {
			s.Errorf("%d received, %d dead letters, %+v", received, letters, sys.Stats())
		}
	})
}

// A body has the context of the ask that it has received, and the process's own
// after it.
func TestProcessHasTheContextOfAnAsk(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	gone := errors.New("gone")
	silent := spawn(t, sys, func(*actor.Context[question], question) error { return nil })
	entered, causes := make(chan struct{}), make(chan error, 2)
	ref, err := actor.SpawnProcess(sys, func(p *actor.Process[question]) error {
		for {
			q, err := p.ReceiveMatch(p, func(q question) bool { return q.n != 1 })
			if err != nil {
				return err
			}
			if q.n == 0 {
				if p.Context() != context.Context(p) {
					t.Error("a sent message has a context")
				}
				continue
			}
			c := p.Context()
			if c.Value(traceKey{}) != q.n {
				t.Errorf("the value is %v", c.Value(traceKey{}))
			}
			if q.n == 2 {
				if err := q.reply.Send(c, 2); err != nil {
					return err
				}
				continue
			}
			close(entered)
			_, err = actor.Ask(c, silent, asking(1))
			causes <- err
			causes <- context.Cause(c)
		}
	})
	wantNoErr(t, err)
	out, cancel := context.WithCancelCause(context.WithValue(ctx, traceKey{}, 2))
	_, err = actor.Ask(out, ref, asking(2))
	wantNoErr(t, err)
	send(t, ctx, ref, question{n: 0}, question{n: 1})
	go func() {
		<-entered
		cancel(gone)
	}()
	_, err = actor.Ask(context.WithValue(out, traceKey{}, 3), ref, asking(3))
	wantErr(t, err, gone)
	wantErr(t, receive(t, ctx, causes), gone)
	wantErr(t, receive(t, ctx, causes), gone)
	wantNoErr(t, ref.Stop(ctx))
}

// A process that returns the end of its asker has ended.
func TestProcessEndsWithItsAsk(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	out, cancel := context.WithCancel(ctx)
	ref, err := actor.SpawnProcess(sys, func(p *actor.Process[question]) error {
		if _, err := p.Receive(p); err != nil {
			return err
		}
		cancel()
		return p.Context().Err()
	})
	wantNoErr(t, err)
	_, err = actor.Ask(out, ref, asking(1))
	wantErr(t, err, context.Canceled)
	receive(t, ctx, ref.Done())
	wantErr(t, ref.Err(), context.Canceled)
}
