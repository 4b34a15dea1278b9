package workers_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/internal/workers/groups"
)

// hop is a Runner that submits another one until a count has run down.
type hop struct {
	node workers.Node
	to   *hop
	left *atomic.Int64
	done chan struct{}
}

func (h *hop) Run(f *workers.Fiber, _ workers.Priority) {
	if h.left.Add(-1) <= 0 {
		close(h.done)
		return
	}
	f.Submit(&h.to.node, workers.Normal)
}

// BenchmarkLocalHop is the price of one dispatch: submit on the worker, take, run.
func BenchmarkLocalHop(b *testing.B) {
	b.ReportAllocs()
	s := newScheduler(b, workers.Config{})
	var left atomic.Int64
	left.Store(int64(b.N))
	done := make(chan struct{})
	x, y := &hop{left: &left, done: done}, &hop{left: &left, done: done}
	x.to, y.to = y, x
	x.node.Init(x)
	y.node.Init(y)
	b.ResetTimer()
	if err := s.Submit(&x.node, workers.Normal); err != nil {
		b.Fatal(err)
	}
	<-done
}

// BenchmarkGoFlat submits from one goroutine and waits for all.
func BenchmarkGoFlat(b *testing.B) {
	b.ReportAllocs()
	s := newScheduler(b, workers.Config{})
	ctx := context.Background()
	var wg sync.WaitGroup
	wg.Add(b.N)
	for range b.N {
		if _, err := s.Go(ctx, func(context.Context) error { wg.Done(); return nil }); err != nil {
			b.Fatal(err)
		}
	}
	wg.Wait()
}

// BenchmarkGoWait is a round trip from a goroutine: submit one job, wait for it.
func BenchmarkGoWait(b *testing.B) {
	b.ReportAllocs()
	s := newScheduler(b, workers.Config{})
	ctx := context.Background()
	for b.Loop() {
		j, err := s.Go(ctx, func(context.Context) error { return nil })
		if err != nil {
			b.Fatal(err)
		}
		if err := j.Wait(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSuspendResume is a job that waits for a job that it submits.
func BenchmarkSuspendResume(b *testing.B) {
	benchmarkSuspendResume(b, newScheduler(b, workers.Config{}))
}

func benchmarkSuspendResume(b *testing.B, s *workers.Scheduler) {
	b.ReportAllocs()
	outer, err := s.Go(context.Background(), func(ctx context.Context) error {
		for range b.N {
			j, err := s.Go(ctx, func(context.Context) error { return nil })
			if err != nil {
				return err
			}
			if err := j.Wait(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := outer.Wait(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkFlat has one goroutine submit 100,000 functions and wait for all: as
// jobs, as a group, and to the pool that one would write by hand, in turns. The
// ratios are to the last, of the same turns.
func BenchmarkFlat(b *testing.B) {
	const n = 100_000
	s := newScheduler(b, workers.Config{})
	ctx := context.Background()
	g, err := groups.New(ctx, s)
	if err != nil {
		b.Fatal(err)
	}
	var sum atomic.Int64
	var all sync.WaitGroup
	add := func(context.Context) error { sum.Add(1); return nil }
	fn := func(context.Context) error { sum.Add(1); all.Done(); return nil }
	count := func() { sum.Add(1); all.Done() }
	in := make(chan func(), 1024)
	defer close(in)
	for range s.Workers() {
		go func() {
			for job := range in {
				job()
			}
		}()
	}
	wait := func() error { all.Wait(); return nil }
	ways := []struct {
		name   string
		submit func() error
		wait   func() error
	}{
		{"jobs", func() error { _, err := s.Go(ctx, fn); return err }, wait},
		{"group", func() error { return g.Go(add) }, func() error { return g.Wait(ctx) }},
		{"channel", func() error { in <- count; return nil }, wait},
	}
	took := make([]time.Duration, len(ways))
	for b.Loop() {
		for i, way := range ways {
			if way.name != "group" { // Which counts by itself.
				all.Add(n)
			}
			began := time.Now()
			for range n {
				if err := way.submit(); err != nil {
					b.Fatal(err)
				}
			}
			if err := way.wait(); err != nil {
				b.Fatal(err)
			}
			took[i] += time.Since(began)
		}
	}
	for i, way := range ways {
		b.ReportMetric(float64(took[i].Nanoseconds())/float64(b.N*n), way.name+"-ns/job")
		b.ReportMetric(float64(took[i])/float64(took[len(took)-1]), way.name+"-ratio")
	}
	if got, want := sum.Load(), int64(b.N)*int64(len(ways))*n; got != want {
		b.Fatalf("%d ran, not %d", got, want)
	}
}

// BenchmarkRecorded is the price of a recorder: two pieces of work that submit
// each other, without one and with one.
func BenchmarkRecorded(b *testing.B) {
	for _, recorded := range []bool{false, true} {
		b.Run(fmt.Sprint(recorded), func(b *testing.B) {
			s := newScheduler(b, workers.Config{Workers: 1})
			if recorded {
				newRecorder(b, s, workers.RecorderConfig{})
			}
			b.ReportAllocs()
			done := make(chan struct{})
			left := b.N
			b.ResetTimer()
			r := &relay{}
			r.node.Init(r)
			r.run = func(f *workers.Fiber) {
				if left--; left <= 0 {
					close(done)
					return
				}
				f.Submit(&r.node, workers.Normal)
			}
			if err := s.Submit(&r.node, workers.Normal); err != nil {
				b.Fatal(err)
			}
			<-done
		})
	}
}

// relay is work that calls a function.
type relay struct {
	node workers.Node
	run  func(*workers.Fiber)
}

func (r *relay) Run(f *workers.Fiber, _ workers.Priority) { r.run(f) }
