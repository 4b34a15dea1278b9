package sched_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/sched"
)

// BenchmarkCriticalStart measures the time from the submission of a critical
// job to its start, while every worker is on other work.
func BenchmarkCriticalStart(b *testing.B) {
	b.Run("checkpointing", func(b *testing.B) {
		var over atomic.Bool
		defer over.Store(true)
		benchmarkCriticalStart(b, func(ctx context.Context) error {
			f := sched.Current(ctx)
			for !over.Load() {
				for begin := time.Now(); time.Since(begin) < 10*time.Microsecond; {
				}
				f.Checkpoint()
			}
			return nil
		})
	})
	b.Run("endless loops", func(b *testing.B) {
		var over atomic.Bool
		defer over.Store(true)
		benchmarkCriticalStart(b, func(context.Context) error {
			for !over.Load() { // No call, so no point at which the runtime could ask.
			}
			return nil
		})
	})
}

func benchmarkCriticalStart(b *testing.B, work func(context.Context) error) {
	ctx := context.Background()
	s := newScheduler(b, sched.Config{})
	for range s.Workers() {
		start(b, ctx, s, work)
	}
	var latencies []time.Duration
	for b.Loop() {
		time.Sleep(2 * time.Millisecond) //nolint:forbidigo // A measurement, which is to meet the others at any moment.
		begun := make(chan time.Time, 1)
		submitted := time.Now()
		start(b, ctx, s, func(context.Context) error { begun <- time.Now(); return nil }, sched.WithPriority(sched.Critical))
		latencies = append(latencies, (<-begun).Sub(submitted))
	}
	slices.Sort(latencies)
	quantile := func(q float64) float64 {
		return float64(latencies[int(q*float64(len(latencies)-1))].Nanoseconds()) / 1e3
	}
	b.ReportMetric(quantile(0.5), "p50-us")
	b.ReportMetric(quantile(0.99), "p99-us")
	b.ReportMetric(quantile(1), "max-us")
}
