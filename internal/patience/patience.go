// Package patience keeps tests from hanging. It measures nothing: its limit is
// long enough for the slowest machine, and only a test that hangs reaches it.
package patience

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"
)

// A test of half a second has been seen to take 30 s beside other work.
const usual = 2 * time.Minute

// pause is the longest time without an event for which a simulation is waited for.
const pause = 30 * time.Second

// limit is usual, or what the environment says: tests that are expected to hang, for a
// fault is planted, need not wait for so long.
var limit = func() time.Duration {
	if d, err := time.ParseDuration(os.Getenv(Variable)); err == nil && d > 0 {
		return d
	}
	return usual
}()

// Variable is the environment variable with how long tests wait, as a duration of Go.
const Variable = "TROUPE_PATIENCE"

// test is what testing and property tests have in common.
type test interface {
	Helper()
	Cleanup(func())
}

// Context returns a context that ends a test that hangs.
func Context(tb test) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	tb.Cleanup(cancel)
	return ctx
}

// Ended returns a context that has ended.
func Ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// StopAtEnd stops s at the end of the test.
func StopAtEnd(tb testing.TB, s interface{ Stop(context.Context) error }) {
	tb.Helper()
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			tb.Error(err)
		}
	})
}

// simulation is a test under simtest.
type simulation interface {
	RunUntilIdle()
	AdvanceToNext(limit time.Duration) bool
}

// Until waits for a condition that nothing announces.
func Until(tb testing.TB, ctx context.Context, ok func() bool) {
	tb.Helper()
	if s, is := tb.(simulation); is {
		s.RunUntilIdle()
		for !ok() {
			if !s.AdvanceToNext(pause) {
				tb.Fatal("it never came to it")
			}
		}
		return
	}
	for !ok() {
		if ctx.Err() != nil {
			tb.Fatal("it never came to it")
		}
		runtime.Gosched()
	}
}
