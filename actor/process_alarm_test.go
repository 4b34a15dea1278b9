package actor_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// The alarm of a receive that has got its message says nothing about the next one,
// even if it is on its way already.
func TestAlarmsOfOtherReceives(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 100}, func(s *simtest.Sim) {
		var got []int
		ref, err := actor.SpawnProcess(s.System(actor.Config{}), func(p *actor.Process[int]) error {
			if _, err := p.Receive(p); err != nil {
				return err
			}
			for _, d := range []time.Duration{0, 10 * ms, time.Hour, time.Hour} {
				began := time.Now()
				m, err := p.ReceiveWithin(d, nil)
				switch {
				case err == nil:
					got = append(got, m)
				case !errors.Is(err, actor.ErrNoMessage) || time.Since(began) < d:
					s.Errorf("a receive within %v returned %v after %v", d, err, time.Since(began))
				}
			}
			return nil
		})
		wantNoErr(s, err)
		send(s, s.Context(), ref, 0, 1)
		s.Advance(10 * ms) // With the second alarm, or just before or after it.
		send(s, s.Context(), ref, 2)
		s.Advance(time.Second)
		send(s, s.Context(), ref, 3)
		s.Advance(2 * time.Hour)
		if len(got) == 0 || got[0] != 1 || got[len(got)-1] != 3 {
			s.Errorf("received was %v", got)
		}
	})
}

// A receive that is over leaves no alarm behind, nor does a body that has ended.
func TestAlarmsEndWithTheirReceive(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		ref, err := actor.SpawnProcess(s.System(actor.Config{}), func(p *actor.Process[int]) error {
			if _, err := p.ReceiveWithin(time.Hour, nil); err != nil {
				return err
			}
			_, err := p.Receive(p)
			return err
		})
		wantNoErr(s, err)
		s.RunUntilIdle()
		for _, when := range []string{"in the next receive", "at the end of the body"} {
			send(s, s.Context(), ref, 1)
			s.RunUntilIdle()
			if s.AdvanceToNext(2 * time.Hour) {
				s.Errorf("an alarm is left %s", when)
			}
		}
	})
}

// A process receives the ends of others in their place, behind the messages that it had
// accepted by then.
func TestProcessIsToldOfEndsInTheirPlace(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	other := spawn(t, sys, doTask)
	ready, open, got := make(chan struct{}), make(chan struct{}), make(chan int, 4)
	ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		errs := []error{p.TrapExits(func(actor.Exit) int { return 100 }), p.Link(other.PID())}
		_, err := p.Monitor(other.PID(), func(actor.Exit) int { return 100 })
		close(ready)
		<-open
		for range 4 {
			m, err := p.Receive(p)
			got <- m
			errs = append(errs, err)
		}
		return errors.Join(append(errs, err)...)
	})
	receive(t, ctx, ready)
	end(t, other, func(c *actor.Context[task]) error {
		send(t, c, ref, 1, 2)
		return errHook
	})
	receive(t, ctx, other.Done())
	close(open)
	if all := take(t, got, 4); !slices.Equal(all, []int{1, 2, 100, 100}) {
		t.Errorf("received was %v", all)
	}
	receive(t, ctx, ref.Done())
	wantNoErr(t, ref.Err())
}

// A process that no longer traps exits ends at once, before the messages that wait.
func TestProcessTrapsNoMore(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	other := spawn(t, sys, doTask)
	ready, open, got := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		err := errors.Join(p.TrapExits(func(actor.Exit) int { return 100 }), p.TrapExits(nil), p.Link(other.PID()))
		close(ready)
		<-open
		_, ended := p.Receive(p)
		got <- ended
		return errors.Join(err, ended)
	})
	receive(t, ctx, ready)
	end(t, other, func(c *actor.Context[task]) error {
		send(t, c, ref, 1, 2)
		return errHook
	})
	receive(t, ctx, other.Done())
	close(open)
	wantErr(t, receive(t, ctx, got), errHook)
	receive(t, ctx, ref.Done())
}

// A process that has received on Control goes on before others' Data after a wait.
func TestProcessKeepsTheUrgencyOfItsMessage(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 1})
	const others = 10
	order := make(chan string, others+1)
	bulk := make([]actor.Ref[int], others)
	for i := range bulk {
		bulk[i] = spawn(t, sys, func(*actor.Context[int], int) error { order <- "bulk"; return nil })
	}
	asked := spawn(t, sys, answer)
	urgent := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		n, err := p.Receive(p)
		if err != nil {
			return err
		}
		_, err = actor.Ask(p, asked.On(actor.Control), asking(n))
		order <- "urgent"
		return err
	})
	until(t, ctx, func() bool { i, _ := urgent.Info(); return i.State == actor.Waiting && i.Goroutine != 0 })
	starter := spawn(t, sys, func(c *actor.Context[int], n int) error {
		for _, ref := range bulk {
			if err := ref.Send(c, n); err != nil {
				return err
			}
		}
		return urgent.On(actor.Control).Send(c, n)
	})
	send(t, ctx, starter, 1)
	if first := receive(t, ctx, order); first != "urgent" {
		t.Errorf("%s work came before the rest of what came on Control", first)
	}
	for range others {
		receive(t, ctx, order)
	}
}
