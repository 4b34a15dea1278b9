package router_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

// A pool that has too much to do grows, and tells why.
func ExampleElastic() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	open, grown := make(chan struct{}), make(chan router.Scaling, 8)
	pool, err := router.NewElastic(sys, router.ElasticConfig[string]{
		Min: 1, Max: 2, UpBacklog: 4.5, Every: time.Millisecond, Cooldown: -1,
		New: func() actor.Actor[string] {
			return actor.Func(func(*actor.Context[string], string) error { <-open; return nil })
		},
		OnScale: func(s router.Scaling) { grown <- s },
	})
	if err != nil {
		log.Fatal(err)
	}
	for range 5 {
		if err := pool.Router().Send(ctx, "a page to print"); err != nil {
			log.Fatal(err)
		}
	}
	for range 2 {
		s := <-grown
		fmt.Printf("from %d to %d: %v, backlog %v\n", s.From, s.To, s.Reason, s.Backlog)
	}
	close(open)
	fmt.Println(pool.Drain(ctx))
	// Output:
	// from 0 to 1: below min, backlog 0
	// from 1 to 2: backlog high, backlog 5
	// <nil>
}
