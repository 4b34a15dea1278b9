package supervise_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// A thousand children fail at random under load: all messages are handled but
// those in which they failed, and these once.
func TestNothingIsLostOverRestarts(t *testing.T) {
	const children, each = 1000, 30
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 4})
	sup := start(t, sys, supervise.Config{Intensity: 1 << 30, Period: time.Hour})
	type item struct{ from, n int }
	var tried, done, failed atomic.Int64
	receive := func(_ *actor.Context[item], m item) error {
		tried.Add(1)
		if (m.from*each+m.n*7)%11 != 0 {
			done.Add(1)
			return nil
		}
		failed.Add(1)
		switch m.n % 3 {
		case 0:
			return errWanted
		case 1:
			panic(errWanted)
		default:
			runtime.Goexit()
			return nil
		}
	}
	var refs []actor.Ref[item]
	for range children {
		refs = append(refs, spawn(t, sup, supervise.Child[item]{
			New:     func() actor.Actor[item] { return actor.Func(receive) },
			Options: []actor.Option{actor.WithCapacity(actor.Data, 4)},
		}))
	}
	var all sync.WaitGroup
	for from := range 4 {
		all.Go(func() {
			for n := range each {
				for i := from; i < children; i += 4 {
					if err := refs[i].Send(ctx, item{i, n}); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	all.Wait()
	until(t, ctx, func() bool { return tried.Load() == children*each && sup.Restarts() == int(failed.Load()) })
	wantNoErr(t, sup.Stop(ctx))
	if done.Load()+failed.Load() != children*each || tried.Load() != children*each || failed.Load() == 0 {
		t.Errorf("%d were tried, %d done, %d failed, of %d", tried.Load(), done.Load(), failed.Load(), children*each)
	}
	if n := sys.Stats().DeadLetters; n != 0 {
		t.Errorf("%d dead letters", n)
	}
}
