package actor_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

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
func TestDrainOfAProcessHandlesNewMessages(t *testing.T) {
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

// A kill does not wait for a body, and leaves none behind: the check for leaks would see it.
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
func TestProcessFailureAnswersItsAsker(t *testing.T) {
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

// A restart runs the body from its beginning, with all messages that it had not received, in
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

// A process is killed while it looks whether it wants a message. That is a dead letter,
// since the process never gets it.
func TestMessageThatAKilledProcessLooksAt(t *testing.T) {
	for _, wanted := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			sys := newSystem(t, actor.Config{Workers: 2})
			open, got := make(chan struct{}), make(chan error, 1)
			ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
				_, err := p.ReceiveMatch(p, func(int) bool {
					<-open
					return wanted
				})
				got <- err
				return err
			})
			send(t, t.Context(), ref, 1)
			synctest.Wait()
			wantNoErr(t, ref.Kill())
			wantErr(t, <-got, actor.ErrKilled)
			close(open)
			synctest.Wait()
			if s := sys.Stats(); s.DeadLetters != 1 || s.Ghosts != 0 {
				t.Errorf("wanted %v: %d dead letters and %d ghosts, want one and none", wanted, s.DeadLetters, s.Ghosts)
			}
		})
	}
}

// A process that is killed while it is given a message gets the error, and no message: that
// is a dead letter, or was received. With -tags invariants the two meet within this test.
func TestKilledProcessGetsTheErrorAlone(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 2})
	for range 1000 {
		type got struct {
			m   int
			err error
		}
		received := make(chan got, 2)
		ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
			for {
				m, err := p.Receive(p)
				received <- got{m, err}
				if err != nil {
					return err
				}
			}
		})
		go func() { _ = ref.Send(ctx, 7) }()
		for range rand.IntN(40) {
			runtime.Gosched()
		}
		wantNoErr(t, ref.Kill())
		receive(t, ctx, ref.Done())
		until(t, ctx, func() bool { return sys.Stats().Ghosts == 0 })
		for len(received) > 0 {
			if g := <-received; g.err != nil && g.m != 0 {
				t.Fatalf("%d came with the error %v", g.m, g.err)
			}
		}
	}
}
