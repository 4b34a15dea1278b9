package actor_test

import (
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

func TestStalePIDs(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	old := spawn(t, sys, answer)
	wantNoErr(t, old.Stop(ctx))
	fresh := spawn(t, sys, answer)
	if !actor.SameSlot(old.PID(), fresh.PID()) {
		t.Fatalf("%v does not use the slot of %v again, so this tests nothing", fresh, old)
	}
	if old.PID() == fresh.PID() {
		t.Fatalf("%v has the PID of an actor that has stopped", fresh)
	}
	_, err := actor.Resolve[question](sys, old.PID())
	wantErr(t, err, actor.ErrStalePID)
	wantErr(t, old.Send(ctx, question{}), actor.ErrStopped)
	got, err := actor.Resolve[question](sys, fresh.PID())
	wantNoErr(t, err)
	if got != fresh {
		t.Errorf("resolved %v, want %v", got, fresh)
	}
	for _, gen := range []uint32{0, 1, 3, math.MaxUint32} {
		_, err := actor.Resolve[question](sys, actor.WithGeneration(fresh.PID(), gen))
		wantErr(t, err, actor.ErrStalePID)
	}
	_, err = actor.Resolve[question](sys, actor.PID{})
	wantErr(t, err, actor.ErrStalePID)
}

// A PID of one system is stale in another one that runs at the same time, also where both
// have an actor in that slot.
func TestPIDsOfTwoSystems(t *testing.T) { simulated.Too(t, testPIDsOfTwoSystems) }

func testPIDsOfTwoSystems(t testing.TB) {
	const systems = 5
	ctx := guarded(t)
	seen := map[actor.PID]bool{}
	var refs [systems]actor.Ref[question]
	var all [systems]*actor.System
	for i := range all {
		all[i] = newSystem(t, actor.Config{})
		refs[i] = spawn(t, all[i], answer)
		if seen[refs[i].PID()] = true; !actor.SameSlot(refs[i].PID(), refs[0].PID()) {
			t.Fatalf("the actors %v and %v are in different slots, so this tests nothing", refs[i], refs[0])
		}
	}
	if len(seen) != systems {
		t.Errorf("%d systems have %d PIDs", systems, len(seen))
	}
	foreign := refs[1].PID()
	_, err := actor.Resolve[question](all[0], foreign)
	wantErr(t, err, actor.ErrStalePID)
	wantErr(t, all[0].Kill(foreign), actor.ErrStalePID)
	wantErr(t, all[0].Register("foreign", foreign), actor.ErrStalePID)
	down, _ := all[0].Monitor(foreign)
	if e := receive(t, ctx, down); e.PID != foreign || !errors.Is(e.Reason, actor.ErrStalePID) {
		t.Errorf("the monitor of a foreign PID says %+v", e)
	}
	if parsed, err := actor.ParsePID(foreign.String()); parsed != foreign || err != nil {
		t.Errorf("%v was read back as %v, %v", foreign, parsed, err)
	}
	wantNoErr(t, all[1].Stop(ctx))
	if again := spawn(t, newSystem(t, actor.Config{}), answer).PID(); seen[again] && again != foreign {
		t.Errorf("a new system uses the PID %v of one that runs", again)
	}
}

// The error of a wrong type names both, also where the wrong one is an interface.
func TestWrongTypeIsNamed(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, func(*actor.Context[int], int) error { return nil }, actor.WithRegistration("count"))
	_, resolved := actor.Resolve[error](sys, ref.PID())
	_, found := actor.Lookup[error](sys, "count")
	for _, err := range []error{resolved, found} {
		if err == nil || !strings.Contains(err.Error(), "messages of type int, and not error;") {
			t.Errorf("got the error %v", err)
		}
	}
}

func TestResolveOfAnotherType(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	ref := spawn(t, sys, answer)
	if got, err := actor.Resolve[int](sys, ref.PID()); err == nil || got != (actor.Ref[int]{}) {
		t.Errorf("resolved %v, %v for another type of message", got, err)
	}
}

// PIDs stay unique while slots come and go, across several chunks of the table.
func TestPIDsAreUnique(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var mu sync.Mutex
	seen := map[actor.PID]bool{}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			var mine []actor.Ref[question]
			for i := range 2000 {
				ref := spawn(t, sys, answer)
				mu.Lock()
				if seen[ref.PID()] {
					t.Errorf("%v was there before", ref)
				}
				seen[ref.PID()] = true
				mu.Unlock()
				if mine = append(mine, ref); i%3 == 0 {
					if err := mine[0].Stop(ctx); err != nil {
						t.Error(err)
					}
					mine = mine[1:]
				}
			}
			for _, ref := range mine {
				if got, err := actor.Resolve[question](sys, ref.PID()); got != ref || err != nil {
					t.Errorf("resolved %v, %v, want %v", got, err, ref)
				}
			}
		})
	}
	all.Wait()
	if n, want := sys.Stats().Actors, 4*(2000-667); n != want {
		t.Errorf("%d actors are there, want %d", n, want)
	}
}

func TestZeroRef(t *testing.T) {
	ctx := guarded(t)
	var ref actor.Ref[int]
	for name, err := range map[string]error{
		"Send": ref.Send(ctx, 1), "TrySend": ref.TrySend(ctx, 1), "On": ref.On(actor.Control).Send(ctx, 1),
		"Stop": ref.Stop(ctx), "Drain": ref.Drain(ctx),
	} {
		t.Run(name, func(t *testing.T) { wantErr(t, err, actor.ErrNoRef) })
	}
	if ref.PID() != (actor.PID{}) || ref.String() != "<no actor>" {
		t.Errorf("the zero Ref is %v with PID %v", ref, ref.PID())
	}
}

func TestPIDAsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := actor.PIDFromNumber(rapid.Uint64().Draw(t, "number"))
		text, err := id.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back actor.PID
		if err := back.UnmarshalText(text); err != nil || back != id {
			t.Fatalf("%v became %q, and that %v, %v", id, text, back, err)
		}
		if again, err := actor.ParsePID(id.String()); err != nil || again != id {
			t.Fatalf("%v became %v, %v", id, again, err)
		}
		if actor.PIDFromNumber(id.Number()) != id {
			t.Fatalf("%v is number %d", id, id.Number())
		}
	})
	for _, text := range []string{"", "1", "<1>", "1.2.3", "-1.2", "4294967296.1", "a.b", "<script>"} {
		if id, err := actor.ParsePID(text); err == nil {
			t.Errorf("%q is %v", text, id)
		}
	}
}

// A PID of a larger system is nobody's in a smaller one.
func TestPIDBeyondTheTable(t *testing.T) {
	other := spawn(t, newSystem(t, actor.Config{}), answer)
	sys := newSystem(t, actor.Config{})
	wantErr(t, sys.Register("name", other.PID()), actor.ErrStalePID)
}
