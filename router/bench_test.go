package router_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

// BenchmarkRoute is the price of a message by way of a router of 8 routees. Beside
// it, in turn, messages go to the same routees directly: ns-over-direct is the
// median of the differences, which the noise of a busy machine leaves alone.
func BenchmarkRoute(b *testing.B) {
	key := router.By(func(m int) (int, bool) { return m, true })
	for _, cfg := range []router.Config[int]{
		{}, {Strategy: router.Random}, {Strategy: router.LeastOfTwo}, {Strategy: router.SmallestMailbox},
		{Strategy: router.ConsistentHash, Key: key}, {Strategy: router.BoundedHash, Key: key},
	} {
		b.Run(cfg.Strategy.String(), func(b *testing.B) {
			sys, refs := sinks(b)
			cfg.Routees = refs
			r := newRouter(b, sys, cfg)
			ctx := context.Background()
			var over []float64
			for done := 0; done < b.N; done += batchLen {
				n := min(batchLen, b.N-done)
				routed := timed(b, n, func(i int) error { return r.Send(ctx, done+i) })
				b.StopTimer()
				direct := timed(b, n, func(i int) error { return refs[i%len(refs)].Send(ctx, i) })
				b.StartTimer()
				over = append(over, routed-direct)
			}
			slices.Sort(over)
			b.ReportMetric(over[len(over)/2], "ns-over-direct")
		})
	}
}

const batchLen = 5000

// timed returns how many nanoseconds a message takes.
func timed(b *testing.B, n int, send func(i int) error) float64 {
	begin := time.Now()
	for i := range n {
		if err := send(i); err != nil {
			b.Fatal(err)
		}
	}
	return float64(time.Since(begin).Nanoseconds()) / float64(n)
}

func sinks(b *testing.B) (*actor.System, []actor.Ref[int]) {
	b.Helper()
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	var refs []actor.Ref[int]
	for range 8 {
		refs = append(refs, spawn(b, sys, func(*actor.Context[int], int) error { return nil }))
	}
	b.ResetTimer()
	return sys, refs
}

// BenchmarkAsk is the price of an ask by way of a router, beside a direct one.
func BenchmarkAsk(b *testing.B) {
	for _, routed := range []bool{false, true} {
		b.Run(map[bool]string{false: "direct", true: "routed"}[routed], func(b *testing.B) {
			b.ReportAllocs()
			sys := newSystem(b, actor.Config{})
			ref := spawn(b, sys, func(ctx *actor.Context[task], m task) error { return m.reply.Send(ctx, 1) })
			r := newRouter(b, sys, router.Config[task]{Routees: []actor.Ref[task]{ref}})
			done := make(chan error)
			asker := spawn(b, sys, func(ctx *actor.Context[int], n int) error {
				var err error
				for range n {
					if routed {
						_, err = router.Ask(ctx, r, func(a actor.Reply[int]) task { return task{reply: a} })
					} else {
						_, err = actor.Ask(ctx, ref, func(a actor.Reply[int]) task { return task{reply: a} })
					}
				}
				done <- err
				return nil
			})
			b.ResetTimer()
			wantNoErr(b, asker.Send(context.Background(), b.N))
			wantNoErr(b, <-done)
		})
	}
}

// BenchmarkPool does tasks of 20 us by one worker and by two, in turn, and so do
// goroutines that take them from a channel. Reported is the best of many short
// rounds of each, since on a busy machine most rounds have less than two
// processors: x-one-worker is how many times as fast two workers are, and
// x-goroutines how fast they are beside two goroutines.
func BenchmarkPool(b *testing.B) {
	const tasks = 100
	turns := calibrate(20 * time.Microsecond)
	do := func() { compute(turns) }
	best := map[string]time.Duration{}
	take := func(what string, d time.Duration) {
		if old, ok := best[what]; !ok || d < old {
			best[what] = d
		}
	}
	pools := map[string]*router.Pool[int, int]{}
	for workers, name := range map[int]string{1: "one", 2: "two"} {
		pools[name] = newPool(b, newSystem(b, actor.Config{Workers: 2}), router.PoolConfig[int, int]{
			Workers: workers, Do: func(context.Context, int) (int, error) { do(); return 0, nil },
		})
	}
	b.ResetTimer()
	for done := 0; done < b.N; done += tasks {
		for name, p := range pools {
			take(name, byPool(b, p, tasks))
		}
		take("goroutines", byGoroutines(2, tasks, do))
	}
	b.ReportMetric(float64(best["one"])/float64(best["two"]), "x-one-worker")
	b.ReportMetric(float64(best["goroutines"])/float64(best["two"]), "x-goroutines")
	b.ReportMetric(float64(best["two"].Nanoseconds())/tasks, "best-ns/task")
}

func byPool(b *testing.B, p *router.Pool[int, int], tasks int) time.Duration {
	b.Helper()
	before := p.Stats().Done
	begin := time.Now()
	for i := range tasks {
		wantNoErr(b, p.Send(context.Background(), i))
	}
	for p.Stats().Done < before+uint64(tasks) {
		runtime.Gosched()
	}
	return time.Since(begin)
}

func byGoroutines(n, tasks int, do func()) time.Duration {
	begin := time.Now()
	in := make(chan struct{}, tasks)
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for range in {
				do()
			}
		})
	}
	for range tasks {
		in <- struct{}{}
	}
	close(in)
	all.Wait()
	return time.Since(begin)
}

// compute does not look at the clock, which would count the time for which the
// processor was somebody else's.
func compute(turns int) {
	x := uint64(turns)
	for range turns {
		x = x*6364136223846793005 + 1442695040888963407
	}
	runtime.KeepAlive(x)
}

// calibrate returns how many turns take so long.
func calibrate(d time.Duration) int {
	const turns = 10_000
	best := time.Hour
	for range 100 {
		begin := time.Now()
		compute(turns)
		best = min(best, time.Since(begin))
	}
	return int(float64(turns) * float64(d) / float64(best))
}

// BenchmarkPoolTask is what a task costs besides what it does.
func BenchmarkPoolTask(b *testing.B) {
	nothing := func(context.Context, int) (int, error) { return 0, nil }
	key := router.By(func(n int) (int, bool) { return n % 16, true })
	for _, keyed := range []bool{false, true} {
		cfg := router.PoolConfig[int, int]{Workers: 2, Do: nothing}
		if keyed {
			cfg.Key = key
		}
		b.Run(map[bool]string{false: "sent", true: "keyed"}[keyed], func(b *testing.B) {
			b.ReportAllocs()
			p := newPool(b, newSystem(b, actor.Config{}), cfg)
			ctx := context.Background()
			b.ResetTimer()
			for i := range b.N {
				wantNoErr(b, p.Send(ctx, i))
			}
			wantNoErr(b, p.Drain(ctx))
		})
	}
	b.Run("asked", func(b *testing.B) {
		b.ReportAllocs()
		p := newPool(b, newSystem(b, actor.Config{}), router.PoolConfig[int, int]{Workers: 2, Do: nothing})
		ctx := context.Background()
		b.ResetTimer()
		for i := range b.N {
			_, err := p.Ask(ctx, i)
			wantNoErr(b, err)
		}
	})
}
