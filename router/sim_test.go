package router_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/router"
	"github.com/troupe-go/troupe/simtest"
)

// Under any schedule, while routees come, are removed and drained, and stop with
// what they have: each message is handled once, or its sender got an error, or
// it is a dead letter.
func TestEachMessageOnceInSimulation(t *testing.T) {
	lane.Short(t)
	for _, cfg := range []router.Config[task]{
		{}, {Strategy: router.Random, WhenEmpty: router.WaitWhenEmpty}, {Strategy: router.SmallestMailbox},
		{Strategy: router.LeastOfTwo, WhenFull: router.WaitForChosen},
		{Strategy: router.ConsistentHash, Key: router.By(byKey)}, {Strategy: router.BoundedHash, Key: router.By(byKey)},
	} {
		t.Run(cfg.Strategy.String(), func(t *testing.T) {
			simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) { changeRoutees(s, cfg) })
		})
	}
}

func changeRoutees(s *simtest.Sim, cfg router.Config[task]) {
	const senders, each = 3, 6
	sys := s.System(actor.Config{})
	fates := make([]string, senders*each) // By message, what has become of it.
	note := func(id int, fate string) {
		if fates[id] != "" {
			s.Errorf("message %d was %s, and then %s", id, fates[id], fate)
		}
		fates[id] = fate
	}
	var refs []actor.Ref[task]
	for i := range 4 {
		refs = append(refs, spawn(s, sys, func(_ *actor.Context[task], m task) error {
			note(m.id, "handled")
			return nil
		}, actor.WithName(fmt.Sprint("routee ", i)), actor.WithCapacity(actor.Data, 2)))
	}
	cfg.Routees = refs[:2]
	r := newRouter(s, sys, cfg)
	for i := range senders {
		sender := spawn(s, sys, func(ctx *actor.Context[int], n int) error {
			id := i*each + n
			if err := r.Send(ctx, task{id: id, key: fmt.Sprint(n)}); err != nil {
				note(id, "refused")
			}
			return nil
		}, actor.WithName(fmt.Sprint("sender ", i)))
		for n := range each {
			wantNoErr(s, sender.Send(s.Context(), n))
		}
	}
	changer := spawn(s, sys, func(ctx *actor.Context[int], step int) error {
		switch step {
		case 0:
			return r.Add(ctx, refs[2])
		case 1:
			if err := r.Remove(ctx, refs[0]); err != nil {
				return err
			}
			return refs[0].Drain(ctx)
		case 2:
			return r.Add(ctx, refs[3])
		case 3:
			return refs[1].Stop(ctx) // Its messages become dead letters.
		default:
			return refs[2].Drain(ctx) // Without a word to the router.
		}
	}, actor.WithName("changer"))
	for step := range 5 {
		wantNoErr(s, changer.Send(s.Context(), step))
	}
	s.RunUntilIdle()
	for _, d := range s.DeadLetters() {
		note(d.Message.(task).id, "a dead letter")
	}
	for id, fate := range fates {
		if fate == "" {
			s.Errorf("message %d is lost", id)
		}
	}
	wantEqual(s, "the changer has failed", changer.Err(), nil)
	wantEqual(s, "routees", r.Routees(), []actor.Ref[task]{refs[3]})
}

// Under any schedule, senders that wait for a routee get one, or the error that the
// router has ended.
func TestWaitForRouteeInSimulation(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		handled, refused := 0, 0
		ref := spawn(s, sys, func(*actor.Context[task], task) error { handled++; return nil }, actor.WithName("routee"))
		r := newRouter(s, sys, router.Config[task]{WhenEmpty: router.WaitWhenEmpty})
		for i := range 3 {
			sender := spawn(s, sys, func(ctx *actor.Context[int], _ int) error {
				if r.Send(ctx, task{}) != nil {
					refused++
				}
				return nil
			}, actor.WithName(fmt.Sprint("sender ", i)))
			wantNoErr(s, sender.Send(s.Context(), 1))
		}
		adder := spawn(s, sys, func(ctx *actor.Context[int], step int) error {
			switch step {
			case 0:
				return r.Add(ctx, ref)
			case 1:
				return r.Remove(ctx, ref)
			default:
				return r.Stop(ctx)
			}
		}, actor.WithName("adder"))
		for step := range 3 {
			wantNoErr(s, adder.Send(s.Context(), step))
		}
		s.RunUntilIdle()
		wantEqual(s, "handled and refused", handled+refused, 3)
		wantEqual(s, "waiting", r.Stats().Waiting, 0)
	})
}

// A simulation that fails while somebody waits for a task is reported as any
// other.
func TestPoolInASimulationThatFails(t *testing.T) {
	f, err := simtest.Find(t, simtest.Config{Schedules: 1}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		wait, _ := door(s, sys)
		p := newPool(s, sys, router.PoolConfig[int, int]{Do: func(ctx context.Context, n int) (int, error) { return n, wait(ctx) }})
		asker := spawn(s, sys, func(ctx *actor.Context[int], n int) error {
			_, err := p.Ask(ctx, n)
			return err
		})
		wantNoErr(s, asker.Send(s.Context(), 1))
		s.RunUntilIdle()
		s.Fatal("as wanted")
	})
	wantNoErr(t, err)
	if f == nil || !strings.Contains(f.String(), "as wanted") {
		t.Errorf("the failure is %v", f)
	}
}
