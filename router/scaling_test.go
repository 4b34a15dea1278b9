package router_test

import (
	"math"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

// TestDecide checks the decision for samples at the thresholds and on both sides.
func TestDecide(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	cfg := router.ElasticConfig[task]{
		New: doing(func(*actor.Context[task], task) error { return nil }),
		Min: 2, Max: 9, UpBacklog: 10, DownBacklog: 2, UpLatency: s, DownLatency: 100 * ms, StepUp: 3, StepDown: 2, Cooldown: s,
	}
	for _, c := range []struct {
		members int
		backlog float64
		latency time.Duration
		ago     time.Duration // The last change.
		want    int
		why     router.ScaleReason
	}{
		{4, 5, 500 * ms, time.Hour, 4, router.Unchanged},
		{4, 10, s, time.Hour, 4, router.Unchanged}, // Exactly as much as may be.
		{4, 10.01, 0, time.Hour, 7, router.BacklogHigh},
		{4, 0, s + 1, time.Hour, 7, router.LatencyHigh},
		{4, 11, 2 * s, time.Hour, 7, router.BacklogHigh}, // The first reason counts.
		{8, 11, 0, time.Hour, 9, router.BacklogHigh},     // Not above the maximum.
		{9, 11, 2 * s, time.Hour, 9, router.Unchanged},
		{4, 11, 0, s - 1, 4, router.Unchanged}, // Within the cool-down.
		{4, 11, 0, s, 7, router.BacklogHigh},
		{6, 1.99, 99 * ms, time.Hour, 4, router.LoadLow},
		{6, 2, 0, time.Hour, 6, router.Unchanged},
		{6, 0, 100 * ms, time.Hour, 6, router.Unchanged},
		{6, 0, 0, s - 1, 6, router.Unchanged},
		{3, 0, 0, time.Hour, 2, router.LoadLow}, // Not below the minimum.
		{2, 0, 0, time.Hour, 2, router.Unchanged},
		{1, 0, 0, 0, 2, router.BelowMin}, // Whenever that was.
		{0, 99, 0, 0, 2, router.BelowMin},
	} {
		now := time.Now()
		sample := router.Sample{At: now, Members: c.members, Backlog: c.backlog, Latency: c.latency}
		to, why, err := router.Decide(cfg, sample, now.Add(-c.ago))
		wantNoErr(t, err)
		if to != c.want || why != c.why {
			t.Errorf("%+v: %d members, %v", c, to, why)
		}
	}
	for _, none := range []time.Duration{0, -1} { // Then the latency does not count.
		cfg.UpLatency, cfg.DownLatency = none, 0
		if to, why, err := router.Decide(cfg, router.Sample{Members: 4, Latency: time.Hour}, time.Time{}); to != 2 || err != nil {
			t.Errorf("without latencies: %d members, %v, %v", to, why, err)
		}
	}
	cfg.DownBacklog = -1
	if to, why, err := router.Decide(cfg, router.Sample{Members: 4}, time.Time{}); to != 4 || err != nil {
		t.Errorf("of a pool that never shrinks: %d members, %v, %v", to, why, err)
	}
}

// An estimate that is longer than a Duration can say is the longest one, and no
// negative one, by which the pool would shrink.
func TestLatencyDoesNotOverflow(t *testing.T) {
	if d := router.Latency(20, 10, time.Second); d != 2*time.Second {
		t.Errorf("20 messages, of which 10 are handled in a second, take %v", d)
	}
	if d := router.Latency(1<<30, 1, 24*time.Hour); d != math.MaxInt64 {
		t.Errorf("2^30 messages at one a day take %v", d)
	}
}
