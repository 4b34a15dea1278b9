package router_test

import (
	"math"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/router"
)

// A configuration that makes no sense is an error that says which field, with
// which value, and what to do.
func TestBadConfig(t *testing.T) { simulated.Too(t, testBadConfig) }

func testBadConfig(t testing.TB) {
	sys := newSystem(t, actor.Config{})
	other := newSystem(t, actor.Config{})
	spawn(t, sys, func(*actor.Context[task], task) error { return nil }) // Is in the slot of the foreign one.
	gone := spawn(t, sys, func(*actor.Context[task], task) error { return nil })
	wantNoErr(t, gone.Stop(guarded(t)))
	foreign := spawn(t, other, func(*actor.Context[task], task) error { return nil })
	key := router.By(byKey)
	for _, c := range []struct {
		name string
		cfg  router.Config[task]
		want []string
	}{
		{"strategy", router.Config[task]{Strategy: 99}, []string{"Strategy", "99", "RoundRobin"}},
		{"empty", router.Config[task]{WhenEmpty: 7}, []string{"WhenEmpty", "7", "FailWhenEmpty"}},
		{"full", router.Config[task]{WhenFull: 7}, []string{"WhenFull", "7", "TryOthers"}},
		{"no key", router.Config[task]{Strategy: router.ConsistentHash}, []string{"Key is nil", "consistent hash", "By"}},
		{"no key", router.Config[task]{Strategy: router.BoundedHash, Key: router.By[task, string](nil)}, []string{"Key is nil", "bounded hash"}},
		{"key", router.Config[task]{Key: key}, []string{"Key is given", "round robin", "ConsistentHash"}},
		{"factor", router.Config[task]{LoadFactor: 2}, []string{"LoadFactor", "2", "BoundedHash"}},
		{"low factor", router.Config[task]{Strategy: router.BoundedHash, Key: key, LoadFactor: 1}, []string{"LoadFactor", "1", "more than 1"}},
		{"no factor", router.Config[task]{Strategy: router.BoundedHash, Key: key, LoadFactor: math.NaN()}, []string{"LoadFactor", "NaN"}},
		{"infinite", router.Config[task]{Strategy: router.BoundedHash, Key: key, LoadFactor: math.Inf(1)}, []string{"LoadFactor", "Inf"}},
		{"zero ref", router.Config[task]{Name: "r", Routees: make([]actor.Ref[task], 2)}, []string{"r: ", "routee 1 of 2", "zero"}},
		{"stopped", router.Config[task]{Routees: []actor.Ref[task]{gone}}, []string{"routee 1 of 1", "has stopped"}},
		{"foreign", router.Config[task]{Routees: []actor.Ref[task]{foreign}}, []string{"another system"}},
	} {
		_, err := router.New(sys, c.cfg)
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not say %q", c.name, err, w)
			}
		}
	}
	if _, err := router.New(nil, router.Config[task]{}); err == nil {
		t.Error("a nil Spawner is no error")
	}
	if _, err := router.New((*actor.System)(nil), router.Config[task]{}); err == nil {
		t.Error("a nil System is no error")
	}
	until(t, guarded(t), func() bool { return sys.Stats().Actors == 1 })
}

// The zero Router does nothing but say so.
func TestZeroRouter(t *testing.T) { simulated.Too(t, testZeroRouter) }

func testZeroRouter(t testing.TB) {
	var r router.Router[task]
	ctx := guarded(t)
	_, refErr := r.Ref(ctx)
	_, askErr := router.Ask(ctx, r, func(reply actor.Reply[int]) task { return task{reply: reply} })
	_, firstErr := router.AskFirst(ctx, r, func(reply actor.Reply[int]) task { return task{reply: reply} })
	for _, err := range []error{
		r.Send(ctx, task{}), r.TrySend(ctx, task{}), r.Add(ctx), r.Remove(ctx), r.Stop(ctx), refErr, askErr, firstErr,
		r.On(actor.Control).Send(ctx, task{}),
	} {
		wantErr(t, err, router.ErrNoRouter)
	}
	<-r.Done()
	wantEqual(t, "routees", len(r.Routees()), 0)
	wantEqual(t, "stats", r.Stats().Routees, 0)
	wantEqual(t, "name", r.String(), "<no router>")
	wantEqual(t, "strategy", router.Strategy(99).String(), "Strategy(99)")
}
