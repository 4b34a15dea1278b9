package actor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/simtest"
)

// instruction tells an actor to do something, and to answer with the error.
type instruction struct {
	do    func(ctx *actor.Context[instruction]) error
	reply actor.Reply[error]
}

// run does the instruction.
func run(ctx *actor.Context[instruction], e instruction) error {
	if e.do == nil {
		return e.reply.Send(ctx, nil)
	}
	return e.reply.Send(ctx, e.do(ctx))
}

type instructedRef = actor.Ref[instruction]

// let asks an actor to do something, and returns what became of it.
func let(ctx context.Context, to instructedRef, do func(ctx *actor.Context[instruction]) error) error {
	err, failed := actor.Ask(ctx, to, func(r actor.Reply[error]) instruction { return instruction{do, r} })
	return errors.Join(err, failed)
}

// circle returns what makes each of the actors ask the next one, and the last
// one the first.
func askRing(actors []instructedRef) func(*actor.Context[instruction]) error {
	all := append(actors[1:len(actors):len(actors)], actors[0])
	var step func(i int) func(*actor.Context[instruction]) error
	step = func(i int) func(*actor.Context[instruction]) error {
		return func(c *actor.Context[instruction]) error {
			if i == len(all) {
				return nil
			}
			return let(c, all[i], step(i+1))
		}
	}
	return step(0)
}

func wantRing(tb testing.TB, err error, names ...string) *actor.CycleError {
	tb.Helper()
	wantErr(tb, err, actor.ErrCycle)
	var cycle *actor.CycleError
	if !errors.As(err, &cycle) {
		tb.Fatalf("%v is no CycleError", err)
	}
	var got []string
	for i, w := range cycle.Waits {
		got = append(got, w.Name)
		if next := cycle.Waits[(i+1)%len(cycle.Waits)]; w.On != next.PID || w.OnName != next.Name {
			tb.Errorf("%v does not lead to %v", w, next)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(names) {
		tb.Errorf("the ring is %v, want %v: %v", got, names, err)
	}
	return cycle
}

func TestRingOfAsksInOneChain(t *testing.T) {
	for n := 1; n <= 5; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			ctx := guarded(t)
			sys := oneWorker(t) // With several, it may be another one who closes the ring.
			var actors []instructedRef
			var names []string
			for i := range n {
				names = append(names, string(rune('a'+i)))
				actors = append(actors, spawn(t, sys, run, actor.WithName(names[i])))
			}
			err := let(ctx, actors[0], askRing(actors))
			want := append([]string{names[n-1]}, names[:n-1]...)
			cycle := wantRing(t, err, want...)
			for _, name := range names {
				if !strings.Contains(cycle.Error(), name+"<") {
					t.Errorf("%v does not name %s", cycle, name)
				}
			}
			for _, a := range actors { // All are well.
				wantNoErr(t, let(ctx, a, nil))
			}
			if late := sys.Stats().LateReplies; late != 0 {
				t.Errorf("%d late replies: the ask that closed the ring was sent", late)
			}
		})
	}
}

// TestRingOfSeveralChains has each of several actors ask the next one on behalf
// of a client of its own, so that no actor repeats in a chain.
func TestRingOfSeveralChains(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		const n = 3
		var actors []instructedRef
		for i := range n {
			actors = append(actors, spawn(s, sys, run, actor.WithName(fmt.Sprint("actor ", i))))
		}
		done := make(chan error, n)
		for i := range n {
			client := spawn(s, sys, func(c *actor.Context[int], _ int) error {
				done <- let(c, actors[i], func(c *actor.Context[instruction]) error { return let(c, actors[(i+1)%n], nil) })
				return nil
			})
			if err := client.Send(s.Context(), 1); err != nil {
				s.Fatal(err)
			}
		}
		rings := 0
		for _, err := range results(s, n, done) {
			if cycle := (*actor.CycleError)(nil); errors.As(err, &cycle) {
				if rings++; len(cycle.Waits) != n {
					s.Errorf("%v has not %d waits", err, n)
				}
			} else if err != nil {
				s.Error(err)
			}
		}
		if rings > 1 {
			s.Errorf("%d asks failed, but one would have been enough", rings)
		}
	})
}

// results returns what has come when nothing happens any more: n errors.
func results(s *simtest.Sim, n int, c <-chan error) (all []error) {
	s.RunUntilIdle()
	for range n {
		select {
		case err := <-c:
			all = append(all, err)
		default:
			s.Fatal("somebody waits still")
		}
	}
	return all
}

// TestRingOfFullLanes has two actors that fill each other's lane, and one that
// asks while the other waits for room.
func TestRingOfFullLanes(t *testing.T) {
	kinds := map[string]func(c *actor.Context[instruction], other instructedRef) error{
		"send": func(c *actor.Context[instruction], other instructedRef) error { return other.Send(c, instruction{}) },
		"ask": func(c *actor.Context[instruction], other instructedRef) error {
			return let(c, other.On(actor.Control), nil)
		},
	}
	for name, second := range kinds {
		t.Run(name, func(t *testing.T) {
			simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
				sys := s.System(actor.Config{})
				opts := func(name string) []actor.Option {
					return []actor.Option{actor.WithName(name), actor.WithCapacity(actor.Data, 1)}
				}
				a, b := spawn(s, sys, run, opts("a")...), spawn(s, sys, run, opts("b")...)
				errs := make(chan error, 2)
				flood := func(to instructedRef, last func(*actor.Context[instruction], instructedRef) error) instruction {
					return instruction{do: func(c *actor.Context[instruction]) error {
						err := to.Send(c, instruction{})
						if err == nil {
							err = to.Send(c, instruction{})
						}
						if err == nil {
							err = last(c, to)
						}
						errs <- err
						return nil
					}}
				}
				send(s, s.Context(), a, flood(b, kinds["send"]))
				send(s, s.Context(), b, flood(a, second))
				rings := 0
				for _, err := range results(s, 2, errs) {
					if err == nil {
						continue
					}
					rings++
					if !errors.Is(err, actor.ErrCycle) || !strings.Contains(err.Error(), "the data lane is full") {
						s.Error(err)
					}
				}
				if rings > 1 {
					s.Errorf("%d of the two got the error", rings)
				}
			})
		})
	}
}

// TestRingByAnAnswerThatIsHandedOn has a ring that closes when a third actor
// hands an ask on to the one that waits for the asker.
func TestRingByAnAnswerThatIsHandedOn(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		a := spawn(s, sys, run, actor.WithName("a"))
		c := spawn(s, sys, run, actor.WithName("c"))
		b := spawn(s, sys, func(x *actor.Context[instruction], e instruction) error { return c.Send(x, e) }, actor.WithName("b"))
		done := make(chan error, 2)
		client := func(to, other instructedRef) {
			ref := spawn(s, sys, func(x *actor.Context[int], _ int) error {
				done <- let(x, to, func(x *actor.Context[instruction]) error { return let(x, other, nil) })
				return nil
			})
			send(s, s.Context(), ref, 1)
		}
		client(a, b)
		client(c, a)
		for _, err := range results(s, 2, done) {
			if err != nil && !errors.Is(err, actor.ErrCycle) {
				s.Error(err)
			}
		}
	})
}

// TestNoRingIfSomebodyElseMayAnswer keeps the reply, asks back later, and has
// a goroutine or another actor answer.
func TestNoRingIfSomebodyElseMayAnswer(t *testing.T) {
	for name, byActor := range map[string]bool{"actor": true, "goroutine": false} {
		t.Run(name, func(t *testing.T) {
			ctx := guarded(t)
			sys := newSystem(t, actor.Config{})
			a, helper := spawn(t, sys, run, actor.WithName("a")), spawn(t, sys, run, actor.WithName("helper"))
			var kept instruction
			keeping, answer := make(chan struct{}), make(chan struct{})
			b := spawn(t, sys, func(c *actor.Context[instruction], e instruction) error {
				switch {
				case e.do == nil:
					kept = e
					close(keeping)
					return nil
				case byActor:
					wantNoErr(t, helper.Send(c, kept))
				default:
					close(answer)
				}
				return run(c, e)
			}, actor.WithName("b"))
			asked := make(chan error, 1)
			go func() { asked <- let(ctx, a, func(c *actor.Context[instruction]) error { return let(c, b, nil) }) }()
			receive(t, ctx, keeping)
			if !byActor {
				go func() {
					<-answer
					until(t, ctx, func() bool { return actor.Waits(b) })
					wantNoErr(t, kept.reply.Send(ctx, nil))
				}()
			}
			wantNoErr(t, let(ctx, b, func(c *actor.Context[instruction]) error { return let(c, a, nil) }))
			wantNoErr(t, receive(t, ctx, asked))
		})
	}
}

// TestNoRingOnceThereIsRoom has a handler wait for room that the other one
// makes before it asks.
func TestNoRingOnceThereIsRoom(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		a := spawn(s, sys, run, actor.WithName("a"))
		done := make(chan error, 3)
		b := spawn(s, sys, func(c *actor.Context[instruction], _ instruction) error {
			done <- let(c, a, nil)
			return nil
		}, actor.WithName("b"), actor.WithCapacity(actor.Data, 1))
		send(s, s.Context(), a, instruction{do: func(c *actor.Context[instruction]) error {
			err := b.Send(c, instruction{})
			if err == nil {
				err = b.Send(c, instruction{})
			}
			done <- err
			return nil
		}})
		for _, err := range results(s, 3, done) {
			if err != nil {
				s.Error(err)
			}
		}
	})
}

// TestNoRingOfWaitsThatAreOver asks there and back, one after the other.
func TestNoRingOfWaitsThatAreOver(t *testing.T) { simulated.Too(t, testNoRingOfWaitsThatAreOver) }

func testNoRingOfWaitsThatAreOver(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{Workers: 4})
	a, b := spawn(t, sys, run, actor.WithName("a")), spawn(t, sys, run, actor.WithName("b"))
	for range 100 {
		wantNoErr(t, let(ctx, a, func(c *actor.Context[instruction]) error { return let(c, b, nil) }))
		wantNoErr(t, let(ctx, b, func(c *actor.Context[instruction]) error { return let(c, a, nil) }))
	}
}

// TestRingOfStops has an actor stop another one that asks it.
func TestRingOfStops(t *testing.T) { simulated.Too(t, testRingOfStops) }

func testRingOfStops(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	a, b := spawn(t, sys, run, actor.WithName("a")), spawn(t, sys, run, actor.WithName("b"))
	err := let(ctx, a, func(c *actor.Context[instruction]) error {
		return let(c, b, func(c *actor.Context[instruction]) error { return a.Stop(c) })
	})
	_ = wantRing(t, err, "b", "a")
	wantErr(t, err, actor.ErrWouldDeadlock)
	receive(t, ctx, a.Done())
}

// TestRingBeforeTheDeadline does not wait for the deadline of an ask that
// would never be answered.
func TestRingBeforeTheDeadline(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 10}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		actors := []instructedRef{spawn(s, sys, run, actor.WithName("a")), spawn(s, sys, run, actor.WithName("b"))}
		began := s.Now()
		_ = wantRing(s, let(s.Context(), actors[0], askRing(actors)), "b", "a")
		if s.Now() != began {
			s.Errorf("the error came after %v", s.Now().Sub(began))
		}
	})
}
