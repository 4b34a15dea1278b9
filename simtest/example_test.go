package simtest_test

import (
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
)

// deposit asks an account for its balance, or sets it.
type deposit struct {
	set   bool
	value int
	reply actor.Reply[int]
}

// Two tellers read a balance and write back what they have added, each in two
// asks. Under some schedules one deposit is lost.
func Example() {
	test := func(t *testing.T) {
		simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
			sys := s.System(actor.Config{})
			balance := 0
			account, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[deposit], m deposit) error {
				if m.set {
					balance = m.value
				}
				return m.reply.Send(ctx, balance)
			}), actor.WithName("account"))
			if err != nil {
				s.Fatal(err)
			}
			for _, name := range []string{"teller a", "teller b"} {
				teller, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], sum int) error {
					now, err := actor.Ask(ctx, account, func(r actor.Reply[int]) deposit { return deposit{reply: r} })
					if err != nil {
						return err
					}
					_, err = actor.Ask(ctx, account, func(r actor.Reply[int]) deposit { return deposit{true, now + sum, r} })
					return err
				}), actor.WithName(name))
				if err != nil {
					s.Fatal(err)
				}
				if err := teller.Send(s.Context(), 10); err != nil {
					s.Error(err)
				}
			}
			s.RunUntilIdle()
			if balance != 20 {
				s.Errorf("the balance is %d, not 20", balance)
			}
		})
	}
	_ = test // go test runs it, and prints the schedule and how to replay it.
}
