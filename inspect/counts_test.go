package inspect_test

import (
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
	if s.Count != 6 || s.Buckets[0] != 3 || s.Buckets[1] != 1 || s.Buckets[12] != 1 || s.Buckets[31] != 1 {
		t.Errorf("the buckets are %v", s.Buckets)
	}
	if q := s.Quantile(0.8); q != 4096*time.Microsecond {
		t.Errorf("four fifths are below %v", q)
	}
	if q := (inspect.HistogramSnapshot{}).Quantile(0.5); q != 0 {
		t.Errorf("the median of nothing is %v", q)
	}
	if b, ok := s.Bound(12); !ok || b != 0.004096 {
		t.Errorf("bucket 12 reaches to %v, %v", b, ok)
	}
}
