package strand_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

// BenchmarkYield has so many strands yield to each other, on one worker, and
// compares with goroutines on one processor.
func BenchmarkYield(b *testing.B) {
	for _, n := range []int{2, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			each := max(1, b.N/n)
			took := yieldAmongStrands(b, n, each)
			peers := yieldAmongGoroutines(n, each)
			b.ReportMetric(float64(took)/float64(n*each), "ns/switch")
			b.ReportMetric(float64(took)/float64(peers), "of-goroutines")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func yieldAmongStrands(b *testing.B, n, each int) (took time.Duration) {
	sc := newBenchScheduler(b, 1)
	main := func(s *strand.Strand) error {
		var ready, done strand.WaitGroup
		gate := make([]*strand.Strand, n)
		_ = ready.Add(s, n)
		for i := range gate {
			var err error
			if gate[i], err = done.Go(s, func(s *strand.Strand) error {
				_ = ready.Done(s)
				if err := s.Park(); err != nil {
					return err
				}
				for range each {
					s.Yield()
				}
				return nil
			}); err != nil {
				return err
			}
		}
		if err := ready.Wait(s); err != nil {
			return err
		}
		began := time.Now()
		for _, one := range gate {
			one.Unpark(s)
		}
		err := done.Wait(s)
		took = time.Since(began)
		return err
	}
	ctx := context.Background()
	s := start(b, ctx, main, strand.On(sc))
	join(b, ctx, s)
	return took
}

func yieldAmongGoroutines(n, each int) time.Duration {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ended := make(chan struct{})
	gate := make(chan struct{})
	for range n {
		go func() {
			<-gate
			for range each {
				runtime.Gosched()
			}
			ended <- struct{}{}
		}()
	}
	runtime.Gosched()
	began := time.Now()
	close(gate)
	for range n {
		<-ended
	}
	return time.Since(began)
}

func newBenchScheduler(b *testing.B, workers int) *sched.Scheduler {
	sc, err := sched.New(sched.Config{Workers: workers})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = sc.Stop(context.Background()) })
	return sc
}

// BenchmarkIdle is what 100,000 strands that wait cost.
func BenchmarkIdle(b *testing.B) {
	const n = 100_000
	for b.Loop() {
		sc := newBenchScheduler(b, 2)
		before := memory()
		began := time.Now()
		var all [n]*strand.Strand
		s := start(b, context.Background(), func(s *strand.Strand) error {
			for i := range all {
				var err error
				if all[i], err = strand.Go(s, (*strand.Strand).Park); err != nil {
					return err
				}
			}
			return nil
		}, strand.On(sc))
		join(b, context.Background(), s)
		for _, s := range all {
			for s.State() != sched.JobWaiting {
				runtime.Gosched()
			}
		}
		b.ReportMetric(float64(time.Since(began).Nanoseconds())/n, "ns/spawn")
		b.ReportMetric(float64(memory()-before)/n, "B/strand")
		for _, s := range all {
			s.Unpark(context.Background())
		}
		if err := sc.Stop(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// memory is what the heap and the stacks take.
func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// BenchmarkChan is a value that goes to another strand and back.
func BenchmarkChan(b *testing.B) {
	sc := newBenchScheduler(b, 1)
	there, back := strand.NewChan[int](0), strand.NewChan[int](0)
	ctx := context.Background()
	echo := start(b, ctx, func(s *strand.Strand) error {
		for v := range there.All(s) {
			if err := back.Send(s, v); err != nil {
				return err
			}
		}
		return nil
	}, strand.On(sc))
	main := start(b, ctx, func(s *strand.Strand) error {
		for b.Loop() {
			if err := there.Send(s, 1); err != nil {
				return err
			}
			if _, err := back.Receive(s); err != nil {
				return err
			}
		}
		return there.Close(s)
	}, strand.On(sc))
	join(b, ctx, main)
	join(b, ctx, echo)
}

// BenchmarkGoChan is BenchmarkChan with goroutines and Go's channels.
func BenchmarkGoChan(b *testing.B) {
	there, back := make(chan int), make(chan int)
	go func() {
		for v := range there {
			back <- v
		}
	}()
	for b.Loop() {
		there <- 1
		<-back
	}
	close(there)
}
