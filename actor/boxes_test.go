package actor_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// bulk is a message that lies on the heap, and not in a lane.
type bulk struct {
	n    int
	fill [1 << 10]int32
}

func newBulk(n int) bulk {
	b := bulk{n: n}
	for i := range b.fill {
		b.fill[i] = int32(n + i)
	}
	return b
}

// number returns which message it is, or -1 if it has not arrived whole.
func (b bulk) number() int {
	if b != newBulk(b.n) {
		return -1
	}
	return b.n
}

func bulks(from, to int) (all []bulk) {
	for i := from; i <= to; i++ {
		all = append(all, newBulk(i))
	}
	return all
}

// bulkGate notes the messages that it handles. It waits in message 0, after it has said so.
type bulkGate struct {
	entered, open chan struct{}
	mu            sync.Mutex
	seen          []int
}

func newBulkGate() *bulkGate {
	return &bulkGate{entered: make(chan struct{}, 1), open: make(chan struct{})}
}

func (g *bulkGate) Receive(_ *actor.Context[bulk], m bulk) error {
	if m.n == 0 {
		g.entered <- struct{}{}
		<-g.open
		return nil
	}
	g.note(m)
	return nil
}

func (g *bulkGate) note(m bulk) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen = append(g.seen, m.number())
}

// wait waits until the messages were handled, in this order.
func (g *bulkGate) wait(tb testing.TB, ctx context.Context, want []int, more ...int) {
	tb.Helper()
	want = append(want, more...)
	until(tb, ctx, func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return len(g.seen) == len(want)
	})
	wantSame(tb, "handled", g.seen, want)
}

// finish lets the gate go, and returns what its actor has handled.
func (g *bulkGate) finish(tb testing.TB, ctx context.Context, ref actor.Ref[bulk]) []int {
	tb.Helper()
	close(g.open)
	wantNoErr(tb, ref.Drain(ctx))
	return g.seen
}

// Large messages arrive whole and in their order by each way into a lane and out of it.
func TestLargeMessages(t *testing.T) {
	var lost deadLetterList
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{OnDeadLetter: lost.add})
	held := func(t *testing.T, opts ...actor.Option) (*bulkGate, actor.Ref[bulk]) {
		g := newBulkGate()
		ref := spawnActor(t, sys, actor.Actor[bulk](g), opts...)
		send(t, ctx, ref, newBulk(0))
		receive(t, ctx, g.entered)
		return g, ref
	}
	lostSince := func(n int) (all []int) {
		for _, m := range lost.messages()[n:] {
			all = append(all, m.(bulk).number()) //nolint:forcetypeassert // No others are sent.
		}
		return all
	}

	t.Run("waiting senders", func(t *testing.T) {
		g, ref := held(t, actor.WithCapacity(actor.Data, 2))
		sent := make(chan error, 1)
		go func() {
			for _, m := range bulks(1, 20) {
				if err := ref.Send(ctx, m); err != nil {
					sent <- err
					return
				}
			}
			sent <- nil
		}()
		until(t, ctx, func() bool { return actor.SendersWaiting(ref) == 1 })
		close(g.open)
		wantNoErr(t, receive(t, ctx, sent))
		wantNoErr(t, ref.Drain(ctx))
		wantSame(t, "handled", g.seen, count(1, 20))
	})

	t.Run("dropped", func(t *testing.T) {
		for _, c := range []struct {
			buffer     actor.Buffer
			seen, lost []int
		}{
			{actor.Sliding, count(3, 6), count(1, 2)},
			{actor.Dropping, count(1, 4), count(5, 6)},
		} {
			before := len(lost.messages())
			g, ref := held(t, actor.WithCapacity(actor.Data, 4), actor.WithBuffer(actor.Data, c.buffer))
			send(t, ctx, ref, bulks(1, 6)...)
			wantSame(t, "handled", g.finish(t, ctx, ref), c.seen)
			wantSame(t, "dropped", lostSince(before), c.lost)
		}
	})

	t.Run("stop", func(t *testing.T) {
		before := len(lost.messages())
		g, ref := held(t)
		send(t, ctx, ref, bulks(1, 3)...)
		ended := make(chan error, 1)
		go func() { ended <- ref.Stop(ctx) }()
		until(t, ctx, func() bool { return ref.TrySend(ctx, newBulk(4)) != nil })
		close(g.open)
		wantNoErr(t, receive(t, ctx, ended))
		got := lostSince(before)
		slices.Sort(got) // The refused one is anywhere, and those before may be several.
		if !slices.Contains(got, 4) || !slices.Equal(slices.Compact(got)[:3], count(1, 3)) {
			t.Errorf("lost: %v, want 1 to 3, and 4", got)
		}
	})

	t.Run("stash", func(t *testing.T) {
		g := newBulkGate()
		late := false
		ref := spawn(t, sys, func(c *actor.Context[bulk], m bulk) error {
			switch {
			case m.n == 0:
				return g.Receive(c, m)
			case m.n == 6:
				late = true
				_, err := c.Unstash()
				return err
			case !late:
				return c.Stash(m)
			}
			g.note(m)
			return nil
		})
		send(t, ctx, ref, newBulk(0))
		receive(t, ctx, g.entered)
		send(t, ctx, ref, bulks(1, 7)...)
		close(g.open)
		g.wait(t, ctx, count(1, 5), 7)
	})

	t.Run("restart", func(t *testing.T) {
		g := newBulkGate()
		failed := false
		_, ref := restarting(t, sys, func() actor.Actor[bulk] {
			return actor.Func(func(c *actor.Context[bulk], m bulk) error {
				if m.n == 2 && !failed {
					failed = true
					return errOdd
				}
				return g.Receive(c, m)
			})
		}, restart, actor.WithRetry(1))
		send(t, ctx, ref, newBulk(0))
		receive(t, ctx, g.entered)
		send(t, ctx, ref, bulks(1, 4)...)
		close(g.open)
		g.wait(t, ctx, count(1, 4))
	})

	t.Run("kill", func(t *testing.T) {
		g := newBulkGate()
		_, ref := restarting(t, sys, func() actor.Actor[bulk] { return actor.Actor[bulk](g) }, restart)
		send(t, ctx, ref, newBulk(0))
		receive(t, ctx, g.entered)
		defer close(g.open)
		send(t, ctx, ref, bulks(1, 3)...)
		wantNoErr(t, sys.Kill(ref.PID()))
		send(t, ctx, ref, newBulk(4))
		g.wait(t, ctx, count(1, 4))
	})

	t.Run("process", func(t *testing.T) {
		var seen []int
		ref, err := actor.SpawnProcess(sys, func(p *actor.Process[bulk]) error {
			for _, n := range []int{3, 1, 2} {
				m, err := p.ReceiveMatch(p, func(m bulk) bool { return m.n == n })
				if err != nil {
					return err
				}
				seen = append(seen, m.number())
			}
			return nil
		})
		wantNoErr(t, err)
		send(t, ctx, ref, bulks(1, 3)...)
		receive(t, ctx, ref.Done())
		wantSame(t, "received", seen, []int{3, 1, 2})
	})

	t.Run("timer", func(t *testing.T) {
		g := newBulkGate()
		ref := spawnActor(t, sys, actor.Actor[bulk](g))
		for i := range 3 {
			after(t, sys, time.Nanosecond, ref, newBulk(i+1))
			g.wait(t, ctx, count(1, i+1))
		}
	})

	t.Run("ask and readers", func(t *testing.T) {
		type ask struct {
			bulk
			read  bool
			reply actor.Reply[int]
		}
		ref := spawn(t, sys, func(c *actor.Context[ask], m ask) error { return m.reply.Send(c, m.number()) },
			actor.WithReadOnly(func(m ask) bool { return m.read }))
		for i := range 40 {
			n, err := actor.Ask(ctx, ref, func(r actor.Reply[int]) ask { return ask{newBulk(i), i%3 > 0, r} })
			wantNoErr(t, err)
			if n != i {
				t.Errorf("the answer is %d, want %d", n, i)
			}
		}
	})
}
