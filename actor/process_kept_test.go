package actor_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
)

// A message that a process has kept, of another lane than Data, is there for the next receive.
// That also holds after a receive that has timed out.
func TestKeptMessageComesAfterATimeout(t *testing.T) {
	for _, lane := range []actor.Lane{actor.Data, actor.Management, actor.Control} {
		synctest.Test(t, func(t *testing.T) {
			sys := newSystem(t, actor.Config{})
			var got []int
			ref, err := actor.SpawnProcess(sys, func(p *actor.Process[int]) error {
				for {
					m, err := p.ReceiveWithin(time.Second, func(m int) bool { return m%2 == 1 })
					if errors.Is(err, actor.ErrNoMessage) {
						m, err = p.Receive(p)
					}
					if err != nil {
						return err
					}
					got = append(got, m)
				}
			})
			wantNoErr(t, err)
			send(t, t.Context(), ref.On(lane), 2)
			pass(time.Minute)
			if !slices.Equal(got, []int{2}) {
				t.Errorf("%v: the process got %v, want the message that it had kept", lane, got)
			}
			wantNoErr(t, ref.Stop(t.Context()))
		})
	}
}

// Two messages that always fail cost as many restarts as they may, whichever a process
// takes first.
func TestRetriesOfAProcessThatChooses(t *testing.T) {
	ctx := guarded(t)
	letters := make(chan actor.DeadLetter, 16)
	sys := newSystem(t, actor.Config{OnDeadLetter: func(d actor.DeadLetter) { letters <- d }})
	tries := map[int]int{}
	ready := make(chan actor.Ref[int], 1)
	spawnActor(t, sys, actor.Actor[int](&keeping[int]{hooks[int]{
		started: func(c *actor.Context[int]) error {
			ref, err := actor.SpawnNew(c, func() actor.Actor[int] {
				return actor.NewProcess(func(p *actor.Process[int]) error {
					for kept := 0; ; kept++ { // All that is there, and then the oldest.
						_, err := p.ReceiveWithin(0, func(int) bool { return false })
						if !errors.Is(err, actor.ErrNoMessage) {
							return err
						}
						m, err := p.Receive(p)
						if err != nil {
							return err
						}
						if m < 0 {
							continue
						}
						tries[m]++
						return errOdd
					}
				})
			}, actor.WithRetry(2))
			ready <- ref
			return err
		},
		exited: restart,
	}}))
	ref := receive(t, ctx, ready)
	for m := range 3 {
		send(t, ctx, ref, m)
	}
	for range 3 {
		receive(t, ctx, letters)
	}
	for m := range 3 {
		if tries[m] != 3 {
			t.Errorf("message %d was tried %d times, want 3", m, tries[m])
		}
	}
}

// A handler that was killed and has kept an ask open leaves what it had put aside to the
// next incarnation.
func TestKilledHandlerLeavesTheStashAlone(t *testing.T) {
	for range 100 {
		ctx := guarded(t)
		sys := newSystem(t, actor.Config{})
		begun := make(chan struct{})
		ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
			if q.n == 0 {
				return c.Stash(q)
			}
			close(begun)
			for c.Err() == nil {
				runtime.Gosched()
			}
			return nil
		})
		send(t, ctx, ref, question{})
		asked := make(chan error, 1)
		go func() {
			_, err := actor.Ask(ctx, ref, asking(1))
			asked <- err
		}()
		receive(t, ctx, begun)
		wantNoErr(t, ref.Kill())
		wantErr(t, receive(t, ctx, asked), actor.ErrNoReply)
		wantNoErr(t, sys.Stop(ctx))
	}
}

// TestKillsBesideRestarts has processes killed while they restart. None of their bodies is
// left behind: the check for leaks would report it.
func TestKillsBesideRestarts(t *testing.T) {
	ctx := guarded(t)
	for i := range 200 {
		sys := newSystem(t, actor.Config{})
		ready := make(chan actor.Ref[int], 1)
		spawnActor(t, sys, actor.Actor[int](&keeping[int]{hooks[int]{
			started: func(c *actor.Context[int]) error {
				ref, err := actor.SpawnNew(c, func() actor.Actor[int] {
					return actor.NewProcess(func(p *actor.Process[int]) error {
						for {
							if _, err := p.Receive(p); err != nil {
								return err
							}
						}
					})
				}, actor.WithMailboxLimit(actor.MailboxLimit{Items: 1, Then: actor.LimitRestart}))
				ready <- ref
				return err
			},
			exited: restart,
		}}))
		ref := receive(t, ctx, ready)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range i % 7 {
				_ = ref.Kill()
			}
		}()
		for range 10 {
			_ = ref.TrySend(ctx, 1)
		}
		<-done
		wantNoErr(t, sys.Stop(ctx))
	}
}

// TestKillsBesideStops has processes killed while they stop. Each of their bodies comes to
// its end, also where the actor had done with its messages before the kill.
func TestKillsBesideStops(t *testing.T) {
	lane.Short(t)
	ctx := guarded(t)
	for i := range 2000 {
		sys := newSystem(t, actor.Config{})
		begun, ended := make(chan struct{}), make(chan error, 1)
		ref := spawnProcess(t, sys, func(p *actor.Process[int]) error {
			close(begun)
			_, err := p.Receive(p)
			ended <- err
			return err
		})
		receive(t, ctx, begun)
		go func() {
			for range i % 40 {
				runtime.Gosched()
			}
			_ = ref.Kill()
		}()
		wantNoErr(t, sys.Stop(ctx))
		if err := receive(t, ctx, ended); err == nil {
			t.Error("the process has received a message")
		}
	}
}
