package sched_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/sched"
)

var errBranch = errors.New("told to fail")

// inJob runs fn as a job, and returns its error.
func inJob(tb testing.TB, cfg sched.Config, fn func(ctx context.Context) error) error {
	tb.Helper()
	ctx := guarded(tb)
	return start(tb, ctx, newScheduler(tb, cfg), fn).Wait(ctx)
}

func TestDo(t *testing.T) {
	for n := range 9 {
		var ran [9]atomic.Int32
		err := inJob(t, sched.Config{Workers: 2}, func(ctx context.Context) error {
			fns := make([]func(context.Context) error, n)
			for i := range fns {
				fns[i] = func(context.Context) error { ran[i].Add(1); return nil }
			}
			return sched.Do(ctx, fns...)
		})
		if err != nil {
			t.Error(err)
		}
		for i := range ran {
			if want := int32(min(1, max(0, n-i))); ran[i].Load() != want {
				t.Errorf("function %d of %d ran %d times", i, n, ran[i].Load())
			}
		}
	}
}

// Functions really run at the same time: each of three waits for the others.
func TestDoAtTheSameTime(t *testing.T) {
	var begun atomic.Int32
	all := make(chan struct{})
	meet := func(context.Context) error {
		if begun.Add(1) == 3 {
			close(all)
		}
		<-all
		return nil
	}
	err := inJob(t, sched.Config{Workers: 3}, func(ctx context.Context) error { return sched.Do(ctx, meet, meet, meet) })
	if err != nil {
		t.Error(err)
	}
}

// All functions run although some fail, and their errors come in order.
func TestDoErrors(t *testing.T) {
	var ran atomic.Int32
	err := inJob(t, sched.Config{Workers: 2}, func(ctx context.Context) error {
		fns := make([]func(context.Context) error, 5)
		for i := range fns {
			fns[i] = func(context.Context) error {
				ran.Add(1)
				if i%2 == 1 {
					return fmt.Errorf("function %d: %w", i, errBranch)
				}
				return nil
			}
		}
		return sched.Do(ctx, fns...)
	})
	if want := "function 1: told to fail\nfunction 3: told to fail"; err == nil || err.Error() != want || !errors.Is(err, errBranch) {
		t.Errorf("the error is %q, not %q", err, want)
	}
	if ran.Load() != 5 {
		t.Errorf("%d of 5 functions ran", ran.Load())
	}
}

func TestDoOutside(t *testing.T) {
	order := ""
	note := func(name string) func(context.Context) error {
		return func(context.Context) error { order += name; return nil }
	}
	if err := sched.Do(context.Background(), note("a"), note("b"), note("c")); err != nil || order != "abc" {
		t.Errorf("error %v, order %q", err, order)
	}
}

func TestForkBadInput(t *testing.T) {
	ctx := context.Background()
	body := func(context.Context, int, int) error { return errors.New("it was called") }
	for _, tc := range []struct {
		err  error
		want []string
	}{
		{sched.Do(ctx, func(context.Context) error { return errors.New("it was called") }, nil), []string{"nil function", "2 of 2"}},
		{sched.For(ctx, -3, 0, body), []string{"-3 numbers", "0 or more"}},
		{sched.For(ctx, 3, -1, body), []string{"grain of -1", "positive"}},
		{sched.For(ctx, 3, 0, nil), []string{"nil body"}},
	} {
		for _, want := range tc.want {
			if tc.err == nil || !strings.Contains(tc.err.Error(), want) {
				t.Errorf("the error is %v, without %q", tc.err, want)
			}
		}
	}
}

// Whatever the numbers, each is handled once, in ranges of the promised length.
func TestForProperty(t *testing.T) {
	s := newScheduler(t, sched.Config{Workers: 3})
	rapid.Check(t, func(rt *rapid.T) {
		ctx := guarded(rt)
		n := rapid.IntRange(0, 5000).Draw(rt, "n")
		grain := rapid.IntRange(0, 300).Draw(rt, "grain")
		counts := make([]atomic.Int32, n)
		err := start(t, ctx, s, func(ctx context.Context) error {
			return sched.For(ctx, n, grain, func(_ context.Context, from, to int) error {
				if grain > 0 && (to-from > grain || n > grain && 2*(to-from) < grain) {
					return fmt.Errorf("a range of %d", to-from)
				}
				for i := from; i < to; i++ {
					counts[i].Add(1)
				}
				return nil
			})
		}).Wait(ctx)
		if err != nil {
			rt.Fatal(err)
		}
		for i := range counts {
			if got := counts[i].Load(); got != 1 {
				rt.Fatalf("number %d was handled %d times", i, got)
			}
		}
	})
}

// The ranges that For chooses are enough for each worker to have several.
func TestForGrain(t *testing.T) {
	const workers = 3
	var ranges atomic.Int32
	err := inJob(t, sched.Config{Workers: workers}, func(ctx context.Context) error {
		return sched.For(ctx, 1000, 0, func(context.Context, int, int) error { ranges.Add(1); return nil })
	})
	if err != nil {
		t.Error(err)
	}
	if got := ranges.Load(); got < 16*workers || got > 4*16*workers {
		t.Errorf("%d ranges for %d workers", got, workers)
	}
}

func TestForFails(t *testing.T) {
	var calls atomic.Int32
	err := inJob(t, sched.Config{Workers: 1}, func(ctx context.Context) error {
		return sched.For(ctx, 1000, 1, func(_ context.Context, from, _ int) error {
			calls.Add(1)
			if from == 10 {
				return errBranch
			}
			return nil
		})
	})
	if !errors.Is(err, errBranch) {
		t.Errorf("the error is %v", err)
	}
	// One worker goes from 0 upwards.
	if calls.Load() != 11 {
		t.Errorf("%d calls, not 11", calls.Load())
	}
}

// The error of the lowest range counts, whenever it comes.
func TestForLowestError(t *testing.T) {
	low, high := make(chan struct{}), make(chan struct{})
	err := inJob(t, sched.Config{Workers: 2}, func(ctx context.Context) error {
		return sched.For(ctx, 2, 1, func(_ context.Context, from, _ int) error {
			if from == 1 {
				<-low // It would not begin any more after the error.
				defer close(high)
				return errors.New("the higher one")
			}
			close(low)
			<-high
			return errBranch
		})
	})
	if !errors.Is(err, errBranch) {
		t.Errorf("the error is %v", err)
	}
}

func TestForEndsWithContext(t *testing.T) {
	cause := errors.New("enough")
	var calls atomic.Int32
	err := inJob(t, sched.Config{Workers: 1}, func(ctx context.Context) error {
		ctx, cancel := context.WithCancelCause(ctx)
		return sched.For(ctx, 1000, 1, func(_ context.Context, from, _ int) error {
			calls.Add(1)
			if from == 10 {
				cancel(cause)
			}
			return nil
		})
	})
	if !errors.Is(err, cause) || calls.Load() != 11 {
		t.Errorf("error %v after %d calls", err, calls.Load())
	}
}

// A context that ends after the last call has begun is no failure.
func TestForDoneInTime(t *testing.T) {
	err := inJob(t, sched.Config{Workers: 1}, func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		return sched.For(ctx, 10, 1, func(_ context.Context, from, _ int) error {
			if from == 9 {
				cancel()
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}

// BenchmarkForkFib is fib(27) without a cut-off, 317,810 forks.
func BenchmarkForkFib(b *testing.B) {
	b.ReportAllocs()
	ctx := context.Background()
	s := newScheduler(b, sched.Config{})
	for range b.N {
		j := start(b, ctx, s, func(ctx context.Context) error {
			if got := fib(ctx, 27); got != 196_418 {
				return fmt.Errorf("fib(27) = %d", got)
			}
			return nil
		})
		if err := j.Wait(ctx); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/317_810, "ns/fork")
}

// BenchmarkFor is a loop of 10,000 calls with a body that does next to nothing.
func BenchmarkFor(b *testing.B) {
	b.ReportAllocs()
	ctx := context.Background()
	s := newScheduler(b, sched.Config{})
	numbers := make([]int, 10_000)
	j := start(b, ctx, s, func(ctx context.Context) error {
		for range b.N {
			if err := sched.For(ctx, len(numbers), 1, func(_ context.Context, from, _ int) error {
				numbers[from]++
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err := j.Wait(ctx); err != nil {
		b.Fatal(err)
	}
}
