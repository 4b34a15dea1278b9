package inspect_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

type ping struct{ reply actor.Reply[int] }

// BenchmarkSnapshot is the price of a look at 100,000 actors for the 100 with
// the longest mailboxes, of an idle system and of one whose workers are all busy,
// and what it does to the actors that keep them busy: over-1ms/s is how often one
// of them had to pause for more than 1 ms, for each second of snapshots, and base
// is the same for each second without one, in turn. A pause may also be one of the
// machine's, whose time slices are 4 ms.
func BenchmarkSnapshot(b *testing.B) {
	look := func(b *testing.B, i *inspect.Inspector) {
		if _, err := i.Actors(inspect.Query{Sort: inspect.ByMailbox}); err != nil {
			b.Fatal(err)
		}
	}
	sys := newSystem(b, actor.Config{})
	i := newInspector(b, sys, quiet)
	for range 100_000 {
		spawn(b, sys, actor.Actor[int](sink{}))
	}
	b.Run("idle", func(b *testing.B) {
		for b.Loop() {
			look(b, i)
		}
	})
	b.Run("busy", func(b *testing.B) {
		var p pauses
		stop := p.keepBusy(b, sys)
		for b.Loop() {
			p.during(func() { look(b, i) })
			b.StopTimer()
			p.without(20 * time.Millisecond)
			b.StartTimer()
		}
		stop()
		b.ReportMetric(float64(p.long[1].Load())/p.spent[1].Seconds(), "over-1ms/s")
		b.ReportMetric(float64(p.long[0].Load())/p.spent[0].Seconds(), "base-over-1ms/s")
	})
}

// pauses are waits of actors that always have something to do: without a
// snapshot, and during one.
type pauses struct {
	looking atomic.Int32 // 1 during a snapshot.
	long    [2]atomic.Int64
	spent   [2]time.Duration
}

// keepBusy has an actor for each processor send to itself.
func (p *pauses) keepBusy(b *testing.B, sys *actor.System) (stop func()) {
	var over atomic.Bool
	n := runtime.GOMAXPROCS(0)
	gone := make(chan struct{}, n)
	for range n {
		last := time.Now()
		self := spawn(b, sys, actor.Func(func(ctx *actor.Context[int], m int) error {
			now := time.Now()
			if now.Sub(last) > time.Millisecond {
				p.long[p.looking.Load()].Add(1)
			}
			last = now
			if over.Load() {
				gone <- struct{}{}
				return nil
			}
			return ctx.Self().Send(ctx, m)
		}))
		send(b, b.Context(), self, 1)
	}
	return func() {
		over.Store(true)
		for range n {
			<-gone
		}
	}
}

func (p *pauses) during(look func()) {
	p.looking.Store(1)
	began := time.Now()
	look()
	p.spent[1] += time.Since(began)
	p.looking.Store(0)
}

func (p *pauses) without(d time.Duration) {
	<-time.After(d)
	p.spent[0] += d
}

// BenchmarkObserved is the price of being inspected: the same work without an
// inspector, with one that counts, and with one that watches handlers too.
func BenchmarkObserved(b *testing.B) {
	counting := quiet
	for _, bench := range []struct {
		name string
		cfg  *inspect.Config
	}{{"off", nil}, {"counting", &counting}, {"all", &inspect.Config{}}} {
		b.Run("ping-pong/"+bench.name, func(b *testing.B) { pingPong(b, bench.cfg) })
		b.Run("tell/"+bench.name, func(b *testing.B) { tell(b, bench.cfg) })
	}
}

func observed(b *testing.B, cfg *inspect.Config) *actor.System {
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	if cfg != nil {
		newInspector(b, sys, *cfg)
	}
	return sys
}

type ball struct {
	left int
	from actor.Ref[ball]
	done chan struct{}
}

func pingPong(b *testing.B, cfg *inspect.Config) {
	sys := observed(b, cfg)
	bounce := actor.Func(func(ctx *actor.Context[ball], m ball) error {
		if m.left == 0 {
			close(m.done)
			return nil
		}
		return m.from.Send(ctx, ball{m.left - 1, ctx.Self(), m.done})
	})
	x, y := spawn(b, sys, bounce), spawn(b, sys, bounce)
	done := make(chan struct{})
	b.ResetTimer()
	send(b, context.Background(), x, ball{b.N, y, done})
	<-done
}

func tell(b *testing.B, cfg *inspect.Config) {
	sys := observed(b, cfg)
	n, total := 0, b.N
	done := make(chan struct{})
	ref := spawn(b, sys, actor.Func(func(*actor.Context[int], int) error {
		if n++; n == total {
			close(done)
		}
		return nil
	}))
	ctx := context.Background()
	b.ResetTimer()
	for i := range b.N {
		if err := ref.Send(ctx, i); err != nil {
			b.Fatal(err)
		}
	}
	<-done
}

// BenchmarkJobs is the price of a page of 100 of 100,000 strands.
func BenchmarkJobs(b *testing.B) {
	sys := newSystem(b, actor.Config{})
	i := newInspector(b, sys, quiet)
	parkStrands(b, b.Context(), sys.Scheduler(), 100_000)
	for _, by := range []inspect.JobOrder{inspect.ByID, inspect.ByAge} {
		b.Run(string(by), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if p, err := i.Jobs(inspect.JobQuery{Sort: by}); err != nil || p.Total != 100_000 {
					b.Fatal(p.Total, err)
				}
			}
		})
	}
}
