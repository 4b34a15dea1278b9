package router_test

import (
	"context"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

// An ask gets the result of its task. A loop gets the results of many tasks, in order.
func ExamplePool() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	pool, err := router.NewPool(sys, router.PoolConfig[string, int]{
		Workers: 4,
		Do: func(_ context.Context, text string) (int, error) {
			if text == "" {
				return 0, fmt.Errorf("nothing to count")
			}
			return len(strings.Fields(text)), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pool.Ask(ctx, "all the world's a stage"))
	lines := slices.Values([]string{"to be", "or not to be", "", "that is the question"})
	for words, err := range pool.Map(ctx, lines) {
		fmt.Println(words, err)
	}
	fmt.Println(pool.Drain(ctx))
	// Output:
	// 5 <nil>
	// 2 <nil>
	// 4 <nil>
	// 0 router: task 2: nothing to count
	// 4 <nil>
	// <nil>
}

// transfer is a task whose order matters, for each account.
type transfer struct {
	account string
	amount  int
}

// Tasks of one account run one by one, in order, so the account needs no lock. Tasks
// of other accounts run at the same time.
func ExamplePool_Send() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	ann, bob := 0, 0
	balances := map[string]*int{"ann": &ann, "bob": &bob}
	pool, err := router.NewPool(sys, router.PoolConfig[transfer, int]{
		Key: router.By(func(t transfer) (string, bool) { return t.account, true }),
		Do: func(_ context.Context, t transfer) (int, error) {
			balance := balances[t.account]
			if *balance+t.amount < 0 {
				return *balance, fmt.Errorf("%s has only %d", t.account, *balance)
			}
			*balance += t.amount
			return *balance, nil
		},
		OnError: func(_ transfer, err error) { fmt.Println(err) },
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range []transfer{{"ann", 5}, {"bob", 2}, {"ann", -3}, {"ann", -3}} {
		if err := pool.Send(ctx, t); err != nil {
			log.Fatal(err)
		}
	}
	if err := pool.Drain(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(ann, bob)
	// Output:
	// ann has only 2
	// 2 2
}

// Code that knows only refs sends to the pool as to one actor, on any lane.
func ExamplePool_Ref() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	pool, err := router.NewPool(sys, router.PoolConfig[string, struct{}]{
		Do: func(_ context.Context, s string) (struct{}, error) {
			fmt.Println(s)
			return struct{}{}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	ref := pool.On(actor.Control).Ref()
	fmt.Println(ref.Send(ctx, "urgent"), pool.Drain(ctx))
	// Unordered output:
	// urgent
	// <nil> <nil>
}
