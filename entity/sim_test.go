package entity_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/entity"
	"github.com/troupe-go/troupe/internal/kernel/standin"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/simtest"
)

// Under any schedule, while actors are passivated by hand, by the limit and when they are idle, and fail: each message that was accepted is
// handled once, in the order of its sender, and there is one activation of an id at a time.
func TestEachMessageOnceInSimulation(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: lane.Rounds(100, 2000, 10_000)}, comeAndGo)
}

func comeAndGo(s *simtest.Sim) {
	const senders, each, ids = 3, 5, 2
	b := newBooks()
	sys := s.System(actor.Config{})
	_, err := standin.Join(sys, standin.Node{Name: "a", Birth: 7}, nowhere{})
	wantNoErr(s, err)
	clerks := b.kind(entity.Config[command]{Idle: 20 * time.Millisecond, MaxActive: 1})
	h, err := entity.StartOn(s.Context(), sys, valid, entity.Kinds(clerks))
	wantNoErr(s, err)
	for i := range senders {
		sender, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], n int) error {
			for id := range ids {
				ref := clerks.Ref(h, fmt.Sprint(id))
				if err := ref.Send(ctx, command{From: i, N: 2*n - 1}); err != nil {
					s.Errorf("send: %v", err)
				}
				if _, err := actor.Ask(ctx, ref, func(r actor.Reply[int]) command { return command{From: i, N: 2 * n, Reply: r} }); err != nil {
					s.Errorf("ask: %v", err)
				}
			}
			return nil
		}), actor.WithName(fmt.Sprint("sender ", i)))
		wantNoErr(s, err)
		for n := range each {
			wantNoErr(s, sender.Send(s.Context(), n+1))
		}
	}
	ender, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], n int) error {
		return clerks.Passivate(ctx, h, fmt.Sprint(n%ids))
	}), actor.WithName("ender"))
	wantNoErr(s, err)
	for n := range 2 * ids {
		wantNoErr(s, ender.Send(s.Context(), n))
	}
	s.RunUntilIdle()
	for s.AdvanceToNext(time.Second) {
		s.RunUntilIdle()
	}
	if ender.Err() != nil {
		s.Errorf("the ender has failed: %v", ender.Err())
	}
	for id := range ids {
		sent := map[int]int{}
		for i := range senders {
			sent[i] = 2 * each
		}
		b.check(s, fmt.Sprint(id), sent)
		if begun, ended := b.count(fmt.Sprint(id)); begun != ended {
			s.Errorf("actor %d has begun %d times, and has ended %d times, though it is idle", id, begun, ended)
		}
	}
	wantNoErr(s, h.Stop(s.Context()))
}

// An actor that has a message from time to time is not idle, for however long it is there.
func TestMessagesPutOffThePassivation(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 10}, func(s *simtest.Sim) {
		b := newBooks()
		sys := s.System(actor.Config{})
		_, err := standin.Join(sys, standin.Node{Name: "a", Birth: 7}, nowhere{})
		wantNoErr(s, err)
		clerks := b.kind(entity.Config[command]{Idle: 80 * time.Millisecond})
		h, err := entity.StartOn(s.Context(), sys, valid, entity.Kinds(clerks))
		wantNoErr(s, err)
		ref := clerks.Ref(h, "1")
		for range 50 {
			wantNoErr(s, ref.Send(s.Context(), command{}))
			s.Advance(20 * time.Millisecond)
			s.RunUntilIdle()
		}
		if begun, ended := b.count("1"); begun != 1 || ended != 0 {
			s.Errorf("it has begun %d times and ended %d times, in 1 s in which it was not idle", begun, ended)
		}
		s.Advance(time.Second)
		s.RunUntilIdle()
		if _, ended := b.count("1"); ended != 1 {
			s.Errorf("it is there after a second without a message")
		}
		wantNoErr(s, h.Stop(s.Context()))
	})
}
