package inspect_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

func TestActorThatIsStuck(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, inspect.Config{ProbeEvery: -1, ScanEvery: -1, SlowAfter: soon})
	g := newGate()
	ref := spawn(t, sys, actor.Actor[int](g), actor.WithName(`<script>"`), actor.WithCapacity(actor.Data, 8))
	g.hold(t, ctx, ref)
	defer close(g.open)
	send(t, ctx, ref, 1, 2, 3)
	send(t, ctx, ref.On(actor.Control), 4)
	var a inspect.Actor
	until(t, ctx, func() bool {
		var err error
		a, err = i.Actor(ref.PID())
		wantNoErr(t, err)
		return a.Handler != nil && a.Handler.Slow
	})
	if a.State != "running" || a.Kind != "inspect_test.gate" || a.Message != "int" || a.Mailbox != 4 ||
		a.Lanes[0] != (inspect.Lane{Name: "control", Length: 1, Capacity: 128}) || a.Lanes[2] != (inspect.Lane{Name: "data", Length: 3, Capacity: 8}) {
		t.Errorf("the actor is %+v", a)
	}
	if a.Handler.Message != "int" || !strings.Contains(a.Handler.Stack, "gate).Receive") {
		t.Errorf("its handler is %+v", a.Handler)
	}
	p, err := i.Actors(inspect.Query{Sort: inspect.BySlow})
	wantNoErr(t, err)
	if p.Actors[0].Handler == nil {
		t.Errorf("the slowest is %+v", p.Actors[0])
	}
	text, err := json.Marshal(a)
	wantNoErr(t, err)
	if strings.Contains(string(text), "<script>") || !strings.Contains(string(text), `"pid":"0.1"`) {
		t.Errorf("as JSON it is %s", text)
	}
	var back inspect.Actor
	wantNoErr(t, json.Unmarshal(text, &back))
	if back.Name != `<script>"` || back.PID != ref.PID() {
		t.Errorf("back from JSON it is %+v", back)
	}
}

// An actor with timeouts of its own is seen as slow, too: by the inspector's limit, or by its
// own.
func TestSlowActorWithTimeouts(t *testing.T) {
	for name, tc := range map[string]struct {
		after  time.Duration // The inspector's.
		option actor.Option
		limit  time.Duration
	}{
		"handler timeout":  {soon, actor.WithHandlerTimeout(time.Hour, actor.TimeoutWarn), soon},
		"ask timeout":      {soon, actor.WithAskTimeout(time.Hour, actor.TimeoutCancel), soon},
		"slow by its own":  {time.Hour, actor.WithSlowAfter(soon), soon},
		"later by its own": {soon, actor.WithSlowAfter(2 * soon), 2 * soon},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			i := newInspector(t, sys, inspect.Config{ProbeEvery: -1, ScanEvery: -1, SlowAfter: tc.after})
			g := newGate()
			ref := spawn(t, sys, actor.Actor[int](g), tc.option)
			g.hold(t, ctx, ref)
			defer close(g.open)
			until(t, ctx, func() bool {
				a, err := i.Actor(ref.PID())
				wantNoErr(t, err)
				return a.Handler != nil && a.Handler.Slow && a.Handler.Seconds >= tc.limit.Seconds()
			})
		})
	}
}

func TestFailuresOfAnActor(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, inspect.Config{ProbeEvery: -1, ScanEvery: -1, SlowAfter: -1, Failures: 2})
	var ids []actor.PID
	for range 3 {
		ref := spawn(t, sys, actor.Actor[bool](failer{}))
		send(t, ctx, ref, true)
		<-ref.Done()
		ids = append(ids, ref.PID())
	}
	_, err := i.Actor(ids[2])
	wantErr(t, err, actor.ErrStalePID)
	f := i.Failures(ids[2])
	if len(f) != 1 || f[0].Exit != "failed" || !strings.Contains(f[0].Error, "as <b>wanted</b>") || !strings.Contains(f[0].Stack, "failer") {
		t.Errorf("its failures are %+v", f)
	}
	if i.Failures(ids[0]) != nil || i.Failures(ids[1]) == nil {
		t.Error("not the last two are kept")
	}
}

// A failure is kept four times at most, the last ones.
func TestFailuresOfIncarnations(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	i := newInspector(t, sys, quiet)
	s := i.Subscribe(inspect.Subscription{Kinds: []inspect.EventKind{inspect.Restarted}})
	ref := spawnKept(t, sys)
	for range 6 {
		send(t, ctx, ref, false)
		if e := next(t, ctx, s); e.PID != ref.PID() || e.ActorKind != "inspect_test.failer" {
			t.Errorf("the event is %+v", e)
		}
	}
	a, err := i.Actor(ref.PID())
	wantNoErr(t, err)
	if len(a.Failures) != 4 || a.Restarts != 6 || a.Handled != 6 {
		t.Errorf("the actor is %+v", a)
	}
}

// keeper restarts its child.
type keeper struct{ child chan actor.Ref[bool] }

func (k keeper) Started(ctx *actor.Context[int]) error {
	ref, err := actor.SpawnNew(ctx, func() actor.Actor[bool] { return failer{} })
	k.child <- ref
	return err
}

func (keeper) Receive(*actor.Context[int], int) error { return nil }

func (keeper) ChildExited(ctx *actor.Context[int], e actor.Exit) error {
	if e.Held {
		return ctx.Restart(e.PID)
	}
	return nil
}

// spawnKept returns an actor that is restarted whenever it fails.
func spawnKept(tb testing.TB, sys *actor.System) actor.Ref[bool] {
	tb.Helper()
	k := keeper{make(chan actor.Ref[bool], 1)}
	spawn(tb, sys, actor.Actor[int](k))
	return <-k.child
}
