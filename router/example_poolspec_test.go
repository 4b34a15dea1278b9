package router_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
	"github.com/troupe-go/troupe/supervise"
)

func countWords(_ context.Context, text string) (int, error) {
	return len(strings.Fields(text)), nil
}

// A supervisor starts the pool among its other children. After a kill the same pool works.
func ExamplePoolSpec() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	pool, child := router.PoolSpec(router.PoolConfig[string, int]{Name: "counter", Do: countWords})
	fmt.Println(pool.Ask(ctx, "too early"))
	sup, err := supervise.Start(sys, supervise.Config{Name: "app", Children: []supervise.Spec{child}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pool.Ask(ctx, "all the world's a stage"))
	fmt.Println(pool.Ref().Path(), sup.Stop(ctx))
	// Output:
	// 0 counter has not started; its supervisor starts it: actor: the actor has stopped
	// 5 <nil>
	// /app/counter <nil>
}

// desk is a troupe: what Reader sends to Counter is done by a pool.
type desk struct {
	Counter actor.Ref[string]
	Reader  actor.Ref[string]
	pool    *router.Pool[string, int] // For asks, which get the results.
}

// A pool is a member like any other: its ref is there before anybody starts.
func ExamplePlayPool() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	counted := make(chan int)
	members, sup, err := supervise.StartTroupe(sys, supervise.Config{Name: "desk"}, func(cast *supervise.Cast, d *desk) {
		d.pool = router.PlayPool(cast, &d.Counter, router.PoolConfig[string, int]{
			Do: func(ctx context.Context, text string) (int, error) {
				n, err := countWords(ctx, text)
				if text != "asked for" {
					counted <- n
				}
				return n, err
			},
		})
		supervise.Play(cast, &d.Reader, supervise.Child[string]{New: func() actor.Actor[string] {
			return actor.Func(func(ctx *actor.Context[string], text string) error { return d.Counter.Send(ctx, text) })
		}})
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(members.Reader.Send(ctx, "to be or not to be"), <-counted)
	fmt.Println(members.pool.Ask(ctx, "asked for"))
	fmt.Println(sup.Stop(ctx))
	// Output:
	// <nil> 6
	// 2 <nil>
	// <nil>
}
