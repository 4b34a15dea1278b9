package actor_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// deadLetterList collects the dead letters of a system.
type deadLetterList struct {
	mu  sync.Mutex
	all []actor.DeadLetter
}

func (b *deadLetterList) add(d actor.DeadLetter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, d)
}

func (b *deadLetterList) messages() (all []any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.all {
		all = append(all, d.Message)
	}
	return all
}

func count(from, to int) (all []int) {
	for i := from; i <= to; i++ {
		all = append(all, i)
	}
	return all
}

// drained lets the gate go and returns what its actor has handled.
func (g *gate) drained(tb testing.TB, ctx context.Context, ref actor.Ref[int]) (all []int) {
	tb.Helper()
	close(g.open)
	wantNoErr(tb, ref.Drain(ctx))
	close(g.seen)
	for m := range g.seen {
		all = append(all, m)
	}
	return all
}

func wantSame(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if a, b := fmt.Sprint(got), fmt.Sprint(want); a != b {
		tb.Errorf("%s: %s, want %s", what, a, b)
	}
}

// The effect of a full lane on messages 1 to 10, with room for four.
func TestBuffers(t *testing.T) {
	cases := map[actor.Buffer]struct{ handled, dropped []int }{
		actor.Dropping:  {count(1, 4), count(5, 10)},
		actor.Sliding:   {count(7, 10), count(1, 6)},
		actor.Unbounded: {count(1, 10), nil},
	}
	for buffer, want := range cases {
		for _, lane := range lanes {
			t.Run(fmt.Sprint(buffer, lane), func(t *testing.T) {
				ctx := guarded(t)
				var dead deadLetterList
				sys := newSystem(t, actor.Config{OnDeadLetter: dead.add})
				g := newGate()
				opts := []actor.Option{actor.WithBuffer(lane, buffer)}
				if buffer != actor.Unbounded {
					opts = append(opts, actor.WithCapacity(lane, 4))
				}
				ref := spawnActor(t, sys, actor.Actor[int](g), opts...).On(lane)
				g.hold(t, ctx, ref)
				for m := range 10 {
					if m%2 == 0 {
						wantNoErr(t, ref.TrySend(ctx, m+1))
					} else {
						wantNoErr(t, ref.Send(ctx, m+1))
					}
				}
				i, err := ref.Info()
				wantNoErr(t, err)
				wantSame(t, "waiting", i.Mailbox[lane], len(want.handled))
				wantSame(t, "dropped", i.Dropped[lane], uint64(len(want.dropped)))
				wantSame(t, "buffer", i.Buffer[lane], buffer)
				wantSame(t, "handled", g.drained(t, ctx, ref), want.handled)
				wantSame(t, "dead letters", dead.messages(), want.dropped)
				for _, d := range dead.all {
					wantErr(t, d.Reason, actor.ErrOverflow)
					wantSame(t, "lane", d.Lane, lane)
				}
				s := sys.Stats()
				wantSame(t, "Dropped", s.Dropped, uint64(len(want.dropped)))
				wantSame(t, "DeadLetters", s.DeadLetters, uint64(len(want.dropped)))
				i, err = ref.Info()
				wantNoErr(t, err)
				wantSame(t, "messages handled", i.Handled, uint64(len(want.handled)+1))
			})
		}
	}
}

// The other lanes of an actor are what they are without it.
func TestBufferOfOneLane(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithBuffer(actor.Data, actor.Unbounded), actor.WithCapacity(actor.Control, 3))
	g.hold(t, ctx, ref)
	for range 5000 {
		wantNoErr(t, ref.TrySend(ctx, 1))
	}
	wantSame(t, "control", tryUntilFull(t, ref.On(actor.Control)), 3)
	i, err := ref.Info()
	wantNoErr(t, err)
	wantSame(t, "capacity", i.Capacity, [3]int{0, 128, 3})
	wantSame(t, "handled", len(g.drained(t, ctx, ref)), 5003)
}

func TestAskThatIsDropped(t *testing.T) {
	for _, buffer := range []actor.Buffer{actor.Dropping, actor.Sliding} {
		t.Run(buffer.String(), func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			entered, open := make(chan struct{}, 4), make(chan struct{})
			ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
				entered <- struct{}{}
				<-open
				return answer(c, q)
			}, actor.WithBuffer(actor.Data, buffer), actor.WithCapacity(actor.Data, 1))
			results := make(chan error, 3)
			ask := func(n int) {
				v, err := actor.Ask(ctx, ref, asking(n))
				if err == nil && v != n+1 {
					err = fmt.Errorf("the answer to %d is %d", n, v)
				}
				results <- err
			}
			go ask(1)
			receive(t, ctx, entered)
			go ask(2)
			until(t, ctx, func() bool { i, _ := ref.Info(); return i.Mailbox[actor.Data] == 1 })
			go ask(3)
			err := receive(t, ctx, results) // While the handler of the first still runs.
			wantErr(t, err, actor.ErrNoReply, actor.ErrOverflow)
			close(open)
			wantNoErr(t, receive(t, ctx, results))
			wantNoErr(t, receive(t, ctx, results))
		})
	}
}

// A sender that can give a message to another actor keeps it.
func TestOfferToALaneThatDrops(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithBuffer(actor.Data, actor.Dropping), actor.WithCapacity(actor.Data, 1))
	g.hold(t, ctx, ref)
	wantNoErr(t, ref.TryOffer(ctx, 1))
	wantErr(t, ref.TryOffer(ctx, 2), actor.ErrFull)
	wantSame(t, "dropped", sys.Stats().Dropped, uint64(0))
	wantNoErr(t, ref.Offer(ctx, 3))
	wantSame(t, "dropped", sys.Stats().Dropped, uint64(1))
	wantSame(t, "handled", g.drained(t, ctx, ref), []int{1})
}

func TestTicksOfLanesThatDrop(t *testing.T) {
	for _, buffer := range []actor.Buffer{actor.Dropping, actor.Sliding, actor.Unbounded} {
		t.Run(buffer.String(), func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			ticks := make(chan int, 100)
			ref := spawn(t, sys, func(_ *actor.Context[int], m int) error {
				select {
				case ticks <- m:
				default: // The test has seen enough.
				}
				return nil
			}, actor.WithBuffer(actor.Data, buffer))
			timer, err := actor.Every(sys, 1, ref, 7)
			wantNoErr(t, err)
			for range 20 {
				wantSame(t, "tick", receive(t, ctx, ticks), 7)
			}
			timer.Stop()
		})
	}
}

// A tick is kept out of a sliding lane while the last one waits there, and comes
// in again when that was dropped.
func TestTickThatASlidingLaneDrops(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithBuffer(actor.Data, actor.Sliding), actor.WithCapacity(actor.Data, 2))
	g.hold(t, ctx, ref)
	timer, err := actor.Every(sys, 1, ref, 7)
	wantNoErr(t, err)
	until(t, ctx, func() bool { return timer.Missed() > 0 })
	before := sys.Stats().Dropped
	for range 20 {
		send(t, ctx, ref, 1, 1) // The tick goes, and another comes.
		until(t, ctx, func() bool { return sys.Stats().Dropped >= before+2 })
		before = sys.Stats().Dropped
	}
	i, err := ref.Info()
	wantNoErr(t, err)
	wantSame(t, "waiting", i.Mailbox[actor.Data], 2)
	timer.Stop()
	close(g.open)
	wantNoErr(t, ref.Drain(ctx))
	for len(g.seen) > 0 {
		wantSame(t, "handled", <-g.seen, 1)
	}
}

func TestBadBuffers(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	for want, opts := range map[string][]actor.Option{
		"unknown lane 3":                   {actor.WithBuffer(3, actor.Sliding)},
		"unknown buffer 4 for the control": {actor.WithBuffer(actor.Control, 4)},
		"data lane is Unbounded":           {actor.WithBuffer(actor.Data, actor.Unbounded), actor.WithCapacity(actor.Data, 10)},
	} {
		_, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error { return nil }), opts...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one about %q", err, want)
		}
	}
	wantSame(t, "names", fmt.Sprint(actor.Fixed, actor.Dropping, actor.Sliding, actor.Unbounded, actor.Buffer(9)), "fixed dropping sliding unbounded Buffer(9)")
}

// A sliding lane keeps its memory, and what it has dropped is not kept alive.
func TestSlidingAllocatesNothing(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	done := make(chan struct{}, 1)
	ref := spawn(t, sys, func(_ *actor.Context[int], m int) error {
		if m == 0 {
			done <- struct{}{}
		}
		return nil
	}, actor.WithBuffer(actor.Data, actor.Sliding))
	n := testing.AllocsPerRun(200, func() {
		for m := 20; m >= 0; m-- {
			_ = ref.Send(ctx, m)
		}
		receive(t, ctx, done)
	})
	if n > 0.5 {
		t.Errorf("21 messages allocate %v times", n)
	}
}
