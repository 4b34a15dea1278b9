package actor_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// turns has messages of all lanes wait for an actor, and returns in which order
// they are handled: 'c', 'm' and 'd'.
func turns(t *testing.T, c, m, d int, opts ...actor.Option) string {
	t.Helper()
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	entered, open := make(chan struct{}), make(chan struct{})
	var order strings.Builder
	ref := spawn(t, sys, func(_ *actor.Context[rune], m rune) error {
		if m == 0 {
			entered <- struct{}{}
			<-open
			return nil
		}
		order.WriteRune(m)
		return nil
	}, opts...)
	send(t, ctx, ref, 0)
	receive(t, ctx, entered)
	send(t, ctx, ref, slices.Repeat([]rune{'d'}, d)...)
	send(t, ctx, ref.On(actor.Management), slices.Repeat([]rune{'m'}, m)...)
	send(t, ctx, ref.On(actor.Control), slices.Repeat([]rune{'c'}, c)...)
	close(open)
	wantNoErr(t, ref.Drain(ctx))
	return order.String()
}

// The message that holds the actor counts as Data in the first round.
func TestBursts(t *testing.T) {
	cases := []struct {
		c, m, d int
		opts    []actor.Option
		want    string
	}{
		{3, 3, 3, nil, "cccmmmddd"},
		{2, 5, 4, []actor.Option{actor.WithBurst(actor.Management, 2)}, "ccmmddddmmm"},
		{2, 5, 4, []actor.Option{actor.WithBurst(actor.Management, 2), actor.WithBurst(actor.Data, 1)}, "ccmmmmdmddd"},
		{5, 2, 3, []actor.Option{actor.WithBurst(actor.Control, 2), actor.WithBurst(actor.Data, 1)}, "ccmmccdcdd"},
		{5, 0, 3, []actor.Option{actor.WithBurst(actor.Control, 3), actor.WithThroughput(1), actor.WithBurst(actor.Data, 2)}, "cccdccdd"},
	}
	for _, x := range cases {
		wantSame(t, x.want, turns(t, x.c, x.m, x.d, x.opts...), x.want)
	}
}

// A flood of Control holds up Data only as far as its burst says, also in a
// simulation, where each message is a step.
func TestBurstsInSimulation(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		var order strings.Builder
		var ref actor.Ref[rune]
		ref, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[rune], m rune) error {
			order.WriteRune(m)
			if m == 'a' {
				_ = c.Self().Send(c, 'd')
				return c.Self().On(actor.Control).Send(c, 'c')
			}
			if m == 'c' && order.Len() < 12 {
				return c.Self().On(actor.Control).Send(c, 'c')
			}
			return nil
		}), actor.WithBurst(actor.Control, 4))
		if err != nil {
			s.Fatal(err)
		}
		_ = ref.On(actor.Control).Send(s.Context(), 'a') // Which sends both.
		s.RunUntilIdle()
		if at := strings.IndexByte(order.String(), 'd'); at < 0 || at > 5 {
			s.Errorf("Data has waited too long: %s", order.String())
		}
	})
}

func TestBadBursts(t *testing.T) {
	sys := newSystem(t, actor.Config{})
	for want, opt := range map[string]actor.Option{
		"unknown lane 3":      actor.WithBurst(3, 1),
		"a burst of 0":        actor.WithBurst(actor.Data, 0),
		"a burst of -1 messa": actor.WithBurst(actor.Control, -1),
	} {
		_, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error { return nil }), opt)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one about %q", err, want)
		}
	}
}
