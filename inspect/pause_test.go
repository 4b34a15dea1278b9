package inspect_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// turns returns how often somebody else had the only processor while look was at
// work.
func turns(look func()) int64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var n atomic.Int64
	var over atomic.Bool
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for !over.Load() {
			n.Add(1)
			runtime.Gosched()
		}
	}()
	for n.Load() == 0 {
		runtime.Gosched()
	}
	before := n.Load()
	look()
	had := n.Load() - before
	over.Store(true)
	<-gone
	return had
}

// parentActor has n children.
type parentActor struct{ n int }

func (b parentActor) Started(c *actor.Context[int]) error {
	for range b.n {
		if _, err := actor.Spawn(c, actor.Actor[int](sink{})); err != nil {
			return err
		}
	}
	return nil
}

func (parentActor) Receive(*actor.Context[int], int) error { return nil }

// A snapshot gives way at least every so many actors, however slow the machine is. So no actor
// waits for a processor for longer than it takes to look at so many.
func TestSnapshotsGiveWay(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	const n, atOnce, listed = 20_000, 256, 1000
	parent := spawn(t, sys, actor.Actor[int](parentActor{n}))
	until(t, ctx, func() bool { return sys.Stats().Actors == n+1 })
	for range 3 * listed {
		_, err := actor.SendAfter(sys, time.Hour, parent, 1)
		wantNoErr(t, err)
	}
	for name, c := range map[string]struct {
		want int64
		look func() error
	}{
		"actors":   {n / atOnce, func() error { _, err := i.Actors(inspect.Query{Sort: inspect.ByMailbox}); return err }},
		"nobody":   {n / atOnce, func() error { _, err := i.Actors(inspect.Query{Name: "nobody"}); return err }},
		"metrics":  {n / atOnce, func() error { i.Metrics(); return nil }},
		"waits":    {n / atOnce, func() error { i.Waits(); return nil }},
		"links":    {n / atOnce, func() error { i.Links(actor.PID{}, 0); return nil }},
		"timers":   {n/atOnce + 2, func() error { _, err := i.Timers(inspect.TimerQuery{}); return err }},
		"children": {n / listed, func() error { _, err := i.Actor(parent.PID()); return err }},
	} {
		var err error
		if got := turns(func() { err = c.look() }); got < c.want-1 || err != nil {
			t.Errorf("%s: others had the processor %d times, want %d; error %v", name, got, c.want, err)
		}
	}
}
