package main

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/task"
)

// Four customers order for more than there is. Under each schedule two of them get it, and the books agree.
func TestNoMoneyIsLost(t *testing.T) {
	simtest.Run(t, simtest.Config{}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		d, _, err := startDesk(sys)
		if err != nil {
			s.Fatal(err)
		}
		ctx := s.Context()
		if err := d.Account.Send(ctx, deposit{cents: 2500}); err != nil {
			s.Fatal(err)
		}
		if err := d.Market.Send(ctx, tick{"ACME", 1000}); err != nil {
			s.Fatal(err)
		}
		paid := make([]int64, 4)
		_, err = task.Run(ctx, task.AllCompleted[int](), func(_ context.Context, g *task.Group[int]) error {
			for i := range paid {
				if _, err := g.Go(func(ctx context.Context) (int, error) {
					cents, err := actor.Ask(ctx, d.Risk, func(r actor.Reply[int64]) order { return order{"ACME", 1, r} })
					paid[i] = cents
					return 0, err
				}); err != nil {
					return err
				}
			}
			return nil
		}, task.On(sys.Scheduler()))
		s.Log("the refused orders:", err)
		left, err := actor.Ask(ctx, d.Account, func(r actor.Reply[int64]) toAccount { return balance{r} })
		if err != nil {
			s.Fatal(err)
		}
		if sum := paid[0] + paid[1] + paid[2] + paid[3]; sum != 2000 || left != 500 {
			s.Errorf("%d cents were paid, %d are left", sum, left)
		}
	})
}
