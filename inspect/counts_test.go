package inspect_test

import (
	"math"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// The counts of handled messages outlive the actors that handled them.
func TestMetrics(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	cfg := quiet
	cfg.SampleEvery = 1
	i := newInspector(t, sys, cfg)
	for range 10 {
		ref := spawn(t, sys, actor.Actor[int](sink{}))
		for range 50 {
			send(t, ctx, ref, 1)
		}
		wantNoErr(t, ref.Drain(ctx))
		wantErr(t, ref.Send(ctx, 1), actor.ErrStopped)
	}
	g := newGate()
	held := spawn(t, sys, actor.Actor[int](g))
	g.hold(t, ctx, held)
	send(t, ctx, held, 1, 2)
	bad := spawn(t, sys, actor.Actor[bool](failer{}))
	send(t, ctx, bad, true)
	<-bad.Done()
	byKind := map[string]inspect.KindMetrics{}
	m := i.Metrics()
	for _, k := range m.Kinds {
		byKind[k.Kind] = k
	}
	k := byKind["inspect_test.sink"]
	if k.Actors != 0 || k.Handled != 500 || k.DeadLetters != 10 || k.Exits["normal"] != 10 || k.Duration.Count != 500 {
		t.Errorf("the sinks have %+v", k)
	}
	if k.Latency.Count < 10 || k.Latency.Count > 500 {
		t.Errorf("%d latencies were measured", k.Latency.Count)
	}
	if k := byKind["inspect_test.gate"]; k.Actors != 1 || k.Mailbox != 2 || k.Capacity != 1024+128+128 {
		t.Errorf("the gate has %+v", k)
	}
	if k := byKind["inspect_test.failer"]; k.Exits["failed"] != 1 {
		t.Errorf("the failer has %+v", k)
	}
	if m.Actors != 1 || m.DeadLetters != 10 {
		t.Errorf("the system has %d actors and %d dead letters", m.Actors, m.DeadLetters)
	}
	close(g.open)
}

func TestHistogram(t *testing.T) {
	var h inspect.Histogram
	for _, d := range []time.Duration{-1, 0, time.Microsecond, time.Microsecond + 1, 3 * time.Millisecond, time.Hour} {
		inspect.Add(&h, d)
	}
	s := h.Snapshot()
	if s.Count != 6 || s.Buckets[0] != 3 || s.Buckets[1] != 1 || s.Buckets[46] != 1 || s.Buckets[len(s.Buckets)-1] != 1 {
		t.Errorf("the buckets are %v", s.Buckets)
	}
	if q := s.Quantile(0.8); q != 3072*time.Microsecond {
		t.Errorf("four fifths are below %v", q)
	}
	if q := (inspect.HistogramSnapshot{}).Quantile(0.5); q != 0 {
		t.Errorf("the median of nothing is %v", q)
	}
	if b, ok := s.Bound(48); !ok || b != 0.004096 {
		t.Errorf("bucket 48 reaches to %v, %v", b, ok)
	}
}

// Each duration is in the first bucket that reaches to it, and its quantile is at most a quarter too large.
func TestHistogramBounds(t *testing.T) {
	edges := inspect.HistogramSnapshot{}
	var tried []time.Duration
	for n := range len(edges.Buckets) - 1 {
		b, ok := edges.Bound(n)
		if edge := time.Duration(math.Round(b * 1e9)); ok {
			tried = append(tried, edge-1, edge, edge+1)
		} else {
			t.Errorf("bucket %d has no bound", n)
		}
	}
	for n := range 1000 {
		tried = append(tried, time.Duration(n)*time.Second+time.Duration(n*n)*time.Nanosecond)
	}
	for _, d := range tried {
		var h inspect.Histogram
		inspect.Add(&h, d)
		q := h.Snapshot().Quantile(0.5)
		if last, _ := edges.Bound(len(edges.Buckets) - 2); d.Seconds() > last {
			if q.Seconds() != last {
				t.Errorf("%v is beyond the last bound, %v s, and counts as %v", d, last, q)
			}
			continue
		}
		if d = max(d, time.Microsecond); q < d || q > d+d/perQuantile+1 {
			t.Errorf("%v counts as %v", d, q)
		}
	}
	if b, ok := edges.Bound(len(edges.Buckets) - 1); ok {
		t.Errorf("the last bucket reaches to %v", b)
	}
}

// perQuantile is the part of a duration by which a quantile may be too large.
const perQuantile = inspect.BucketsPerDoubling
