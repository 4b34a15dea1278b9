package actor_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/simulated"
)

// stasher stashes positive numbers until it gets a 0, which makes it put them
// back and handle what comes then. A -1 makes it stash again, a -2 fail.
type stasher struct {
	d    *eventLog
	open bool
}

func (h *stasher) Receive(c *actor.Context[int], m int) error {
	switch {
	case m == -2:
		return errHook
	case m == -1:
		h.open = false
	case m == 0:
		h.open = true
		n, err := c.Unstash()
		h.d.note("unstash %d", n)
		return err
	case !h.open:
		return c.Stash(m)
	default:
		h.d.note("%d", m)
	}
	return nil
}

func TestStash(t *testing.T) { simulated.Too(t, testStash) }

func testStash(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var d eventLog
	ref := spawnActor(t, sys, actor.Actor[int](&stasher{d: &d}))
	send(t, ctx, ref, 1, 2)
	until(t, ctx, func() bool { return actor.Idle(ref) })
	send(t, ctx, ref.On(actor.Management), 3)
	send(t, ctx, ref, 4, 0, 5, -1, 6, 0, 0, 7)
	wantNoErr(t, ref.Drain(ctx))
	if s := d.String(); s != "unstash 4, 3, 1, 2, 4, 5, unstash 1, 6, unstash 0, 7" {
		t.Errorf("it happened: %s", s)
	}
}

// The stash outlives a failure, and what was in it comes first.
func TestStashAndRestart(t *testing.T) {
	for name, kill := range map[string]bool{"failure": false, "kill": true} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			var d eventLog
			first := true
			_, child := keptChild(t, sys, func() actor.Actor[int] {
				defer func() { first = false }()
				return &stasher{d: &d, open: !first}
			}, true)
			send(t, ctx, child, 1, 2, 3)
			until(t, ctx, func() bool { return actor.Idle(child) })
			if kill {
				wantNoErr(t, child.Kill())
				send(t, ctx, child, 4)
			} else {
				send(t, ctx, child, -2, 4)
			}
			until(t, ctx, func() bool { return d.String() == "1, 2, 3, 4" })
			wantNoErr(t, child.Stop(ctx))
		})
	}
}

func TestStashAtTheEnd(t *testing.T) { simulated.Too(t, testStashAtTheEnd) }

func testStashAtTheEnd(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	asked := make(chan error, 1)
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error { return c.Stash(q) })
	go func() {
		_, err := actor.Ask(ctx, ref, asking(1))
		asked <- err
	}()
	until(t, ctx, func() bool { return actor.Stashed(ref) == 1 })
	wantNoErr(t, ref.Stop(ctx))
	wantErr(t, receive(t, ctx, asked), actor.ErrNoReply)
	if n := sys.Stats().DeadLetters; n != 1 {
		t.Errorf("%d dead letters, want 1", n)
	}
}

func TestStashGoesWrong(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	if _, err := actor.Spawn(sys, actor.Func(answer), actor.WithStash(0)); err == nil {
		t.Error("a stash for no messages was accepted")
	}
	got := make(chan error, 3)
	ref := spawnActor(t, sys, actor.Actor[int](&hooks[int]{
		started: func(c *actor.Context[int]) error { got <- c.Stash(1); return nil },
		receive: func(c *actor.Context[int], m int) error { got <- c.Stash(m); return nil },
	}), actor.WithStash(1))
	wantErr(t, receive(t, ctx, got), actor.ErrNotInHandler)
	send(t, ctx, ref, 1, 2)
	wantNoErr(t, receive(t, ctx, got))
	wantErr(t, receive(t, ctx, got), actor.ErrStashFull)
	_, err := doOutside(t, sys)
	wantErr(t, err, actor.ErrNotInHandler)
}

// doOutside unstashes elsewhere than in the handler.
func doOutside(t testing.TB, sys *actor.System) (int, error) {
	contexts := make(chan *actor.Context[int], 1)
	send(t, guarded(t), spawn(t, sys, func(c *actor.Context[int], _ int) error { contexts <- c; return nil }), 1)
	return receive(t, guarded(t), contexts).Unstash()
}

// Whatever is stashed and put back when, messages of a lane are handled in an
// order that a simple queue foretells.
func TestStashOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(-1, 4), 1, 60).Draw(t, "steps")
		ctx := patience.Context(t)
		sys, err := actor.NewSystem(actor.Config{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		var d, want eventLog
		opts := []actor.Option{
			actor.WithCapacity(actor.Data, rapid.IntRange(1, 100).Draw(t, "capacity")),
			actor.WithThroughput(rapid.IntRange(1, 5).Draw(t, "throughput")),
		}
		ref, err := actor.Spawn(sys, actor.Actor[int](&stasher{d: &d}), opts...)
		if err != nil {
			t.Fatal(err)
		}
		var stash []int
		open := false
		for i, s := range steps {
			m := s
			if s > 0 {
				m = i + 1
			}
			switch {
			case m == 0:
				open = true
				want.note("unstash %d", len(stash))
				for _, m := range stash {
					want.note("%d", m)
				}
				stash = nil
			case m < 0:
				open = false
			case !open:
				stash = append(stash, m)
			default:
				want.note("%d", m)
			}
			if err := ref.Send(ctx, m); err != nil {
				t.Fatal(err)
			}
		}
		if err := ref.Drain(ctx); err != nil {
			t.Fatal(err)
		}
		if got, want := d.String(), want.String(); got != want {
			t.Errorf("it happened: %s\nwant:        %s", got, want)
		}
		if n := sys.Stats().DeadLetters; int(n) != len(stash) {
			t.Errorf("%d dead letters, want %d", n, len(stash))
		}
		if err := sys.Stop(ctx); err != nil {
			t.Fatal(err)
		}
	})
}

// A message that is put back counts against the capacity, so a sender waits for it.
func TestUnstashFillsTheLane(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	stashing := true
	ref := spawn(t, sys, func(c *actor.Context[int], m int) error {
		switch {
		case m == -1:
			stashing = false
			_, err := c.Unstash()
			return err
		case stashing:
			return c.Stash(m)
		}
		return g.Receive(c, m)
	}, actor.WithCapacity(actor.Data, 2))
	send(t, ctx, ref, 0, 1, 2, 3)
	until(t, ctx, func() bool { return actor.Stashed(ref) == 4 })
	send(t, ctx, ref, -1)
	receive(t, ctx, g.entered)
	wantErr(t, ref.TrySend(ctx, 4), actor.ErrFull)
	close(g.open)
	for want := range 3 {
		if m := receive(t, ctx, g.seen); m != want+1 {
			t.Errorf("handled %d, want %d", m, want+1)
		}
	}
	wantNoErr(t, ref.Stop(ctx))
}

// An asker still waits for the actor that has put its ask aside. So an ask back to the asker
// closes a ring.
func TestRingThroughAStash(t *testing.T) { simulated.Too(t, testRingThroughAStash) }

func testRingThroughAStash(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var asker instructedRef
	asked := make(chan error, 1)
	holder := spawn(t, sys, func(c *actor.Context[question], q question) error {
		if q.n == 1 {
			return c.Stash(q)
		}
		asked <- let(c, asker, nil)
		return nil
	}, actor.WithName("holder"))
	asker = spawn(t, sys, run, actor.WithName("asker"))
	ended := make(chan error, 1)
	send(t, ctx, asker, instruction{do: func(c *actor.Context[instruction]) error {
		_, err := actor.Ask(c, holder, asking(1))
		ended <- err
		return nil
	}})
	until(t, ctx, func() bool { return actor.Stashed(holder) == 1 })
	send(t, ctx, holder, question{n: 2})
	wantErr(t, receive(t, ctx, asked), actor.ErrCycle)
	wantNoErr(t, holder.Stop(ctx))
	wantErr(t, receive(t, ctx, ended), actor.ErrNoReply)
}

// A message that is tried again keeps its lane.
func TestRetryKeepsTheLane(t *testing.T) { simulated.Too(t, testRetryKeepsTheLane) }

func testRetryKeepsTheLane(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	lanes := make(chan actor.Lane, 4)
	failed := false
	_, child := restarting(t, sys, func() actor.Actor[int] {
		return actor.Func(func(c *actor.Context[int], _ int) error {
			lanes <- c.Lane()
			if !failed {
				failed = true
				return errHook
			}
			return nil
		})
	}, restart, actor.WithRetry(1))
	send(t, ctx, child.On(actor.Management), 1)
	for range 2 {
		if got := receive(t, ctx, lanes); got != actor.Management {
			t.Errorf("the message came by the %v lane", got)
		}
	}
}
