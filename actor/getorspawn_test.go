package actor_test

import (
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// Under all orders of two callers, one actor is spawned, and both get it.
func TestGetOrSpawnUnderAllSchedules(t *testing.T) {
	simtest.Run(t, simtest.Config{Strategy: simtest.Exhaustive, Schedules: 500}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		var refs []actor.Ref[int]
		spawned := 0
		for range 2 {
			caller := spawn(s, sys, func(*actor.Context[int], int) error {
				ref, mine, err := actor.GetOrSpawn(sys, "one", func() actor.Actor[int] { return actor.Func(answerNothing) })
				if refs = append(refs, ref); mine {
					spawned++
				}
				return err
			})
			send(s, s.Context(), caller, 1)
		}
		s.RunUntilIdle()
		if len(refs) != 2 || refs[0].PID() != refs[1].PID() || spawned != 1 || sys.Stats().Actors != 3 {
			s.Errorf("the refs are %v, %d were spawned, and there are %d actors", refs, spawned, sys.Stats().Actors)
		}
	})
}

func TestGetOrSpawn(t *testing.T) {
	ctx, sys := guarded(t), newSystem(t, actor.Config{})
	none := func() actor.Actor[int] { return actor.Func(answerNothing) }
	for round := range 20 {
		var made atomic.Int32
		ids := make(chan actor.PID, 8)
		for range cap(ids) {
			go func() {
				ref, spawned, err := actor.GetOrSpawn(sys, "one", none)
				if err != nil {
					t.Error(err)
				}
				if spawned {
					made.Add(1)
				}
				ids <- ref.PID()
			}()
		}
		first := receive(t, ctx, ids)
		for range cap(ids) - 1 {
			if id := receive(t, ctx, ids); id != first {
				t.Errorf("round %d: %v and %v", round, first, id)
			}
		}
		if made.Load() != 1 {
			t.Errorf("round %d: %d were spawned", round, made.Load())
		}
		ref, _ := actor.Lookup[int](sys, "one")
		wantNoErr(t, ref.Stop(ctx))
	}
	_, _, err := actor.GetOrSpawn(sys, "one", none)
	wantNoErr(t, err)
	for name, try := range map[string]func() error{
		"another type": func() error {
			_, _, err := actor.GetOrSpawn(sys, "one", func() actor.Actor[string] { return nil })
			return err
		},
		"no name": func() error { _, _, err := actor.GetOrSpawn(sys, "", none); return err },
		"no func": func() error { _, _, err := actor.GetOrSpawn[int](sys, "two", nil); return err },
		"no at":   func() error { _, _, err := actor.GetOrSpawn(nil, "two", none); return err },
	} {
		if try() == nil {
			t.Errorf("%s: there is no error", name)
		}
	}
}
