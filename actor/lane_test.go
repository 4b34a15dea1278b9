package actor_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

var lanes = []actor.Lane{actor.Data, actor.Management, actor.Control}

// tryUntilFull sends until the lane is full and returns how many were accepted.
func tryUntilFull(tb testing.TB, ref actor.Ref[int]) (n int) {
	tb.Helper()
	for {
		err := ref.TrySend(context.Background(), 1)
		if errors.Is(err, actor.ErrFull) {
			return n
		}
		wantNoErr(tb, err)
		n++
	}
}

func TestCapacityIsExact(t *testing.T) {
	for _, lane := range lanes {
		for _, capacity := range []int{1, 2, 4, 63, 64, 127, 128, 1000, 1024} {
			t.Run(fmt.Sprint(lane, capacity), func(t *testing.T) {
				ctx := guarded(t)
				sys := newSystem(t, actor.Config{})
				g := newGate()
				ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithCapacity(lane, capacity)).On(lane)
				defer close(g.open)
				g.hold(t, ctx, ref)
				if n := tryUntilFull(t, ref); n != capacity {
					t.Errorf("%d messages were accepted, want %d", n, capacity)
				}
			})
		}
	}
}

func TestDefaultCapacities(t *testing.T) {
	want := map[actor.Lane]int{actor.Data: 1024, actor.Management: 128, actor.Control: 128}
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g))
	defer close(g.open)
	g.hold(t, ctx, ref)
	for lane, capacity := range want {
		if n := tryUntilFull(t, ref.On(lane)); n != capacity {
			t.Errorf("the %v lane took %d messages, want %d", lane, n, capacity)
		}
	}
}

// While a batch is being handled, a lane never holds more than its capacity,
// and reports full at most 1/64 of it too early.
func TestCapacityWithinABatch(t *testing.T) {
	for _, capacity := range []int{1, 4, 64, 100, 127, 128, 256, 1000, 1024} {
		for _, handled := range []int{0, min(1, capacity-1), capacity / 3, capacity - 1} {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			g := newGate()
			ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithCapacity(actor.Data, capacity))
			g.hold(t, ctx, ref)
			for i := range capacity {
				send(t, ctx, ref, min(1, max(i-handled, handled-i))) // 0 at i == handled.
			}
			g.open <- struct{}{}
			receive(t, ctx, g.entered)
			n := tryUntilFull(t, ref)
			held := capacity - handled - 1 + n
			if tolerance := capacity / 64; held > capacity || held < capacity-max(0, tolerance-1) {
				t.Errorf("capacity %d, after %d: the lane holds %d", capacity, handled, held)
			}
			close(g.open)
			wantNoErr(t, ref.Stop(ctx))
		}
	}
}

func TestFullLane(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithCapacity(actor.Data, 1))
	g.hold(t, ctx, ref)
	wantNoErr(t, ref.Send(ended(), 1)) // There is room, so its context does not matter.
	wantErr(t, ref.TrySend(ctx, 2), actor.ErrFull)

	wantErr(t, ref.Send(ended(), 3), context.Canceled)
	cause := errors.New("not any more")
	waiting, cancel := context.WithCancelCause(ctx)
	failed := make(chan error, 1)
	go func() { failed <- ref.Send(waiting, 4) }()
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == 1 })
	later := make(chan error, 1)
	go func() { later <- ref.Send(ctx, 5) }()
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == 2 })
	cancel(cause)
	wantErr(t, receive(t, ctx, failed), cause)
	wantErr(t, ref.TrySend(ctx, 6), actor.ErrFull)

	close(g.open)
	wantNoErr(t, receive(t, ctx, later))
	send(t, ctx, ref, 7)
	wantNoErr(t, ref.Drain(ctx))
	for _, want := range []int{1, 5, 7} {
		if got := receive(t, ctx, g.seen); got != want {
			t.Errorf("got message %d, want %d", got, want)
		}
	}
	if len(g.seen) != 0 {
		t.Errorf("message %d was not accepted, but handled", <-g.seen)
	}
}

func TestSendersGetRoomInTheirOrder(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithCapacity(actor.Data, 2))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2)
	const n = 20
	var senders sync.WaitGroup
	for i := 3; i <= n; i++ {
		senders.Go(func() { _ = ref.Send(ctx, i) })
		until(t, ctx, func() bool { return actor.SendersWaiting(ref) == i-2 })
	}
	close(g.open)
	for want := 1; want <= n; want++ {
		if got := receive(t, ctx, g.seen); got != want {
			t.Fatalf("got message %d, want %d", got, want)
		}
	}
	senders.Wait()
}

// A sender gets the room of each message that is handled, and need not wait for
// the end of a batch.
func TestSendersGetRoomWithinABatch(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithCapacity(actor.Data, 4))
	defer close(g.open)
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 0, 0, 0, 0)
	g.open <- struct{}{}
	receive(t, ctx, g.entered)
	send(t, ctx, ref, 1) // With three of the batch, the lane is full.
	sent := make(chan error, 1)
	go func() { sent <- ref.Send(ctx, 2) }()
	until(t, ctx, func() bool { return actor.SendersWaiting(ref) == 1 })
	g.open <- struct{}{}
	receive(t, ctx, g.entered)
	wantNoErr(t, receive(t, ctx, sent))
}

func TestSelfSendToFullLane(t *testing.T) { simulated.Too(t, testSelfSendToFullLane) }

func testSelfSendToFullLane(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	failed := make(chan error, 1)
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		if m == 0 {
			return nil
		}
		for {
			if err := c.Self().Send(c, 0); err != nil {
				failed <- err
				return nil
			}
		}
	}, actor.WithCapacity(actor.Data, 3))
	send(t, ctx, ref, 1)
	wantErr(t, receive(t, ctx, failed), actor.ErrFull)
}

type numbered struct{ from, n int }

// Whatever waits and gives up, the messages of one sender on one lane keep
// their order, and exactly the accepted ones are handled.
func TestOrderPerSenderUnderPressure(t *testing.T) {
	const senders, each = 8, 400
	for _, lane := range lanes {
		for _, capacity := range []int{1, 3, 256} {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			var got [senders][]int
			ref := spawn(t, sys, func(_ *actor.Context[numbered], m numbered) error {
				got[m.from] = append(got[m.from], m.n)
				return nil
			}, actor.WithCapacity(lane, capacity)).On(lane)
			var accepted [senders][]int
			var all sync.WaitGroup
			for from := range senders {
				all.Go(func() {
					for n := range each {
						if err := sendImpatiently(ctx, ref, numbered{from, n}); err == nil {
							accepted[from] = append(accepted[from], n)
						}
					}
				})
			}
			all.Wait()
			wantNoErr(t, ref.Drain(ctx))
			for from := range senders {
				if a, b := fmt.Sprint(accepted[from]), fmt.Sprint(got[from]); a != b {
					t.Fatalf("%v lane, capacity %d: accepted %s\nhandled %s", lane, capacity, a, b)
				}
			}
		}
	}
}

// sendImpatiently sends in one of three ways: it may wait, not wait, or give up
// waiting at any moment.
func sendImpatiently[M any](ctx context.Context, to actor.Ref[M], m M) error {
	switch rand.IntN(4) {
	case 0:
		return to.TrySend(ctx, m)
	case 1:
		short, cancel := context.WithCancel(ctx)
		go cancel()
		return to.Send(short, m)
	default:
		return to.Send(ctx, m)
	}
}

func TestUnknownLane(t *testing.T) { simulated.Too(t, testUnknownLane) }

func testUnknownLane(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
	if err := ref.On(3).Send(ctx, 1); err == nil {
		t.Error("Send took a message for lane 3")
	}
	if got := actor.Lane(3).String(); got != "Lane(3)" {
		t.Errorf("lane 3 is called %s", got)
	}
	if got := actor.Control.String(); got != "control" {
		t.Errorf("the Control lane is called %s", got)
	}
}
