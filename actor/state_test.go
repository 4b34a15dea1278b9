package actor_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// A message that is announced while a batch is interrupted is not forgotten
// when the rest of that batch has been handled.
func TestNoMessageIsForgottenBehindASplitBatch(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 1})
	g := newGate()
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		if m == 1 {
			if err := c.Self().Send(c, 3); err != nil {
				return err
			}
		}
		return g.Receive(c, m)
	}, actor.WithThroughput(1))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2) // One batch, which the throughput splits.
	close(g.open)
	for want := 1; want <= 3; want++ {
		if got := receive(t, ctx, g.seen); got != want {
			t.Fatalf("got message %d, want %d", got, want)
		}
	}
}

// Every message rings the bell for itself or relies on one that has been rung:
// nothing here but the messages makes the actor look into its lanes.
func TestEveryMessageWakesItsActor(t *testing.T) {
	for _, throughput := range []int{1, 2, 7, 100} {
		for _, capacity := range []int{1, 5, 1024} {
			t.Run(fmt.Sprint(throughput, "of", capacity), func(t *testing.T) {
				ctx := guarded(t)
				sys := newSystem(t, actor.Config{Workers: 2})
				const senders, each = 3, 1500
				done := make(chan struct{})
				handled := 0
				ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
					if handled++; handled == senders*each {
						close(done)
					}
					if m%64 == 0 {
						runtime.Gosched()
					}
					return nil
				}, actor.WithThroughput(throughput), actor.WithCapacity(actor.Data, capacity))
				for s := range senders {
					go func() {
						for i := range each {
							lane := actor.Data
							if i%10 == s {
								lane = lanes[i/10%3]
							}
							if err := ref.On(lane).Send(ctx, i); err != nil {
								t.Error(err)
							}
						}
					}()
				}
				receive(t, ctx, done)
			})
		}
	}
}

// The same from within: a relay of actors on the workers' own queues.
func TestEveryMessageOfARelayIsHandled(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 4})
	const runners, laps = 10, 2000
	type baton struct{ left int }
	done := make(chan struct{}, runners)
	var ring []actor.Ref[baton]
	start := make(chan struct{})
	for i := range runners {
		ring = append(ring, spawn(t, sys, func(c *actor.Context[baton], b baton) error {
			<-start
			if b.left == 0 {
				done <- struct{}{}
				return nil
			}
			return ring[(i+b.left)%runners].On(lanes[b.left%3]).Send(c, baton{b.left - 1})
		}, actor.WithThroughput(3)))
	}
	for i := range runners {
		send(t, ctx, ring[i], baton{laps})
	}
	close(start)
	for range runners {
		receive(t, ctx, done)
	}
}

// TestWaitKeepsTheUrgencyOfItsMessage has a Control handler ask another actor
// while other actors' Data waits for the only worker: when the answer is there,
// the handler goes on before them.
func TestWaitKeepsTheUrgencyOfItsMessage(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 1})
	const others = 10
	order := make(chan string, others+1)
	bulk := make([]actor.Ref[int], others)
	for i := range bulk {
		bulk[i] = spawn(t, sys, func(*actor.Context[int], int) error { order <- "bulk"; return nil })
	}
	asked := spawn(t, sys, answer)
	urgent := spawn(t, sys, func(c *actor.Context[int], n int) error {
		_, err := actor.Ask(c, asked.On(actor.Control), asking(n))
		order <- "urgent"
		return err
	})
	// All is sent by one handler, so nothing of it runs before that returns.
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
		t.Errorf("%s work came before the rest of a Control handler", first)
	}
	for range others {
		receive(t, ctx, order)
	}
}
