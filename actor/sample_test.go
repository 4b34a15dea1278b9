package actor_test

import (
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
)

// Of messages that come one by one, exactly one in so many is measured, with its
// latency, also after another probe has come that wants more of them.
func TestSamplesAreRegular(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var samples, unstamped atomic.Int64
	handled := func(s actor.Sample) {
		samples.Add(1)
		if s.Latency < 0 {
			unstamped.Add(1)
		}
	}
	seldom := observe(t, sys, actor.Probe{SampleEvery: 1 << 20, Handled: handled})
	done := make(chan struct{})
	ref := spawn(t, sys, func(*actor.Context[int], int) error { done <- struct{}{}; return nil })
	one := func(n int) {
		for range n {
			send(t, ctx, ref, 0)
			receive(t, ctx, done)
		}
	}
	one(10)
	before := samples.Load()
	if before > 1 {
		t.Errorf("%d of 10 are measured, want 1 at most", before)
	}
	observe(t, sys, actor.Probe{SampleEvery: 4, Handled: func(s actor.Sample) {}})
	one(40)
	wantNoErr(t, ref.Drain(ctx))
	seldom()
	// The first one shows the lane that it is to stamp others.
	if n := samples.Load() - before; n != 10 || unstamped.Load() > 2 {
		t.Errorf("%d of 40 are measured, %d without latency, want 10 and 2 at most", n, unstamped.Load())
	}
}
