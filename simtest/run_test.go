package simtest_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

type get struct{ reply actor.Reply[int] }

func TestSmoke(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 200}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		n := 0
		a, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[get], m get) error {
			n++
			return m.reply.Send(ctx, n)
		}))
		if err != nil {
			s.Fatal(err)
		}
		for i := range 3 {
			got, err := actor.Ask(context.Background(), a, func(r actor.Reply[int]) get { return get{r} })
			if err != nil || got != i+1 {
				s.Fatalf("%d %v", got, err)
			}
		}
	})
}
