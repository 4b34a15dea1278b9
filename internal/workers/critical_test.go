package workers_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
)

// TestPreemptionNestsThreeDeep has each critical job submit the next and pass a
// checkpoint, on the only worker. The fourth has to wait for the third.
func TestPreemptionNestsThreeDeep(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1})
	var order []string
	var jobs []*workers.Job
	var nest func(level int) func(context.Context) error
	nest = func(level int) func(context.Context) error {
		return func(ctx context.Context) error {
			order = append(order, fmt.Sprint("begin ", level))
			if level < 4 {
				j, err := s.Go(ctx, nest(level+1), workers.WithPriority(workers.Critical))
				if err != nil {
					return err
				}
				jobs = append(jobs, j)
			}
			workers.Checkpoint(ctx)
			order = append(order, fmt.Sprint("end ", level))
			return nil
		}
	}
	finish(t, ctx, start(t, ctx, s, nest(0)))
	finish(t, ctx, jobs...)
	want := []string{
		"begin 0", "begin 1", "begin 2", "begin 3", "end 3", "begin 4", "end 4", "end 2", "end 1", "end 0",
	}
	if !slices.Equal(order, want) {
		t.Errorf("order is %v, want %v", order, want)
	}
}

// TestPreemptedJobGoesOnElsewhere lets a job give way to a critical one that
// blocks until the job has gone on: another worker has to continue it.
func TestPreemptedJobGoesOnElsewhere(t *testing.T) {
	ctx := guarded(t)
	s := newScheduler(t, workers.Config{Workers: 2, MaxSpares: -1})
	release := occupy(t, ctx, s)
	gate := make(chan struct{})
	begun := make(chan struct{})
	preempted := start(t, ctx, s, func(ctx context.Context) error {
		if _, err := s.Go(ctx, func(context.Context) error {
			close(begun)
			<-gate
			return nil
		}, workers.WithPriority(workers.Critical)); err != nil {
			return err
		}
		workers.Checkpoint(ctx)
		close(gate)
		return nil
	})
	receive(t, ctx, "the critical job", begun)
	release()
	finish(t, ctx, preempted)
}

// BenchmarkCriticalStart measures the time from the submission of a critical
// job to its start, while every worker is on other work.
func BenchmarkCriticalStart(b *testing.B) {
	b.Run("checkpointing", func(b *testing.B) {
		var over atomic.Bool
		defer over.Store(true)
		benchmarkCriticalStart(b, func(ctx context.Context) error {
			f := workers.Current(ctx)
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
	s := newScheduler(b, workers.Config{})
	for range s.Workers() {
		start(b, ctx, s, work)
	}
	var latencies []time.Duration
	for b.Loop() {
		time.Sleep(2 * time.Millisecond) //nolint:forbidigo // A measurement, which is to meet the others at any moment.
		begun := make(chan time.Time, 1)
		submitted := time.Now()
		start(b, ctx, s, func(context.Context) error { begun <- time.Now(); return nil }, workers.WithPriority(workers.Critical))
		latencies = append(latencies, (<-begun).Sub(submitted))
	}
	reportLatencies(b, latencies)
}

// TestPreemptionDepthIsConfigured has four critical jobs come one within the other, on a
// worker where fewer may, or none.
func TestPreemptionDepthIsConfigured(t *testing.T) {
	for depth, want := range map[int]string{
		-1: "(0)(1)(2)(3)", 1: "(0(1)(2)(3))", 2: "(0(1(2)(3)))", 5: "(0(1(2(3))))",
	} {
		ctx := guarded(t)
		s := newScheduler(t, workers.Config{Workers: 1, MaxSpares: -1, PreemptionDepth: depth})
		order, jobs := "", make(chan *workers.Job, 3)
		var nest func(level int) func(context.Context) error
		nest = func(level int) func(context.Context) error {
			return func(ctx context.Context) error {
				order += fmt.Sprint("(", level)
				if level < 3 {
					j, err := s.Go(ctx, nest(level+1), workers.WithPriority(workers.Critical))
					if err != nil {
						return err
					}
					jobs <- j
				}
				workers.Checkpoint(ctx)
				order += ")"
				return nil
			}
		}
		finish(t, ctx, start(t, ctx, s, nest(0)))
		for range cap(jobs) {
			finish(t, ctx, <-jobs)
		}
		if err := s.Stop(ctx); err != nil || order != want {
			t.Errorf("with depth %d the order is %s, want %s: %v", depth, order, want, err)
		}
	}
}

// BenchmarkCriticalWait measures how late a critical job is that waits for a job of low
// priority, which takes 20 ms, on one worker with 2,000 chains of usual work, 200 us a link: the
// time from its wait on, without those 20 ms.
func BenchmarkCriticalWait(b *testing.B) {
	const chains, link, work = 2000, 200 * time.Microsecond, 20 * time.Millisecond
	ctx := context.Background()
	s := newScheduler(b, workers.Config{Workers: 1})
	var over atomic.Bool
	defer over.Store(true)
	busy := func(ctx context.Context, d time.Duration) {
		for begin := time.Now(); time.Since(begin) < d; {
			workers.Checkpoint(ctx)
		}
	}
	var chain func(ctx context.Context) error
	chain = func(inner context.Context) error {
		busy(inner, link)
		if over.Load() {
			return nil
		}
		_, err := s.Go(ctx, chain)
		return err
	}
	for range chains {
		start(b, ctx, s, chain)
	}
	var late []time.Duration
	for b.Loop() {
		finish(b, ctx, start(b, ctx, s, func(ctx context.Context) error {
			var took time.Duration
			j, err := s.Go(ctx, func(ctx context.Context) error {
				begin := time.Now()
				busy(ctx, work)
				took = time.Since(begin)
				return nil
			}, workers.WithPriority(workers.Low))
			if err != nil {
				return err
			}
			begin := time.Now()
			err = j.Wait(ctx)
			late = append(late, time.Since(begin)-took)
			return err
		}, workers.WithPriority(workers.Critical)))
	}
	reportLatencies(b, late)
}

func reportLatencies(b *testing.B, latencies []time.Duration) {
	slices.Sort(latencies)
	quantile := func(q float64) float64 {
		return float64(latencies[int(q*float64(len(latencies)-1))].Nanoseconds()) / 1e3
	}
	b.ReportMetric(quantile(0.5), "p50-us")
	b.ReportMetric(quantile(0.99), "p99-us")
	b.ReportMetric(quantile(1), "max-us")
}
