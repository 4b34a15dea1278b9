package actor_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
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

// A busy actor has fewer messages measured than were asked for, and those come at
// least so far apart; once it is quiet it has as many as were asked for again.
func TestSamplesOfABusyActorAreFewer(t *testing.T) {
	lane.Short(t)
	synctest.Test(t, func(t *testing.T) {
		sys := newSystem(t, actor.Config{})
		const every, gap = 4, time.Millisecond
		samples, late := 0, 0
		observe(t, sys, actor.Probe{SampleEvery: every, SampleGap: gap, Handled: func(s actor.Sample) {
			samples++
			if s.Latency < 0 {
				late++
			}
		}})
		ref := spawn(t, sys, func(*actor.Context[int], int) error { return nil })
		// Of so many, at so much between two, and how many are measured of the last
		// half: when the pace has been found.
		phase := func(n int, between time.Duration) (measured int) {
			for i := range n {
				if i == n/2 {
					measured = samples
				}
				send(t, t.Context(), ref, 0)
				pass(between)
			}
			return samples - measured
		}
		if n := phase(400, gap); n != 200/every {
			t.Errorf("%d of 200 are measured when there is time, want %d", n, 200/every)
		}
		// Of 100 in each gap one may be measured: one in 128 is.
		if n := phase(20_000, gap/100); n < 10_000/256 || n > 10_000/100+1 {
			t.Errorf("%d of 10,000 are measured of a busy actor, want one in 128 or 256", n)
		}
		if n := phase(8000, gap); n < 4000/every/4 || n > 4000/every {
			t.Errorf("%d of 4000 are measured when it is quiet again, want one in %d to %d", n, every, 4*every)
		}
		if late > 20 {
			t.Errorf("%d of %d samples have no latency", late, samples)
		}
	})
}

func TestBadSampleGap(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	if _, err := sys.Observe(&actor.Probe{SampleGap: -1}); err == nil || !strings.Contains(err.Error(), "SampleGap is -1ns") {
		t.Errorf("the error is %v", err)
	}
}
