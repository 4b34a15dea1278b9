package actor_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// lets returns a message by which an actor does what its name says, or nothing.
func lets(do map[string]func(*actor.Context[instruction]) error) func(actor.Reply[error]) instruction {
	return func(r actor.Reply[error]) instruction {
		return instruction{func(c *actor.Context[instruction]) error {
			if f := do[c.Name()]; f != nil {
				return f(c)
			}
			return nil
		}, r}
	}
}

// named spawns an actor for each name.
func named(s *simtest.Sim, sys *actor.System, names ...string) map[string]instructedRef {
	all := map[string]instructedRef{}
	for _, name := range names {
		all[name] = spawn(s, sys, run, actor.WithName(name))
	}
	return all
}

// A handler that asks several waits for each. The ask that is in a ring fails, its own
// or the other's, and the rest goes on.
func TestAskAllInARing(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 200}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		all := named(s, sys, "a", "b", "c", "d")
		var inner error
		msg := lets(map[string]func(*actor.Context[instruction]) error{
			"b": func(c *actor.Context[instruction]) error {
				return let(c, all["d"], func(c *actor.Context[instruction]) error {
					inner = let(c, all["a"], nil)
					return inner
				})
			},
		})
		var answers []actor.Answer[error]
		send(s, s.Context(), all["a"], instruction{do: func(c *actor.Context[instruction]) error {
			answers = actor.AskAll(c, []instructedRef{all["c"], all["b"], all["c"]}, msg)
			return nil
		}})
		s.RunUntilIdle()
		if len(answers) != 3 {
			s.Fatalf("the asker waits for ever: %v", sys.Waits())
		}
		for _, i := range []int{0, 2} {
			wantNoErr(s, errors.Join(answers[i].Err, answers[i].Value))
		}
		switch ours := errors.Join(answers[1].Err, answers[1].Value); {
		case !errors.Is(ours, actor.ErrCycle):
			s.Errorf("the ring was not found: %v", ours)
		case answers[1].Err != nil:
			_ = wantRing(s, ours, "a", "b", "d")
			wantNoErr(s, inner)
		default:
			_ = wantRing(s, inner, "d", "a", "b")
		}
		if waits := sys.Waits(); len(waits) != 0 {
			s.Errorf("somebody waits: %v", waits)
		}
	})
}

// An actor that asks itself among others gets an error for itself, and the others' answers.
func TestAskAllOfItself(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 30}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		all := named(s, sys, "a", "b")
		var answers, first []actor.Answer[error]
		var err error
		send(s, s.Context(), all["a"], instruction{do: func(c *actor.Context[instruction]) error {
			answers = actor.AskAll(c, []instructedRef{all["b"], all["a"]}, lets(nil))
			first, err = actor.AskQuorum(c, []instructedRef{all["a"], all["b"]}, 1, lets(nil))
			return nil
		}})
		s.RunUntilIdle()
		wantNoErr(s, answers[0].Err)
		_ = wantRing(s, answers[1].Err, "a")
		wantNoErr(s, err)
		_ = wantRing(s, first[0].Err, "a")
	})
}

// Several actors gather from each other. At least one of them gets the error for the ring, and
// nobody waits for ever.
func TestGatheringsInARing(t *testing.T) {
	for _, mode := range []actor.Reentrancy{actor.NoReentrancy, actor.CallChainReentrancy, actor.FullReentrancy} {
		simtest.Run(t, simtest.Config{Schedules: 100}, func(s *simtest.Sim) {
			sys := s.System(actor.Config{})
			const n = 4
			var actors []instructedRef
			for i := range n {
				actors = append(actors, spawn(s, sys, run, actor.WithName(fmt.Sprint("actor", i)),
					actor.WithReentrancy(mode), actor.WithMaxSuspended(1)))
			}
			done := make(chan error, n)
			for i := range n {
				send(s, s.Context(), actors[i], instruction{do: func(c *actor.Context[instruction]) error {
					var errs []error
					others := append(actors[i+1:n:n], actors[:i]...)
					for _, a := range actor.AskAll(c, others, lets(nil)) {
						if a.Err != nil && !errors.Is(a.Err, actor.ErrCycle) {
							s.Errorf("another error: %v", a.Err)
						}
						errs = append(errs, a.Err)
					}
					done <- errors.Join(errs...)
					return nil
				}})
			}
			s.RunUntilIdle()
			if len(done) != n {
				s.Errorf("%d of %d handlers have ended; others wait for ever: %v", len(done), n, sys.Waits())
			}
			for range len(done) {
				if err := <-done; err != nil && !errors.Is(err, actor.ErrCycle) {
					s.Error(err)
				}
			}
			if waits := sys.Waits(); len(waits) != 0 {
				s.Errorf("somebody waits: %v", waits)
			}
		})
	}
}

// A wide graph of gatherings without a ring is searched in no time: each ask of it is
// looked at once.
func TestLayersOfGatherings(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 2})
	const layers, width = 8, 8
	last := &questionKeeper{}
	next := []actor.Ref[question]{spawnActor(t, sys, last)}
	for range layers {
		below := next
		next = nil
		for range width {
			next = append(next, spawn(t, sys, func(c *actor.Context[question], q question) error {
				sum := 0
				for _, a := range actor.AskAll(c, below, asking(q.n)) {
					if a.Err != nil {
						return q.reply.Fail(c, a.Err)
					}
					sum += a.Value
				}
				return q.reply.Send(c, sum)
			}, actor.WithReentrancy(actor.FullReentrancy)))
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan []actor.Answer[int], 1)
	go func() { done <- actor.AskAll(ctx, next[:2], asking(0)) }()
	until(t, guarded(t), func() bool {
		info, err := next[0].Info()
		return err == nil && len(info.Waits) == width
	})
	cancel(errOdd)
	for _, a := range <-done {
		wantErr(t, a.Err, errOdd)
	}
}
