package inspect_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// relay asks the next actor and hands its answer on.
type relay struct{ next *actor.Ref[ping] }

func (r relay) Receive(ctx *actor.Context[ping], m ping) error {
	n, err := actor.Ask(ctx, *r.next, func(r actor.Reply[int]) ping { return ping{r} })
	if err != nil {
		return err
	}
	return m.reply.Send(ctx, n)
}

func TestWaits(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	open := make(chan struct{})
	last := spawn(t, sys, actor.Func(func(ctx *actor.Context[ping], m ping) error {
		<-open
		return m.reply.Send(ctx, 1)
	}), actor.WithName("last"))
	first := spawn(t, sys, actor.Actor[ping](relay{&last}))
	send(t, ctx, first, ping{})
	until(t, ctx, func() bool { return len(i.Waits()) == 1 })
	want := inspect.Wait{From: first.PID(), To: last.PID(), ToName: "last", Kind: "ask", Lane: "data"}
	if w := i.Waits(); w[0] != want {
		t.Errorf("the waits are %+v", w)
	}
	a, err := i.Actor(first.PID())
	wantNoErr(t, err)
	if len(a.Waits) != 1 || a.Waits[0] != want {
		t.Errorf("the actor waits for %+v", a.Waits)
	}
	close(open)
	until(t, ctx, func() bool { return len(i.Waits()) == 0 })
}

func TestCycleIsAnEvent(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	s := i.Subscribe(inspect.Subscription{Kinds: []inspect.EventKind{inspect.AskCycle}})
	var x, y actor.Ref[ping]
	x = spawn(t, sys, actor.Actor[ping](relay{&y}), actor.WithName("x"))
	y = spawn(t, sys, actor.Actor[ping](relay{&x}), actor.WithName("y"))
	send(t, ctx, x, ping{})
	if e := next(t, ctx, s); !strings.Contains(e.Error, "x<0.1>") || !strings.Contains(e.Error, "y<1.1>") {
		t.Errorf("the event is %+v", e)
	}
}
