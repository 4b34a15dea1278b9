package actor_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

// ghostAction is what a ghost tries to do, and what its handler got for it.
type ghostAction struct {
	try   func(*actor.Context[ghostAction]) error
	entry chan struct{}
	open  chan struct{}
	got   chan error
	reply actor.Reply[int]
}

func tryAsGhost(c *actor.Context[ghostAction], m ghostAction) error {
	if m.entry == nil {
		return m.reply.Send(c, 1)
	}
	m.entry <- struct{}{}
	<-m.open
	m.got <- m.try(c)
	return nil
}

// Nothing that a ghost does has an effect, neither before nor after its actor has restarted.
func TestGhostIsFenced(t *testing.T) {
	ctx := guarded(t)
	other := make(chan int, 10)
	tries := map[string]func(c *actor.Context[ghostAction], to actor.Ref[int]) error{
		"send":           func(c *actor.Context[ghostAction], to actor.Ref[int]) error { return to.Send(c, 1) },
		"try send":       func(c *actor.Context[ghostAction], to actor.Ref[int]) error { return to.TrySend(c, 1) },
		"send to itself": func(c *actor.Context[ghostAction], _ actor.Ref[int]) error { return c.Self().Send(c, ghostAction{}) },
		"ask": func(c *actor.Context[ghostAction], _ actor.Ref[int]) error {
			_, err := actor.Ask(c, c.Self(), func(r actor.Reply[int]) ghostAction { return ghostAction{reply: r} })
			return err
		},
		"ask all": func(c *actor.Context[ghostAction], _ actor.Ref[int]) error {
			all := actor.AskAll(c, []actor.Ref[ghostAction]{c.Self()}, func(r actor.Reply[int]) ghostAction { return ghostAction{reply: r} })
			return all[0].Err
		},
		"ask a quorum": func(c *actor.Context[ghostAction], _ actor.Ref[int]) error {
			_, err := actor.AskQuorum(c, []actor.Ref[ghostAction]{c.Self()}, 1, func(r actor.Reply[int]) ghostAction { return ghostAction{reply: r} })
			return err
		},
		"gather": func(c *actor.Context[ghostAction], _ actor.Ref[int]) error {
			var a actor.Answer[int]
			return actor.Gather(c, actor.Into(&a, c.Self(), func(r actor.Reply[int]) ghostAction { return ghostAction{reply: r} }))
		},
		"derived context": func(c *actor.Context[ghostAction], to actor.Ref[int]) error {
			derived, cancel := context.WithCancel(c)
			defer cancel()
			return to.Send(derived, 1)
		},
		"goroutine": func(c *actor.Context[ghostAction], to actor.Ref[int]) error {
			got := make(chan error)
			go func() { got <- to.Send(c, 1) }()
			return <-got
		},
		"spawn": func(c *actor.Context[ghostAction], _ actor.Ref[int]) error {
			_, err := actor.Spawn(c, actor.Func(answer))
			return err
		},
		"stop": func(c *actor.Context[ghostAction], to actor.Ref[int]) error { return to.Stop(c) },
		"stop itself": func(c *actor.Context[ghostAction], _ actor.Ref[int]) error {
			c.Stop()
			return actor.ErrFenced
		},
		"stop system": func(c *actor.Context[ghostAction], _ actor.Ref[int]) error { return c.System().Stop(c) },
		"decide":      func(c *actor.Context[ghostAction], _ actor.Ref[int]) error { return c.StopChild(c.PID()) },
	}
	for name, try := range tries {
		for _, restarted := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " restarted ", restarted), func(t *testing.T) {
				sys := newSystem(t, actor.Config{Workers: 2})
				to := spawn(t, sys, func(_ *actor.Context[int], m int) error { other <- m; return nil })
				made := 0
				parent, child := keptChild(t, sys, func() actor.Actor[ghostAction] { made++; return actor.Func(tryAsGhost) }, restarted)
				m := ghostAction{
					try:   func(c *actor.Context[ghostAction]) error { return try(c, to) },
					entry: make(chan struct{}), open: make(chan struct{}), got: make(chan error, 1),
				}
				asked := make(chan error, 1)
				go func() {
					_, err := actor.Ask(ctx, child, func(r actor.Reply[int]) ghostAction { m.reply = r; return m })
					asked <- err
				}()
				receive(t, ctx, m.entry)
				wantNoErr(t, child.Kill())
				err := receive(t, ctx, asked) // Though the handler has not returned.
				wantErr(t, err, actor.ErrNoReply, actor.ErrKilled)
				if restarted {
					_, err = actor.Ask(ctx, child, func(r actor.Reply[int]) ghostAction { return ghostAction{reply: r} })
					wantNoErr(t, err)
				} else {
					wantKilled(t, ctx, child)
				}
				close(m.open)
				wantErr(t, receive(t, ctx, m.got), actor.ErrFenced)
				if restarted {
					_, err = actor.Ask(ctx, child, func(r actor.Reply[int]) ghostAction { return ghostAction{reply: r} })
					wantNoErr(t, err)
				}
				wantNoErr(t, parent.Stop(ctx))
				wantNoErr(t, to.Drain(ctx))
				if n := len(other); n != 0 {
					t.Errorf("%d messages of the ghost have arrived", n)
				}
				if want := map[bool]int{true: 2, false: 1}[restarted]; made != want {
					t.Errorf("there were %d incarnations, want %d", made, want)
				}
			})
		}
	}
}

// A ghost's reply is dropped, and the asker is told that no answer will come.
func TestReplyOfAGhost(t *testing.T) { simulated.Too(t, testReplyOfAGhost) }

func testReplyOfAGhost(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	replies, open, got := make(chan actor.Reply[int], 1), make(chan struct{}), make(chan error, 2)
	ref := spawn(t, sys, func(c *actor.Context[question], q question) error {
		if q.n == 0 {
			replies <- q.reply
			return nil // It is going to answer later.
		}
		r := <-replies
		close(open)
		<-c.Done()
		got <- r.Send(c, 1)
		got <- q.reply.Fail(c, errHook)
		return nil
	})
	asked := make(chan error, 2)
	for n := range 2 {
		go func() {
			_, err := actor.Ask(ctx, ref, asking(n))
			asked <- err
		}()
		if n == 0 {
			until(t, ctx, func() bool { return len(replies) == 1 })
		}
	}
	receive(t, ctx, open)
	wantNoErr(t, ref.Kill())
	for range 2 {
		wantErr(t, receive(t, ctx, got), actor.ErrFenced)
		wantErr(t, receive(t, ctx, asked), actor.ErrNoReply)
	}
}

// The messages that a ghost had in hand when its actor was killed go to the dead letters when
// it returns. It handles none of them.
func TestGhostHandlesNothingMore(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	_, child := keptChild(t, sys, func() actor.Actor[int] { return g }, true)
	g.hold(t, ctx, child)
	send(t, ctx, child, 0, 1, 2, 3)
	g.open <- struct{}{}
	receive(t, ctx, g.entered) // With 1, 2 and 3 in hand.
	wantNoErr(t, child.Kill())
	send(t, ctx, child, 4)
	if m := receive(t, ctx, g.seen); m != 4 {
		t.Errorf("handled %d, want 4", m)
	}
	g.open <- struct{}{}
	until(t, ctx, func() bool { return sys.Stats().DeadLetters == 3 || len(g.seen) > 0 })
	if n := len(g.seen); n != 0 {
		t.Errorf("the ghost has handled %d messages", n)
	}
}
