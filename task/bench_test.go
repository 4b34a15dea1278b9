package task_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/task"
)

// batch is how many tasks are started before they are joined.
const batch = 1000

func nothing(context.Context) (int, error) { return 0, nil }

// BenchmarkGoroutines is the yardstick of BenchmarkGroup: goroutines and a
// WaitGroup.
func BenchmarkGoroutines(b *testing.B) {
	b.ReportAllocs()
	ctx := context.Background()
	for range b.N {
		var wg sync.WaitGroup
		for range batch {
			wg.Go(func() { _, _ = nothing(ctx) })
		}
		wg.Wait()
	}
	perTask(b)
}

// BenchmarkGroup starts trivial tasks from a goroutine and joins them.
func BenchmarkGroup(b *testing.B) {
	b.ReportAllocs()
	ctx := context.Background()
	s := newScheduler(b, sched.Config{})
	for range b.N {
		startAndJoin(b, ctx, task.On(s))
	}
	perTask(b)
}

// BenchmarkGroupInside does so in a job.
func BenchmarkGroupInside(b *testing.B) {
	b.ReportAllocs()
	s := newScheduler(b, sched.Config{JobTimeout: -1})
	inJob(b, context.Background(), s, func(ctx context.Context) error {
		for range b.N {
			startAndJoin(b, ctx)
		}
		return nil
	})
	perTask(b)
}

// BenchmarkRunInside does so by Run and Do, with a closure for each task.
func BenchmarkRunInside(b *testing.B) {
	b.ReportAllocs()
	s := newScheduler(b, sched.Config{JobTimeout: -1})
	inJob(b, context.Background(), s, func(ctx context.Context) error {
		for range b.N {
			runAll(b, ctx)
		}
		return nil
	})
	perTask(b)
}

func runAll(b *testing.B, ctx context.Context) {
	values := make([]int, batch)
	_, err := task.Run(ctx, task.FirstFailure[struct{}](), func(_ context.Context, g *task.Group[struct{}]) error {
		for i := range values {
			if _, err := g.Do(func(context.Context) error { values[i] = i + 1; return nil }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

func startAndJoin(b *testing.B, ctx context.Context, opts ...task.Option) {
	g, err := task.NewGroup(ctx, task.FirstFailure[int](), opts...)
	if err != nil {
		b.Fatal(err)
	}
	for range batch {
		if _, err := g.Go(nothing); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := g.Join(ctx); err != nil {
		b.Fatal(err)
	}
}

func perTask(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batch, "ns/task")
}

// BenchmarkOneGoroutine and BenchmarkOneTask start one and wait for it.
func BenchmarkOneGoroutine(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var wg sync.WaitGroup
		wg.Go(func() {})
		wg.Wait()
	}
}

func BenchmarkOneTask(b *testing.B) {
	b.ReportAllocs()
	ctx := context.Background()
	s := newScheduler(b, sched.Config{})
	for b.Loop() {
		one(b, ctx, task.On(s))
	}
}

func BenchmarkOneTaskInside(b *testing.B) {
	b.ReportAllocs()
	s := newScheduler(b, sched.Config{JobTimeout: -1})
	inJob(b, context.Background(), s, func(ctx context.Context) error {
		for b.Loop() {
			one(b, ctx)
		}
		return nil
	})
}

func one(b *testing.B, ctx context.Context, opts ...task.Option) {
	g, err := task.NewGroup(ctx, task.FirstFailure[int](), opts...)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := g.Go(nothing); err != nil {
		b.Fatal(err)
	}
	if _, err := g.Join(ctx); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCancel cancels a group of 100,000 tasks that wait, and joins it.
func BenchmarkCancel(b *testing.B) {
	const n = 100_000
	ctx := context.Background()
	s := newScheduler(b, sched.Config{})
	for range b.N {
		b.StopTimer()
		g, err := task.NewGroup(ctx, task.AllCompleted[int](), task.On(s))
		if err != nil {
			b.Fatal(err)
		}
		var waiting sync.WaitGroup
		waiting.Add(n)
		for range n {
			if _, err := g.Go(func(ctx context.Context) (int, error) {
				waiting.Done()
				return 0, forever(ctx)
			}); err != nil {
				b.Fatal(err)
			}
		}
		waiting.Wait()
		b.StartTimer()
		g.Cancel(nil)
		if _, err := g.Join(ctx); err == nil {
			b.Fatal("no error")
		}
	}
}

// BenchmarkCancelQueued does so with tasks most of which have not begun.
func BenchmarkCancelQueued(b *testing.B) {
	const n = 100_000
	ctx := context.Background()
	s := newScheduler(b, sched.Config{})
	for range b.N {
		b.StopTimer()
		g, err := task.NewGroup(ctx, task.AllCompleted[int](), task.On(s), task.Limit(100))
		if err != nil {
			b.Fatal(err)
		}
		for range n {
			if _, err := g.Go(func(ctx context.Context) (int, error) { return 0, forever(ctx) }); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		g.Cancel(nil)
		if _, err := g.Join(ctx); err == nil {
			b.Fatal("no error")
		}
	}
}

// BenchmarkFirstSuccess has 1,000 tasks the fastest of which takes 10 ms, and the
// others up to 100 ms more: each sleeps, blocks as code does that knows nothing of
// tasks, or computes for a while and then sleeps. The figure is how long Join takes beside
// the fastest task, from the first Go on.
func BenchmarkFirstSuccess(b *testing.B) {
	sleep := func(ctx context.Context, d time.Duration) error { return task.Sleep(ctx, d) }
	block := func(ctx context.Context, d time.Duration) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for _, kind := range []struct {
		name string
		wait func(ctx context.Context, d time.Duration) error
	}{{"sleeping", sleep}, {"blocking", block}} {
		b.Run(kind.name, func(b *testing.B) {
			s := newScheduler(b, sched.Config{})
			var ratio float64
			for range b.N {
				ratio += firstSuccess(b, s, kind.wait)
			}
			b.ReportMetric(ratio/float64(b.N), "of-fastest")
		})
	}
}

func firstSuccess(b *testing.B, s *sched.Scheduler, wait func(ctx context.Context, d time.Duration) error) float64 {
	const n, fastest = 1000, 10 * time.Millisecond
	ctx := context.Background()
	g, err := task.NewGroup(ctx, task.FirstSuccess[int](), task.On(s))
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	for i := range n {
		takes := fastest + time.Duration((i*7+n/2)%n)*100*time.Microsecond // The fastest is somewhere among them.
		if _, err := g.Go(func(ctx context.Context) (int, error) { return i, wait(ctx, takes) }); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := g.Join(ctx); err != nil {
		b.Fatal(err)
	}
	return float64(time.Since(began)) / float64(fastest)
}
