package actor_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
)

func TestRegistry(t *testing.T) { simulated.Too(t, testRegistry) }

func testRegistry(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	a, b := spawn(t, sys, answer, actor.WithName("a")), spawn(t, sys, answer)
	_, err := actor.Lookup[question](sys, "oracle")
	wantErr(t, err, actor.ErrNoName)
	wantNoErr(t, sys.Register("oracle", a.PID()))
	wantNoErr(t, sys.Register("oracle", a.PID()))
	wantNoErr(t, sys.Register("pythia", a.PID()))
	for _, name := range []string{"oracle", "pythia"} {
		got, err := actor.Lookup[question](sys, name)
		if got != a || err != nil {
			t.Errorf("%q is %v, %v", name, got, err)
		}
	}
	err = sys.Register("oracle", b.PID())
	wantErr(t, err, actor.ErrNameTaken)
	if !strings.Contains(err.Error(), a.String()) {
		t.Errorf("%q does not say who has the name", err)
	}
	if _, err := actor.Lookup[int](sys, "oracle"); err == nil || errors.Is(err, actor.ErrNoName) {
		t.Errorf("a lookup of the wrong type returned %v", err)
	}
	wantNoErr(t, sys.Unregister("pythia"))
	wantErr(t, sys.Unregister("pythia"), actor.ErrNoName)
	wantNoErr(t, sys.Register("pythia", b.PID()))
	wantNoErr(t, a.Stop(ctx))
	_, err = sys.WhereIs("oracle")
	wantErr(t, err, actor.ErrNoName)
	wantErr(t, sys.Register("oracle", a.PID()), actor.ErrStalePID)
	if id, err := sys.WhereIs("pythia"); id != b.PID() || err != nil {
		t.Errorf("the name given away is %v, %v", id, err)
	}
	for _, bad := range []string{"", "a\nb", strings.Repeat("x", 256)} {
		if err := sys.Register(bad, b.PID()); err == nil {
			t.Errorf("the name %q was registered", bad)
		}
	}
}

func TestRegistrationAtTheSpawn(t *testing.T) { simulated.Too(t, testRegistrationAtTheSpawn) }

func testRegistrationAtTheSpawn(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	for range 100 {
		var all sync.WaitGroup
		refs := make(chan actor.Ref[question], 4)
		for range cap(refs) {
			all.Go(func() {
				ref, err := actor.Spawn(sys, actor.Func(answer), actor.WithRegistration("only"))
				if err == nil {
					refs <- ref
				} else if !errors.Is(err, actor.ErrNameTaken) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if len(refs) != 1 || sys.Stats().Actors != 1 {
			t.Fatalf("%d spawns got the name, and there are %d actors", len(refs), sys.Stats().Actors)
		}
		ref := <-refs
		if got, err := actor.Lookup[question](sys, "only"); got != ref || err != nil || !strings.HasPrefix(ref.String(), "only<") {
			t.Fatalf("the name leads to %v, %v, want %v", got, err, ref)
		}
		wantNoErr(t, ref.Stop(ctx))
	}
	if _, err := actor.Spawn(sys, actor.Func(answer), actor.WithRegistration("")); err == nil {
		t.Error("an actor was spawned with an empty name")
	}
}

// A restart keeps the name; what a ghost registers is refused.
func TestNameAndRestart(t *testing.T) { simulated.Too(t, testNameAndRestart) }

func testNameAndRestart(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	_, child := keptChild(t, sys, func() actor.Actor[task] { return actor.Func(doTask) }, true)
	wantNoErr(t, do(t, child, func(c *actor.Context[task]) error { return c.Register("me") }))
	end(t, child, endings["error"].do)
	wantNoErr(t, do(t, child, func(*actor.Context[task]) error { return nil }))
	got, err := actor.Lookup[task](sys, "me")
	if got != child || err != nil {
		t.Errorf("after a restart the name leads to %v, %v", got, err)
	}
	wantErr(t, do(t, child, func(c *actor.Context[task]) error {
		wantNoErr(t, child.Kill())
		return c.Register("ghost")
	}), actor.ErrFenced)
	wantNoErr(t, child.Stop(ctx))
	for _, name := range []string{"me", "ghost"} {
		_, err := sys.WhereIs(name)
		wantErr(t, err, actor.ErrNoName)
	}
}

// A name goes from actor to actor as each of them ends. As soon as one has
// ended the next can have it, and from then on no lookup returns the old one.
func TestNameIsFreedAtTheEnd(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 3})
	var newest atomic.Int64 // The turn that has the name for certain.
	var turns sync.Map      // From PID to turn.
	var over atomic.Bool
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for ; !over.Load(); runtime.Gosched() {
				before := newest.Load()
				ref, err := actor.Lookup[question](sys, "baton")
				if err != nil {
					continue
				}
				if turn, ok := turns.Load(ref.PID()); ok && turn.(int64) < before {
					t.Errorf("a lookup returned turn %d after turn %d had begun", turn, before)
					return
				}
			}
		})
	}
	for turn := range int64(300) {
		ref := spawn(t, sys, answer)
		turns.Store(ref.PID(), turn)
		wantNoErr(t, sys.Register("baton", ref.PID()))
		newest.Store(turn)
		if turn%3 == 0 {
			runtime.Gosched()
		}
		switch turn % 3 {
		case 0:
			wantNoErr(t, ref.Stop(ctx))
		case 1:
			wantNoErr(t, ref.Kill())
			receive(t, ctx, ref.Done())
		default:
			down, _ := sys.Monitor(ref.PID())
			wantNoErr(t, ref.Kill())
			receive(t, ctx, down)
		}
	}
	over.Store(true)
	readers.Wait()
}

func BenchmarkLookup(b *testing.B) {
	b.ReportAllocs()
	sys := newSystem(b, actor.Config{})
	for i := range 1000 {
		ref := spawn(b, sys, answer)
		if err := sys.Register(fmt.Sprint("actor ", i), ref.PID()); err != nil {
			b.Fatal(err)
		}
	}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := actor.Lookup[question](sys, "actor 500"); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
