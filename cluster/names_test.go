package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/wire"
)

func TestANameLeadsToItsActorFromEachNode(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b := s.limit(), s.join("a"), s.join("b")
		ref := spawn(s, a, adder)
		s.noErr(cluster.Register(ctx, a.Node, "math.adder", ref))
		s.noErr(cluster.Register(ctx, a.Node, "math.adder", ref)) // It has the name already.
		s.noErr(cluster.Register(ctx, a.Node, "second", ref))
		for _, m := range []member{a, b} {
			got, err := cluster.Lookup[question](ctx, m.Node, "math.adder")
			s.noErr(err)
			if v, err := ask(ctx, got, 1); v != 2 || err != nil {
				t.Errorf("the actor of the name answers %d, %v", v, err)
			}
			if m.Name() == "a" && got != ref {
				t.Error("on its own node the name leads to a stand-in")
			}
			if cluster.Address(got) != cluster.Address(ref) {
				t.Errorf("the address is %q", cluster.Address(got))
			}
		}
		_, err := cluster.Lookup[word](ctx, b.Node, "math.adder")
		s.wantErr(err, cluster.ErrOtherType)
		for _, part := range []string{"question", "word", "math.adder"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the error %q does not say %q", err, part)
			}
		}
		_, err = cluster.Lookup[question](ctx, b.Node, "nobody")
		s.wantErr(err, cluster.ErrNoName)
		other := spawn(s, b, adder)
		s.wantErr(cluster.Register(ctx, b.Node, "math.adder", other), cluster.ErrNameTaken)
		s.wantErr(cluster.Register(ctx, a.Node, "math.adder", spawn(s, a, adder)), cluster.ErrNameTaken)
		s.wantErr(cluster.Unregister(ctx, b.Node, "math.adder"), cluster.ErrNoName)
		s.noErr(cluster.Unregister(ctx, a.Node, "math.adder"))
		s.wantErr(cluster.Unregister(ctx, a.Node, "math.adder"), cluster.ErrNoName)
		_, err = cluster.Lookup[question](ctx, a.Node, "math.adder")
		s.wantErr(err, cluster.ErrNoName)
		s.noErr(cluster.Register(ctx, b.Node, "math.adder", other))
	})
}

func TestAnActorThatEndsLosesItsNames(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b := s.limit(), s.join("a"), s.join("b")
		ref := spawn(s, a, adder)
		s.noErr(cluster.Register(ctx, a.Node, "one", ref))
		s.noErr(cluster.Register(ctx, a.Node, "two", ref))
		s.noErr(ref.Stop(ctx))
		synctest.Wait()
		for _, name := range []string{"one", "two"} {
			_, err := cluster.Lookup[question](ctx, b.Node, name)
			s.wantErr(err, cluster.ErrNoName)
			s.noErr(cluster.Register(ctx, b.Node, name, spawn(s, b, adder)))
		}
		s.wantErr(cluster.Register(ctx, a.Node, "three", ref), actor.ErrStopped)
		s.noErr(cluster.Register(ctx, a.Node, "three", spawn(s, a, adder)))
	})
}

func TestTheNamesOfALostNodeAreFree(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b, c := s.limit(), s.join("a"), s.join("b"), s.join("c")
		s.noErr(cluster.Register(ctx, a.Node, "name", spawn(s, a, adder)))
		s.noErr(cluster.Register(ctx, a.Node, "kept", spawn(s, a, adder)))
		events := s.events(b)
		s.setAlone("a", true)
		s.wantErr(cluster.Register(ctx, b.Node, "name", spawn(s, b, adder)), cluster.ErrNameTaken) // It may live.
		s.until(events, cluster.Lost, "a")
		synctest.Wait()
		table, err := b.engine.Table(ctx, "names")
		s.noErr(err)
		for _, name := range []string{"name", "kept"} {
			if _, err := table.Get(ctx, name); !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("the entry of a birth that is over stays: %v", err)
			}
		}
		s.noErr(cluster.Register(ctx, b.Node, "name", spawn(s, b, adder)))
		s.setAlone("a", false)
		await(s, a.Done())
		got, err := cluster.Lookup[question](ctx, c.Node, "name")
		s.noErr(err)
		if at := cluster.Address(got); !strings.HasPrefix(at, "b/") {
			t.Errorf("the name is of %s", at)
		}
	})
}

func TestAnEntryOfAnOldBirthIsNotHonoured(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b := s.limit(), s.join("a"), s.join("b")
		s.noErr(cluster.Register(ctx, a.Node, "name", spawn(s, a, adder)))
		table, err := b.engine.Table(ctx, "names")
		s.noErr(err)
		entry, err := table.Get(ctx, "name")
		s.noErr(err)
		s.noErr(a.Leave(ctx))
		synctest.Wait()
		s.store.Inject(func(op memory.Op) memory.Fault { // Nobody cleans up.
			if op.Kind == "delete" {
				return memory.Fault{Kind: memory.Refuse}
			}
			return memory.Fault{}
		})
		_, err = table.Put(ctx, "name", entry.Value, engine.Absent, 0) // A write that was under way for long.
		s.noErr(err)
		_, err = cluster.Lookup[question](ctx, b.Node, "name")
		s.wantErr(err, cluster.ErrNoName)
		s.noErr(cluster.Register(ctx, b.Node, "name", spawn(s, b, adder)))
		_, err = table.Put(ctx, "foreign", []byte("?"), engine.Absent, 0)
		s.noErr(err)
		if _, err = cluster.Lookup[question](ctx, b.Node, "foreign"); err == nil || !strings.Contains(err.Error(), "revision") {
			t.Errorf("a foreign entry: %v", err)
		}
		if err = cluster.Register(ctx, b.Node, "foreign", spawn(s, b, adder)); err == nil || !strings.Contains(err.Error(), "revision") {
			t.Errorf("a foreign entry: %v", err)
		}
	})
}

// TestARegisterThatHasFailedLeavesNoEntry loses the answers of writes, so that they are made without their callers knowing.
func TestARegisterThatHasFailedLeavesNoEntry(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b := s.limit(), s.join("a"), s.join("b")
		var late atomic.Bool
		late.Store(true)
		s.store.Inject(func(op memory.Op) memory.Fault {
			if op.Name == "names" && op.Kind == "put" && late.Load() {
				return memory.Fault{Kind: memory.LoseAnswer, Delay: 5 * time.Second}
			}
			return memory.Fault{}
		})
		soon, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		s.wantErr(cluster.Register(soon, a.Node, "name", spawn(s, a, adder)), cluster.ErrNoQuorum, context.DeadlineExceeded)
		<-time.After(10 * time.Second) // The write is made meanwhile.
		synctest.Wait()
		late.Store(false)
		s.noErr(cluster.Register(ctx, b.Node, "name", spawn(s, b, adder)))
		late.Store(true)
		s.noErr(cluster.Register(ctx, a.Node, "other", spawn(s, a, adder))) // The answer is lost, and a read tells.
		late.Store(false)
		_, err := cluster.Lookup[question](ctx, b.Node, "other")
		s.noErr(err)
		var refused atomic.Bool
		s.store.Inject(func(op memory.Op) memory.Fault {
			if op.Name == "names" && op.Kind == "put" && !refused.Swap(true) {
				return memory.Fault{Kind: memory.Refuse}
			}
			return memory.Fault{}
		})
		s.noErr(cluster.Register(ctx, a.Node, "third", spawn(s, a, adder))) // The first write is refused, and a read finds nothing.
	})
}

func TestOfManyThatRaceForANameOneWins(t *testing.T) {
	bubble(t, func(s *site) {
		ctx := s.limit()
		all := []member{s.join("a"), s.join("b"), s.join("c")}
		s.store.Inject(func(op memory.Op) memory.Fault { return memory.Fault{Delay: time.Millisecond} })
		for round := range 20 {
			name := fmt.Sprintf("round-%d", round)
			results := make(chan error, 2*len(all))
			for _, m := range all {
				for range 2 {
					ref := spawn(s, m, adder)
					go func() { results <- cluster.Register(ctx, m.Node, name, ref) }()
				}
			}
			won := 0
			for range cap(results) {
				if err := await(s, results); err == nil {
					won++
				} else {
					s.wantErr(err, cluster.ErrNameTaken)
				}
			}
			if won != 1 {
				t.Errorf("%d have won", won)
			}
		}
	})
}

func TestArgumentsOfNames(t *testing.T) {
	bubble(t, func(s *site) {
		ctx, a, b := s.limit(), s.join("a"), s.join("b")
		ref := spawn(s, a, adder)
		s.wantErr(cluster.Register(ctx, b.Node, "name", s.moved(ref, b)), cluster.ErrElsewhere)
		s.wantErr(cluster.Register(ctx, a.Node, "name", actor.Ref[question]{}), actor.ErrNoRef)
		s.wantErr(cluster.Register(ctx, a.Node, "", ref), engine.ErrInvalid)
		s.wantErr(cluster.Register(ctx, a.Node, "a b", ref), engine.ErrInvalid)
		s.wantErr(cluster.Unregister(ctx, a.Node, strings.Repeat("n", 201)), engine.ErrInvalid)
		s.wantErr(cluster.Register(ctx, a.Node, "name", spawn(s, a, func(*actor.Context[chan int], chan int) error { return nil })), wire.ErrNotRegistered)
		if err := cluster.Register(ctx, nil, "name", ref); err == nil {
			t.Error("a nil node is taken")
		}
		over, cancel := context.WithCancel(ctx)
		cancel()
		s.wantErr(cluster.Register(over, a.Node, "name", ref), context.Canceled)
		_, err := cluster.Lookup[question](over, a.Node, "name")
		s.wantErr(err, context.Canceled)
		if got := cluster.Address(actor.Ref[question]{}); got != "nobody" {
			t.Errorf("the address of nobody is %q", got)
		}
		s.wantErr(cluster.Notify(ctx, a.Node, actor.Ref[question]{}, func(cluster.Event) question { return question{} }), actor.ErrNoRef)
		open := spawn(s, a, func(*actor.Context[any], any) error { return nil })
		s.noErr(cluster.Register(ctx, a.Node, "open", open)) // The actor's messages are of an interface.
		_, err = cluster.Lookup[any](ctx, b.Node, "open")
		s.noErr(err)
	})
}
