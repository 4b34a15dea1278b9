package router_test

import (
	"context"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

// Every routee gets a copy of each message, in order; one that has stopped is
// not missed.
func TestBroadcast(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 3)
	r := newRouter(t, sys, router.Config[task]{Strategy: router.Broadcast, Routees: c.refs})
	sendAll(t, r, 5, nil)
	until(t, guarded(t), func() bool { return c.refs[1].Backlog() == 0 })
	release := refuse(t, c.refs[1])
	wantNoErr(t, r.Send(guarded(t), task{id: 5}))
	release()
	got := c.drain(t)
	wantEqual(t, "messages", [][]int{got[0], got[2]}, [][]int{upTo(6), upTo(6)})
	wantErr(t, r.Send(guarded(t), task{}), router.ErrNoRoutees)
	wantEqual(t, "dead letters", sys.Stats().DeadLetters, 0)
}

// A routee that is full keeps no other from its copy, and the error says which
// have none.
func TestBroadcastToFullRoutees(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 3, actor.WithCapacity(actor.Data, 1))
	r := newRouter(t, sys, router.Config[task]{Strategy: router.Broadcast, Routees: c.refs})
	release := hold(t, c.refs[0])
	wantNoErr(t, c.refs[0].Send(guarded(t), task{id: -1}))
	for i, send := range []func() error{
		func() error { return r.TrySend(guarded(t), task{id: 0}) },
		func() error { return r.Send(ended(), task{id: 1}) },
	} {
		err := send()
		wantErr(t, err, []error{actor.ErrFull, context.Canceled}[i])
		if text := err.Error(); !strings.Contains(text, "routee 0") || strings.Contains(text, "routee 1<") {
			t.Errorf("the error is %q", text)
		}
		until(t, guarded(t), func() bool { return c.refs[1].Backlog()+c.refs[2].Backlog() == 0 })
	}
	sent := make(chan error, 1)
	go func() { sent <- r.Send(guarded(t), task{id: 2}) }()
	until(t, guarded(t), func() bool { i, _ := c.refs[0].Info(); return i.Senders[actor.Data] == 1 })
	release()
	wantNoErr(t, <-sent)
	wantEqual(t, "messages", c.drain(t), [][]int{{-1, -1, 2}, upTo(3), upTo(3)})
}
