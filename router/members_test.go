package router_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/router"
)

// Routees are added and removed at run time. To add a routee twice, or to remove an
// unknown one, does nothing.
func TestAddAndRemove(t *testing.T) { simulated.Too(t, testAddAndRemove) }

func testAddAndRemove(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 3)
	ctx := guarded(t)
	r := newRouter(t, sys, router.Config[task]{Routees: c.refs[:1]})
	wantNoErr(t, r.Add(ctx, c.refs[0], c.refs[1].On(actor.Control), c.refs[2], c.refs[1]))
	wantEqual(t, "routees", r.Routees(), c.refs)
	wantNoErr(t, r.Remove(ctx, c.refs[1], c.refs[1], actor.Ref[task]{}))
	wantEqual(t, "routees", r.Routees(), []actor.Ref[task]{c.refs[0], c.refs[2]})
	sendAll(t, r, 4, nil)
	wantEqual(t, "messages", c.drain(t), [][]int{{0, 2}, nil, {1, 3}})
	wantEqual(t, "removed ones have not died", r.Stats().Died <= 2, true)
}

// A routee that stops, however it does, leaves by itself, without a message that
// finds it dead; one that is removed is monitored no longer.
func TestDeadRouteesLeave(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 4)
	ctx := guarded(t)
	r := newRouter(t, sys, router.Config[task]{Routees: c.refs})
	wantNoErr(t, c.refs[0].Stop(ctx))
	wantNoErr(t, c.refs[1].Send(ctx, task{do: func(context.Context) error { panic("as wanted") }}))
	wantNoErr(t, c.refs[2].Kill())
	until(t, ctx, func() bool { return len(r.Routees()) == 1 })
	wantEqual(t, "died", r.Stats().Died, 3)
	monitored := func() bool { i, _ := c.refs[3].Info(); return i.MonitoredBy > 0 }
	until(t, ctx, monitored)
	wantNoErr(t, r.Remove(ctx, c.refs[3]))
	until(t, ctx, func() bool { return !monitored() })
	wantNoErr(t, r.Add(ctx, c.refs[3]))
	until(t, ctx, monitored)
	wantNoErr(t, r.Send(ctx, task{}))
}

// A message whose routee has stopped goes to another, and is no dead letter; an
// ask is answered all the same.
func TestStoppedRouteeIsPassedOver(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 3)
	ctx := guarded(t)
	r := newRouter(t, sys, router.Config[task]{Routees: c.refs})
	for _, ref := range c.refs[:2] {
		defer refuse(t, ref)()
	}
	for i := range 10 {
		wantEqual(t, "routee", who(t, ctx, r, task{id: i}), 2)
	}
	wantEqual(t, "rerouted", r.Stats().Rerouted, 2)
	wantEqual(t, "dead letters", sys.Stats().DeadLetters, 0)
}

// A router without routees says so at once, or waits until there is one, until
// the context ends, or until the router stops.
func TestEmptyRouter(t *testing.T) { simulated.Too(t, testEmptyRouter) }

func testEmptyRouter(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	ctx := guarded(t)
	fails := newRouter(t, sys, router.Config[task]{Name: "empty"})
	wantErr(t, fails.Send(ctx, task{}), router.ErrNoRoutees)
	wantErr(t, fails.TrySend(ctx, task{}), router.ErrNoRoutees)
	_, err := router.Ask(ctx, fails, func(r actor.Reply[int]) task { return task{reply: r} })
	wantErr(t, err, router.ErrNoRoutees)
	_, err = router.AskFirst(ctx, fails, func(r actor.Reply[int]) task { return task{reply: r} })
	wantErr(t, err, router.ErrNoRoutees)
	wantErr(t, newRouter(t, sys, router.Config[task]{Strategy: router.Broadcast}).Send(ctx, task{}), router.ErrNoRoutees)

	for _, s := range []router.Strategy{router.RoundRobin, router.Broadcast} {
		waits := newRouter(t, sys, router.Config[task]{Strategy: s, WhenEmpty: router.WaitWhenEmpty})
		wantErr(t, waits.TrySend(ctx, task{}), router.ErrNoRoutees)
		wantErr(t, waits.Send(ended(), task{}), router.ErrNoRoutees, context.Canceled)
		wantEqual(t, "waiting", waits.Stats().Waiting, 0)
		c := newRoutees(t, sys, 1)
		sent := make(chan error, 3)
		for range cap(sent) {
			go func() { sent <- waits.Send(ctx, task{}) }()
		}
		until(t, ctx, func() bool { return waits.Stats().Waiting == cap(sent) })
		wantNoErr(t, waits.Add(ctx, c.refs...))
		for range cap(sent) {
			wantNoErr(t, <-sent)
		}
		wantNoErr(t, waits.Remove(ctx, c.refs...))
		go func() { sent <- waits.Send(ctx, task{}) }()
		until(t, ctx, func() bool { return waits.Stats().Waiting == 1 })
		wantNoErr(t, waits.Stop(ctx))
		wantErr(t, <-sent, actor.ErrStopped)
		wantErr(t, waits.Send(ctx, task{}), actor.ErrStopped)
		wantErr(t, waits.Add(ctx, c.refs...), actor.ErrStopped)
		<-waits.Done()
	}
}

// A router stops with the actor that has made it; its routees don't.
func TestRouterStopsWithItsParent(t *testing.T) { simulated.Too(t, testRouterStopsWithItsParent) }

func testRouterStopsWithItsParent(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 1)
	ctx := guarded(t)
	made := make(chan router.Router[task], 1)
	parent := spawn(t, sys, func(x *actor.Context[int], _ int) error {
		r, err := router.New(x, router.Config[task]{Routees: c.refs})
		made <- r
		return err
	})
	wantNoErr(t, parent.Send(ctx, 1))
	r := <-made
	who(t, ctx, r, task{})
	wantNoErr(t, parent.Stop(ctx))
	<-r.Done()
	wantErr(t, r.Send(ctx, task{}), actor.ErrStopped)
	wantNoErr(t, c.refs[0].Send(ctx, task{}))
}

// Senders go on while routees come, go and die, on the real scheduler: whatever
// was accepted is handled once.
func TestNothingIsLostWhileRouteesChange(t *testing.T) {
	const senders, each = 4, 2000
	sys := newSystem(t, actor.Config{Workers: 4})
	ctx := guarded(t)
	c := newRoutees(t, sys, 16, actor.WithCapacity(actor.Data, 16))
	r := newRouter(t, sys, router.Config[task]{Routees: c.refs[:2], WhenEmpty: router.WaitWhenEmpty})
	var all sync.WaitGroup
	for s := range senders {
		all.Go(func() {
			for i := range each {
				if err := r.Send(ctx, task{id: s*each + i}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := 2; i < len(c.refs); i++ { // One comes, the oldest goes, with what it has.
		wantNoErr(t, r.Add(ctx, c.refs[i]))
		if i%2 == 0 {
			wantNoErr(t, r.Remove(ctx, c.refs[i-2]))
		}
		wantNoErr(t, c.refs[i-2].Drain(ctx))
	}
	all.Wait()
	wantEqual(t, "all", flat(c.drain(t)), upTo(senders*each))
	wantEqual(t, "dead letters", sys.Stats().DeadLetters, 0)
}

// An error names the router once, and the package.
func TestErrorsDoNotStutter(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	foreign := newRoutees(t, newSystem(t, actor.Config{}), 1).refs[0]
	check := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	r := newRouter(t, sys, router.Config[task]{})
	check(r.Send(ctx, task{}), "router: the router has no routees")
	check(r.Add(ctx, foreign), "router: add routee 1 of 1: "+foreign.String()+" belongs")
	wantNoErr(t, r.Stop(ctx))
	check(r.Send(ctx, task{}), "router: actor: the actor has stopped")
	check(newRouter(t, sys, router.Config[task]{Name: "cache"}).Send(ctx, task{}), "cache: router: the router has no routees")
	pool, err := router.NewPool(sys, router.PoolConfig[int, int]{Do: func(_ context.Context, n int) (int, error) { return n, nil }})
	wantNoErr(t, err)
	wantNoErr(t, pool.Stop(ctx))
	_, err = pool.Ask(ctx, 1)
	check(err, "pool: actor: the actor has stopped")
}
