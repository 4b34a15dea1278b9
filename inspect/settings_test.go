package inspect_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

// Settings of -1 switch their part off. Another inspector of the same system sees all that
// happens.
func TestPartsAreSwitchedOff(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	off := newInspector(t, sys, inspect.Config{
		Letters: -1, Failures: -1, SampleEvery: -1, SlowAfter: -1, ProbeEvery: -1, ScanEvery: -1, Remember: -1,
	})
	on := newInspector(t, sys, inspect.Config{SampleEvery: 1, SlowAfter: soon, ProbeEvery: soon, ScanEvery: soon})
	kinds := []inspect.EventKind{inspect.SlowHandler, inspect.BlockedHandler, inspect.MailboxHigh}
	some, none := on.Subscribe(inspect.Subscription{Kinds: kinds}), off.Subscribe(inspect.Subscription{Kinds: kinds})

	failing := spawn(t, sys, actor.Actor[bool](failer{}))
	send(t, ctx, failing, false)
	<-failing.Done()
	_ = failing.Send(ctx, true) // A dead letter.
	g := newGate()
	held := spawn(t, sys, actor.Actor[int](g), actor.WithCapacity(actor.Data, 4))
	g.hold(t, ctx, held)
	send(t, ctx, held, 1, 2, 3, 4)
	seen := map[inspect.EventKind]bool{}
	for !seen[inspect.BlockedHandler] || !seen[inspect.MailboxHigh] {
		seen[next(t, ctx, some).Kind] = true
	}
	close(g.open)
	until(t, ctx, func() bool {
		m := on.Metrics()
		return m.Delay["normal"].Count > 0 && len(on.DeadLetters()) > 0 && len(on.Failures(failing.PID())) > 0 && sampled(m) > 0
	})

	m := off.Metrics()
	if n := m.Delay["normal"].Count; n != 0 {
		t.Errorf("ProbeEvery -1: %d delays were measured", n)
	}
	if n := sampled(m); n != 0 {
		t.Errorf("SampleEvery -1: %d messages were measured", n)
	}
	if n := len(off.DeadLetters()); n != 0 {
		t.Errorf("Letters -1: %d are kept", n)
	}
	if n := len(off.Failures(failing.PID())); n != 0 {
		t.Errorf("Failures -1: %d are kept", n)
	}
	for i, remembers := range map[*inspect.Inspector]bool{off: false, on: true} {
		if g := ask[groupsOf](t, serve(t, i, inspect.WebConfig{})+"api/groups"); (len(g.Groups) > 0) != remembers {
			t.Errorf("Remember -1: there are groups is %v, want %v", !remembers, remembers)
		}
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if e, err := none.Next(over); err == nil {
		t.Errorf("SlowAfter and ScanEvery -1: there is the event %+v", e)
	}
}

// sampled returns how many messages were measured.
func sampled(m inspect.Metrics) (n uint64) {
	for _, k := range m.Kinds {
		n += k.Latency.Count
	}
	return n
}

// A negative Buffer is the default of 256 events, since Subscribe returns no error.
func TestNegativeBufferIsTheDefault(t *testing.T) {
	const failures = 200
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	sub := i.Subscribe(inspect.Subscription{Buffer: -2})
	ref := spawnKept(t, sys)
	for range failures {
		send(t, ctx, ref, false)
	}
	until(t, ctx, func() bool { return i.Metrics().Kinds[0].Restarts == failures })
	i.Close()
	n := 0
	for range sub.All(ctx) {
		n++
	}
	if n != 256 || sub.Dropped() != 2*failures-256 {
		t.Errorf("%d events are kept and %d dropped", n, sub.Dropped())
	}
}
