package actor_test

import (
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

func observe(tb testing.TB, sys *actor.System, p actor.Probe) (stop func()) {
	tb.Helper()
	stop, err := sys.Observe(&p)
	wantNoErr(tb, err)
	return stop
}

func TestProbeOfLives(t *testing.T) { simulated.Too(t, testProbeOfLives) }

func testProbeOfLives(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var restarted atomic.Int64
	ends := make(chan actor.Ending, 10)
	stop := observe(t, sys, actor.Probe{
		Ended:     func(e actor.Ending) { ends <- e },
		Restarted: func(actor.Subject) { restarted.Add(1) },
	})
	_, child := restarting(t, sys, func() actor.Actor[int] {
		return actor.Func(func(*actor.Context[int], int) error { return errHook })
	}, restart)
	send(t, ctx, child, 1)
	e := receive(t, ctx, ends)
	if e.PID != child.PID() || !e.Held || !errors.Is(e.Reason, errHook) || e.Kind != kindOf(t, child) || e.Handled != 1 {
		t.Errorf("the end of an incarnation is %+v", e)
	}
	until(t, ctx, func() bool { return restarted.Load() == 1 })
	wantNoErr(t, child.Stop(ctx))
	if e = receive(t, ctx, ends); e.PID != child.PID() || e.Held || e.Reason != nil || e.Handled != 1 {
		t.Errorf("the end of the actor is %+v", e)
	}
	stop()
	stop()
	wantNoErr(t, spawn(t, sys, ignore).Stop(ctx))
	if len(ends) != 0 {
		t.Errorf("after it was removed, the probe is told of %+v", <-ends)
	}
}

func TestProbeOfDeadLetters(t *testing.T) { simulated.Too(t, testProbeOfDeadLetters) }

func testProbeOfDeadLetters(t testing.TB) {
	ctx := guarded(t)
	var log strings.Builder
	sys := newSystem(t, actor.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	letters := make(chan actor.DeadLetter, 2)
	observe(t, sys, actor.Probe{DeadLetter: func(actor.DeadLetter) { panic("oops") }})
	observe(t, sys, actor.Probe{DeadLetter: func(d actor.DeadLetter) { letters <- d }})
	ref := spawn(t, sys, ignore)
	wantNoErr(t, ref.Stop(ctx))
	wantErr(t, ref.Send(ctx, 7), actor.ErrStopped)
	if d := receive(t, ctx, letters); d.To != ref.PID() || d.Message != 7 || d.Kind != "actor_test.ignore" {
		t.Errorf("the dead letter is %+v", d)
	}
	if !strings.Contains(log.String(), "oops") {
		t.Errorf("the log has %q", log.String())
	}
}

// TestSamples has an actor that takes long, whose messages wait the longer the
// later they come, among them one that waited for room.
func TestSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := guarded(t)
		sys := newSystem(t, actor.Config{Workers: 1})
		var samples []actor.Sample
		observe(t, sys, actor.Probe{SampleEvery: 1, Handled: func(s actor.Sample) { samples = append(samples, s) }})
		ref := spawn(t, sys, func(*actor.Context[int], int) error {
			time.Sleep(time.Second) //nolint:forbidigo // In a bubble it costs nothing.
			return nil
		}, actor.WithCapacity(actor.Data, 1), actor.WithName("slow"))
		send(t, ctx, ref, 1)
		synctest.Wait() // It is being handled.
		for range 3 {
			send(t, ctx, ref, 1)
		}
		wantNoErr(t, ref.Drain(ctx))
		wantNoErr(t, sys.Stop(ctx))
		if len(samples) != 4 {
			t.Fatalf("%d samples", len(samples))
		}
		for i, s := range samples {
			if s.Duration != time.Second || s.Name != "slow" || s.Lane != actor.Data || s.Kind == "" {
				t.Errorf("sample %d is %+v", i, s)
			}
		}
		// The first does not wait. The second waits in the lane,
		// and the third is let in while the second has the stamp. The fourth waits
		// for room, and then in the lane.
		if samples[0].Latency != 0 || samples[1].Latency != time.Second || samples[2].Latency != -1 || samples[3].Latency != 2*time.Second {
			t.Errorf("latencies %v, %v, %v, %v", samples[0].Latency, samples[1].Latency, samples[2].Latency, samples[3].Latency)
		}
	})
}

// One message in four is measured, also if each is an activation of its own.
func TestSampleEvery(t *testing.T) { simulated.Too(t, testSampleEvery) }

func testSampleEvery(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var n atomic.Int64
	observe(t, sys, actor.Probe{SampleEvery: 3, Handled: func(actor.Sample) { n.Add(1) }})
	ref := spawn(t, sys, answer)
	for range 400 {
		_, err := actor.Ask(ctx, ref, asking(1))
		wantNoErr(t, err)
	}
	wantNoErr(t, ref.Stop(ctx))
	if n.Load() != 100 {
		t.Errorf("%d of 400 messages were measured, want 100", n.Load())
	}
}

func TestProbeOfYields(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 1})
	var yields atomic.Int64
	observe(t, sys, actor.Probe{Yielded: func(actor.Subject) { yields.Add(1) }})
	g := newGate()
	ref := spawnActor(t, sys, g, actor.WithThroughput(10))
	g.hold(t, ctx, ref)
	for i := range 35 {
		send(t, ctx, ref, i+1)
	}
	close(g.open)
	wantNoErr(t, ref.Drain(ctx))
	if n := yields.Load(); n < 3 || n > 4 {
		t.Errorf("%d yields for 36 messages with a throughput of 10", n)
	}
}

// A handler that is stuck is reported to a probe that came after its actor, and
// listed while it is.
func TestProbeOfBlockedHandlers(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	g := newGate()
	ref := spawnActor(t, sys, g, actor.WithName("stuck"))
	blocked, slow := make(chan actor.HandlerReport, 30), make(chan actor.HandlerReport, 30)
	stop := observe(t, sys, actor.Probe{
		SlowAfter: time.Millisecond,
		Blocked:   func(r actor.HandlerReport) { blocked <- r },
		Slow:      func(r actor.HandlerReport) { slow <- r },
	})
	g.hold(t, ctx, ref)
	r := receive(t, ctx, blocked)
	if r.PID != ref.PID() || r.Message != "int" || r.For < time.Millisecond || r.Limit != time.Millisecond {
		t.Errorf("the report is %+v", r)
	}
	all := sys.Handlers()
	if len(all) != 1 || all[0].PID != ref.PID() || all[0].For < r.For || !strings.Contains(all[0].Stack(), "gate") {
		t.Errorf("the handlers are %+v", all)
	}
	close(g.open)
	if r := receive(t, ctx, slow); r.PID != ref.PID() {
		t.Errorf("the report in the end is %+v", r)
	}
	until(t, ctx, func() bool { return len(sys.Handlers()) == 0 })
	stop()
}

func TestObserveRefusesBadProbes(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	for _, p := range []*actor.Probe{nil, {SampleEvery: -1}, {SampleEvery: 1<<30 + 1}, {SlowAfter: -1}} {
		if _, err := sys.Observe(p); err == nil {
			t.Errorf("%+v was accepted", p)
		}
	}
}

// Probes come and go under load, and messages too.
func TestProbesUnderLoad(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 4})
	var handled, measured atomic.Int64
	var refs []actor.Ref[int]
	for range 8 {
		refs = append(refs, spawn(t, sys, func(*actor.Context[int], int) error { handled.Add(1); return nil },
			actor.WithCapacity(actor.Data, 8)))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 4000 {
				send(t, ctx, refs[i%len(refs)], i)
			}
		})
	}
	all.Go(func() {
		for i := range 200 {
			stop := observe(t, sys, actor.Probe{SampleEvery: 1 << (i % 4), Handled: func(s actor.Sample) {
				if s.Latency < -1 || s.Duration < 0 {
					t.Errorf("a sample is %+v", s)
				}
				measured.Add(1)
			}})
			for range sys.Infos(actor.PID{}) {
			}
			stop()
		}
	})
	all.Wait()
	for _, ref := range refs {
		wantNoErr(t, ref.Drain(ctx))
	}
	if handled.Load() != 16000 {
		t.Errorf("%d of 16000 messages were handled", handled.Load())
	}
	if measured.Load() == 0 {
		t.Log("no message came while a probe was there")
	}
}
