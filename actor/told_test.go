package actor_test

import (
	"runtime"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// A function that receives a dead letter or an end may call Goexit, like a test that fails
// there. The actor ends all the same, and so do all waits for it.
func TestGoexitOfAnObserver(t *testing.T) {
	leave := func() { runtime.Goexit() }
	for name, c := range map[string]struct {
		cfg   actor.Config
		probe actor.Probe
	}{
		"OnDeadLetter": {cfg: actor.Config{OnDeadLetter: func(actor.DeadLetter) { leave() }}},
		"DeadLetter":   {probe: actor.Probe{DeadLetter: func(actor.DeadLetter) { leave() }}},
		"Ended":        {probe: actor.Probe{Ended: func(actor.Ending) { leave() }}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, c.cfg)
			if _, err := sys.Observe(&c.probe); err != nil {
				t.Fatal(err)
			}
			begun, open := make(chan struct{}), make(chan struct{})
			ref := spawn(t, sys, func(_ *actor.Context[question], q question) error {
				close(begun)
				<-open
				return nil
			})
			send(t, ctx, ref, question{})
			receive(t, ctx, begun)
			send(t, ctx, ref, question{}, question{})
			asked := make(chan error, 1)
			go func() {
				_, err := actor.Ask(ctx, ref, func(r actor.Reply[int]) question { return question{reply: r} })
				asked <- err
			}()
			until(t, ctx, func() bool { return ref.Backlog() == 4 })
			wantNoErr(t, sys.RequestStop(ref.PID()))
			close(open)
			receive(t, ctx, ref.Done())
			wantErr(t, receive(t, ctx, asked), actor.ErrNoReply)
			if n := sys.Stats().DeadLetters; n != 3 {
				t.Errorf("%d dead letters of 3", n)
			}
		})
	}
}

// The same where an incarnation ends, and where it is to begin without its messages.
func TestGoexitOfAnObserverOfARestart(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{OnDeadLetter: func(actor.DeadLetter) { runtime.Goexit() }})
	if _, err := sys.Observe(&actor.Probe{Ended: func(actor.Ending) { runtime.Goexit() }}); err != nil {
		t.Fatal(err)
	}
	n := newRunningParent(t, sys)
	g := newGate()
	child := n.held(func() actor.Actor[int] { return g })
	n.restart(child.PID())
	g.hold(t, ctx, child)
	send(t, ctx, child, 1, 2)
	n.do(func(ctx *actor.Context[parentAction]) error { return ctx.Recall(child.PID()) })
	close(g.open)
	receive(t, ctx, n.exits)
	n.do(func(ctx *actor.Context[parentAction]) error { return ctx.RestartEmpty(child.PID()) })
	receive(t, ctx, n.ready)
	send(t, ctx, child, 3)
	if m := receive(t, ctx, g.seen); m != 3 {
		t.Errorf("it handles %d, want 3", m)
	}
	if n := sys.Stats().DeadLetters; n != 2 {
		t.Errorf("%d dead letters of 2", n)
	}
}

// Where a message makes room for another one, of another lane, that is handled all the
// same.
func TestGoexitOfAnObserverOfRoom(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{OnDeadLetter: func(actor.DeadLetter) { runtime.Goexit() }})
	g := newGate()
	ref := spawnActor(t, sys, actor.Actor[int](g), actor.WithMailboxLimit(actor.MailboxLimit{Items: 2, Then: actor.ShedNewest}))
	g.hold(t, ctx, ref)
	send(t, ctx, ref, 1, 2)
	left := make(chan struct{})
	go func() {
		defer close(left)
		_ = ref.On(actor.Control).Send(ctx, 3) // It does not return.
		t.Error("who was told of 2 has returned")
	}()
	receive(t, ctx, left)
	close(g.open)
	wantSame(t, "handled first", receive(t, ctx, g.seen), 3)
	wantSame(t, "handled then", receive(t, ctx, g.seen), 1)
	wantSame(t, "dead letters", sys.Stats().DeadLetters, 1)
}

// A reader whose message is a dead letter has left.
func TestGoexitOfAnObserverOfAReader(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{OnDeadLetter: func(actor.DeadLetter) { runtime.Goexit() }})
	ref := spawn(t, sys, func(*actor.Context[int], int) error { return actor.ErrUnhandled },
		actor.WithReadOnly(func(int) bool { return true }))
	send(t, ctx, ref, 1, 2, 3)
	wantNoErr(t, ref.Drain(ctx))
	wantSame(t, "dead letters", sys.Stats().DeadLetters, 3)
}
