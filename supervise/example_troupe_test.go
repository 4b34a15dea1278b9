package supervise_test

import (
	"context"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

// sale asks the till to sell something.
type sale struct {
	what  string
	reply actor.Reply[int]
}

// take asks the stock to take something out, and how much is left.
type take struct {
	what  string
	reply actor.Reply[int]
}

// shop is a troupe of two.
type shop struct {
	Stock actor.Ref[take]
	Till  actor.Ref[sale]
}

func newShop(cast *supervise.Cast, s *shop) {
	supervise.Play(cast, &s.Stock, supervise.Child[take]{New: func() actor.Actor[take] {
		left := map[string]int{"tea": 3}
		return actor.Func(func(ctx *actor.Context[take], m take) error {
			left[m.what]--
			return m.reply.Send(ctx, left[m.what])
		})
	}})
	supervise.Play(cast, &s.Till, supervise.Child[sale]{
		New: func() actor.Actor[sale] {
			return actor.Func(func(ctx *actor.Context[sale], m sale) error {
				left, err := actor.Ask(ctx, s.Stock, func(r actor.Reply[int]) take { return take{m.what, r} })
				if err != nil {
					return err
				}
				return m.reply.Send(ctx, left)
			})
		},
		Options: []actor.Option{actor.WithCapacity(actor.Data, 16)}, // Where a member runs is said here too.
	})
}

// A troupe is declared in one place, and started and stopped as a whole.
func ExampleStartTroupe() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	shop, sup, err := supervise.StartTroupe(sys, supervise.Config{Name: "shop", Strategy: supervise.OneForAll}, newShop)
	if err != nil {
		log.Fatal(err)
	}
	left, err := actor.Ask(ctx, shop.Till, func(r actor.Reply[int]) sale { return sale{"tea", r} })
	fmt.Println(left, err)
	fmt.Println(sup.Stop(ctx), sys.Stop(ctx))
	// Output:
	// 2 <nil>
	// <nil> <nil>
}
