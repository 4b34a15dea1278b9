package router_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/router"
)

func sendAll(tb testing.TB, r router.Router[task], n int, key func(i int) string) {
	tb.Helper()
	for i := range n {
		t := task{id: i}
		if key != nil {
			t.key = key(i)
		}
		wantNoErr(tb, r.Send(guarded(tb), t))
	}
}

// The routees get the messages in turn, and each in the order in which they
// were sent.
func TestRoundRobin(t *testing.T) { simulated.Too(t, testRoundRobin) }

func testRoundRobin(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 3)
	sendAll(t, newRouter(t, sys, router.Config[task]{Routees: c.refs}), 9, nil)
	wantEqual(t, "messages", c.drain(t), [][]int{{0, 3, 6}, {1, 4, 7}, {2, 5, 8}})
}

// Chance is spread evenly: with 3000 messages, a third is 1000 with a standard
// deviation of 26, and this allows for ten.
func TestRandom(t *testing.T) {
	lane.Check(t)
	simulated.Too(t, testRandom)
}

func testRandom(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 3, actor.WithCapacity(actor.Data, 4096))
	sendAll(t, newRouter(t, sys, router.Config[task]{Strategy: router.Random, Routees: c.refs}), 3000, nil)
	ids := c.drain(t)
	for i := range ids {
		if n := len(ids[i]); n < 740 || n > 1260 {
			t.Errorf("routee %d got %d of 3000 messages", i, n)
		}
	}
	wantEqual(t, "all", flat(ids), upTo(3000))
	alternates := true
	for i, id := range ids[0] {
		alternates = alternates && id == 3*i
	}
	if alternates {
		t.Error("the routees came in turn")
	}
}

// A routee with more to do gets nothing as long as others have less.
func TestSmallestMailbox(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 4)
	var release []func()
	for i, ref := range c.refs {
		release = append(release, hold(t, ref))
		for range i * 5 {
			wantNoErr(t, ref.Send(guarded(t), task{id: -1}))
		}
	}
	r := newRouter(t, sys, router.Config[task]{Strategy: router.SmallestMailbox, Routees: c.refs})
	sendAll(t, r, 5+5+10, nil) // Up to the level of the third, which may take part in the last round.
	wantEqual(t, "backlogs", r.Stats().Backlogs[3], 16)
	for i := range 3 {
		if n := r.Stats().Backlogs[i]; n < 11 || n > 13 {
			t.Errorf("routee %d has a backlog of %d", i, n)
		}
	}
	for _, f := range release {
		f()
	}
}

// The one with more to do of two is never chosen, and among many the busiest
// never.
func TestLeastOfTwo(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 3)
	release := hold(t, c.refs[1])
	for range 2 { // More than one that has just answered and is not yet at rest.
		wantNoErr(t, c.refs[1].Send(guarded(t), task{id: -1}))
	}
	r := newRouter(t, sys, router.Config[task]{Strategy: router.LeastOfTwo, Routees: c.refs})
	others := map[int]int{}
	for range 100 {
		others[who(t, guarded(t), r, task{})]++
	}
	if others[1] != 0 || others[0] < 10 || others[2] < 10 {
		t.Errorf("the answers came from %v", others)
	}
	release()
	wantNoErr(t, r.Remove(guarded(t), c.refs[1:]...))
	wantEqual(t, "the only one", who(t, guarded(t), r, task{}), 0)
}

// Each key stays with one routee, which gets the messages in the sender's order.
func TestConsistentHash(t *testing.T) {
	lane.Check(t)
	simulated.Too(t, testConsistentHash)
}

func testConsistentHash(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 4)
	r := newRouter(t, sys, router.Config[task]{Strategy: router.ConsistentHash, Key: router.By(byKey), Routees: c.refs})
	sendAll(t, r, 2000, func(i int) string { return fmt.Sprint("user ", i%50) })
	ids := c.drain(t)
	owner := map[int]int{}
	for i := range ids {
		last := -1
		for _, id := range ids[i] {
			if o, ok := owner[id%50]; ok && o != i {
				t.Fatalf("key %d went to %d and %d", id%50, o, i)
			}
			if owner[id%50] = i; id <= last {
				t.Fatalf("routee %d got %d after %d", i, id, last)
			}
			last = id
		}
	}
	wantEqual(t, "all", flat(ids), upTo(2000))
}

// A popular key does not drown its routee, and goes back when there is room.
func TestBoundedHash(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 4)
	r := newRouter(t, sys, router.Config[task]{
		Strategy: router.BoundedHash, Key: router.By(byKey), LoadFactor: 1.5, Routees: c.refs,
	})
	home := who(t, guarded(t), r, task{key: "popular"})
	var release []func()
	for _, ref := range c.refs {
		release = append(release, hold(t, ref))
	}
	sendAll(t, r, 100, func(int) string { return "popular" })
	total, most := 0, 0
	for _, b := range r.Stats().Backlogs {
		total += b
		most = max(most, b)
	}
	wantEqual(t, "total", total, 104)
	if most != r.Stats().Backlogs[home] || most < 30 || most > 39 { // 1.5 * 104 / 4
		t.Errorf("the backlogs are %v, at home in %d", r.Stats().Backlogs, home)
	}
	for _, f := range release {
		f()
	}
	until(t, guarded(t), func() bool {
		for _, b := range r.Stats().Backlogs {
			if b > 0 {
				return false
			}
		}
		return true
	})
	wantEqual(t, "home", who(t, guarded(t), r, task{key: "popular"}), home)
}

// A message without a key, or whose key panics, is refused; the router goes on.
func TestNoKey(t *testing.T) { simulated.Too(t, testNoKey) }

func testNoKey(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 2)
	r := newRouter(t, sys, router.Config[task]{Strategy: router.ConsistentHash, Routees: c.refs, Key: router.By(func(m task) (string, bool) {
		if m.key == "panic" {
			panic("as wanted")
		}
		return byKey(m)
	})})
	wantErr(t, r.Send(guarded(t), task{}), router.ErrNoKey)
	var p *actor.PanicError
	if err := r.Send(guarded(t), task{key: "panic"}); !errors.As(err, &p) {
		t.Errorf("a panic of the key became %v", err)
	}
	_, err := router.Ask(guarded(t), r, func(actor.Reply[int]) task { return task{} })
	wantErr(t, err, router.ErrNoKey)
	who(t, guarded(t), r, task{key: "a"})
	wantEqual(t, "refused", r.Stats().Refused, 3)
}

// A full routee's messages go to the others, and else wait.
func TestFullRoutees(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	c := newRoutees(t, sys, 2, actor.WithCapacity(actor.Data, 2))
	r := newRouter(t, sys, router.Config[task]{Routees: c.refs})
	release := hold(t, c.refs[0])
	for range 2 {
		wantNoErr(t, c.refs[0].Send(guarded(t), task{id: -1}))
	}
	for i := range 10 { // All of them to the other.
		wantEqual(t, "routee", who(t, guarded(t), r, task{id: i}), 1)
	}
	if n := r.Stats().Rerouted; n != 5 {
		t.Errorf("%d were given to another, not 5", n)
	}
	other := hold(t, c.refs[1])
	for range 2 {
		wantNoErr(t, r.TrySend(guarded(t), task{id: 20}))
	}
	wantErr(t, r.TrySend(guarded(t), task{id: 21}), actor.ErrFull)
	wantErr(t, r.Send(ended(), task{id: 21}), context.Canceled)
	sent := make(chan error, 1)
	go func() { sent <- r.Send(guarded(t), task{id: 22}) }()
	until(t, guarded(t), func() bool {
		a, _ := c.refs[0].Info()
		b, _ := c.refs[1].Info()
		return a.Senders[actor.Data]+b.Senders[actor.Data] == 1
	})
	release()
	other()
	wantNoErr(t, <-sent)
}

// WaitForChosen, and a key, wait for the one that was chosen.
func TestWaitForChosen(t *testing.T) {
	for name, cfg := range map[string]router.Config[task]{
		"by config": {WhenFull: router.WaitForChosen},
		"by key":    {Strategy: router.ConsistentHash, Key: router.By(byKey)},
	} {
		t.Run(name, func(t *testing.T) {
			sys := newSystem(t, actor.Config{})
			c := newRoutees(t, sys, 2, actor.WithCapacity(actor.Data, 1))
			cfg.Routees = c.refs
			r := newRouter(t, sys, cfg)
			chosen := who(t, guarded(t), r, task{key: "k"})
			if cfg.Strategy == router.RoundRobin {
				chosen = 1 - chosen
			}
			release := hold(t, c.refs[chosen])
			wantNoErr(t, c.refs[chosen].Send(guarded(t), task{id: -1}))
			wantErr(t, r.TrySend(guarded(t), task{key: "k"}), actor.ErrFull)
			release()
		})
	}
}

// A routee gets a message on the lane it was sent on.
func TestLanes(t *testing.T) { simulated.Too(t, testLanes) }

func testLanes(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	lanes := make(chan actor.Lane, 8)
	ref := spawn(t, sys, func(ctx *actor.Context[int], _ int) error { lanes <- ctx.Lane(); return nil })
	r := newRouter(t, sys, router.Config[int]{Routees: []actor.Ref[int]{ref.On(actor.Control)}})
	for _, l := range []actor.Lane{actor.Data, actor.Management, actor.Control} {
		wantNoErr(t, r.On(l).Send(guarded(t), 1))
		wantEqual(t, "lane", <-lanes, l)
		front, err := r.On(l).Ref(guarded(t))
		wantNoErr(t, err)
		wantNoErr(t, front.Send(guarded(t), 1))
		wantEqual(t, "lane behind the ref", <-lanes, l)
	}
}

// Many senders at once, on the real scheduler: each message comes once.
func TestManySenders(t *testing.T) {
	const senders, each = 8, 500
	for _, cfg := range []router.Config[task]{
		{}, {Strategy: router.Random}, {Strategy: router.SmallestMailbox}, {Strategy: router.LeastOfTwo},
		{Strategy: router.ConsistentHash, Key: router.By(byKey)}, {Strategy: router.BoundedHash, Key: router.By(byKey)},
	} {
		t.Run(cfg.Strategy.String(), func(t *testing.T) {
			sys := newSystem(t, actor.Config{Workers: 4})
			c := newRoutees(t, sys, 5, actor.WithCapacity(actor.Data, 8))
			cfg.Routees = c.refs
			r := newRouter(t, sys, cfg)
			ctx := guarded(t)
			var all sync.WaitGroup
			for s := range senders {
				all.Go(func() {
					for i := range each {
						if err := r.Send(ctx, task{id: s*each + i, key: fmt.Sprint(i % 20)}); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			wantEqual(t, "all", flat(c.drain(t)), upTo(senders*each))
			wantEqual(t, "dead letters", sys.Stats().DeadLetters, 0)
		})
	}
}

// A send allocates nothing, whatever the strategy.
func TestNoAllocations(t *testing.T) {
	sys := newSystem(t, actor.Config{Workers: 1})
	var refs []actor.Ref[string]
	for range 4 {
		refs = append(refs, spawn(t, sys, func(*actor.Context[string], string) error { return nil }))
	}
	key := router.By(func(m string) (string, bool) { return m, true })
	for _, cfg := range []router.Config[string]{
		{}, {Strategy: router.Random}, {Strategy: router.SmallestMailbox}, {Strategy: router.LeastOfTwo},
		{Strategy: router.ConsistentHash, Key: key}, {Strategy: router.Broadcast},
	} {
		cfg.Routees = refs
		r := newRouter(t, sys, cfg)
		if n := testing.AllocsPerRun(2000, func() { wantNoErr(t, r.Send(context.Background(), "a message")) }); n >= 1 {
			t.Errorf("%v: %v allocations a message", cfg.Strategy, n)
		}
	}
}
