package actor_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

// Actors that have one message at a time use their pockets again and again.
func TestPocketInSteps(t *testing.T) { simulated.Too(t, testPocketInSteps) }

func testPocketInSteps(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	done := make(chan int, 1)
	var one, two actor.Ref[int]
	turn := func(other *actor.Ref[int]) func(*actor.Context[int], int) error {
		return func(c *actor.Context[int], m int) error {
			if m == 20 {
				done <- m
				return nil
			}
			return other.Send(c, m+1)
		}
	}
	one = spawn(t, sys, turn(&two))
	two = spawn(t, sys, turn(&one))
	send(t, ctx, one, 1)
	receive(t, ctx, done)
	for _, ref := range []actor.Ref[int]{one, two} {
		if actor.HasLane(ref) {
			t.Error("one message is under way, and there is a lane")
		}
	}
}

// A process whose stash is full finds the message that it looks for, although that is
// the one in hand, which has come by the pocket.
func TestProcessChoosesAMessageOfThePocket(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	got := make(chan int, 2)
	ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
		if _, err := p.ReceiveMatch(p, func(m int) bool { return m == 9 }); !errors.Is(err, actor.ErrStashFull) {
			t.Errorf("the receive returned %v", err)
		}
		for want := 2; want > 0; want-- {
			m, err := p.ReceiveMatch(p, func(m int) bool { return m == want })
			if err != nil {
				return err
			}
			got <- m
		}
		return nil
	}, actor.WithStash(1))
	send(t, guarded(t), ref.On(actor.Control), 1)
	until(t, guarded(t), func() bool { return actor.Idle(ref) })
	send(t, guarded(t), ref, 2)
	if all := take(t, got, 2); all[0] != 2 || all[1] != 1 {
		t.Errorf("got %v", all)
	}
}

// A message that has come by the pocket, and is put back later, is not measured.
func TestLatencyOfAMessageOfThePocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
			if m == 0 {
				_, err := c.Unstash()
				return err
			}
			if m < 4 && c.Stashed() < 3 {
				return c.Stash(m)
			}
			return nil
		})
		pass(time.Hour)
		for m := 1; m < 4; m++ {
			send(t, t.Context(), ref, m)
			synctest.Wait()
		}
		var mu sync.Mutex
		observe(t, sys, actor.Probe{SampleEvery: 1, Handled: func(s actor.Sample) {
			mu.Lock()
			defer mu.Unlock()
			if s.Latency >= time.Minute {
				t.Errorf("a message has waited for %v", s.Latency)
			}
		}})
		send(t, t.Context(), ref, 4)
		send(t, t.Context(), ref, 0)
		synctest.Wait()
	})
}

// Backlogs can be asked for while actors end.
func TestBacklogOfActorsThatEnd(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	for range 300 {
		ref := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
		send(t, ctx, ref.On(actor.Control), 1)
		ended := make(chan error, 1)
		go func() { ended <- ref.Stop(ctx) }()
		_ = ref.Backlog()
		wantNoErr(t, receive(t, ctx, ended))
	}
}
