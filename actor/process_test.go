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

// A message that does not match stays where it is, and is offered again in its order.
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

// A message on Control is received first, also among kept messages.
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

// The time from one receive to the next counts as a handler's time.
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
