package inspect_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

type ping struct{ reply actor.Reply[int] }

// BenchmarkSnapshot is the price of a look at 100,000 actors for the 100 with
// the longest mailboxes. An actor is asked all the while: max-ask-ns is the
// longest that it took to answer, which on a machine with few processors also
// says how long the asker itself waited for one; base-max-ask-ns is the same
// without snapshots, in as many asks.
func BenchmarkSnapshot(b *testing.B) {
	sys := newSystem(b, actor.Config{})
	i := newInspector(b, sys, quiet)
	for range 100_000 {
		spawn(b, sys, actor.Actor[int](sink{}))
	}
	echo := spawn(b, sys, actor.Func(func(ctx *actor.Context[ping], m ping) error { return m.reply.Send(ctx, 1) }))
	ask := func() time.Duration {
		began := time.Now()
		if _, err := actor.Ask(context.Background(), echo, func(r actor.Reply[int]) ping { return ping{r} }); err != nil {
			b.Error(err)
		}
		return time.Since(began)
	}
	var longest, base time.Duration
	asks := 0
	var stop atomic.Bool
	var all sync.WaitGroup
	all.Go(func() {
		for !stop.Load() {
			longest = max(longest, ask())
			asks++
		}
	})
	for b.Loop() {
		if _, err := i.Actors(inspect.Query{Sort: inspect.ByMailbox}); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	stop.Store(true)
	all.Wait()
	for range asks {
		base = max(base, ask())
	}
	b.ReportMetric(float64(longest), "max-ask-ns")
	b.ReportMetric(float64(base), "base-max-ask-ns")
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
