package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/troupe-go/troupe/actor"
)

type priceOf struct {
	item  string
	reply actor.Reply[float64]
}

type stockOf struct {
	item  string
	reply actor.Reply[int]
}

type reviewsOf struct {
	item  string
	reply actor.Reply[string]
}

// A page of a shop asks three actors of different types at the same time. One of
// them takes too long, and the page is shown without its part.
func ExampleGather() {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	prices, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[priceOf], m priceOf) error {
		return m.reply.Send(c, 9.5)
	}))
	if err != nil {
		log.Fatal(err)
	}
	stocks, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[stockOf], m stockOf) error {
		return m.reply.Send(c, 12)
	}))
	if err != nil {
		log.Fatal(err)
	}
	reviews, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[reviewsOf], m reviewsOf) error {
		<-c.Done() // Ends with the deadline of the page.
		return nil
	}), actor.WithName("reviews"))
	if err != nil {
		log.Fatal(err)
	}

	type show struct {
		item string
		page actor.Reply[string]
	}
	pages, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[show], m show) error {
		inTime, cancel := context.WithTimeout(c, 20*time.Millisecond)
		defer cancel()
		var each actor.Answer[float64]
		var left actor.Answer[int]
		var said actor.Answer[string]
		err := actor.Gather(inTime,
			actor.Into(&each, prices, func(r actor.Reply[float64]) priceOf { return priceOf{m.item, r} }),
			actor.Into(&left, stocks, func(r actor.Reply[int]) stockOf { return stockOf{m.item, r} }),
			actor.Into(&said, reviews, func(r actor.Reply[string]) reviewsOf { return reviewsOf{m.item, r} }),
		)
		if errors.Is(err, context.DeadlineExceeded) {
			said.Value = "no reviews at the moment"
		} else if err != nil {
			return m.page.Fail(c, err)
		}
		return m.page.Send(c, fmt.Sprintf("%s: %.2f, %d left, %s", m.item, each.Value, left.Value, said.Value))
	}))
	if err != nil {
		log.Fatal(err)
	}
	page, err := actor.Ask(ctx, pages, func(r actor.Reply[string]) show { return show{"teapot", r} })
	fmt.Println(page, err)
	if err := sys.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: teapot: 9.50, 12 left, no reviews at the moment <nil>
}

// The shards of a map are asked at the same time, and their answers come in the
// order of the shards.
func ExampleAskAll() {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	var shards []actor.Ref[stockOf]
	for i := range 3 {
		shard, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[stockOf], m stockOf) error {
			if i == 1 {
				return m.reply.Fail(c, errors.New("no "+m.item+" here"))
			}
			return m.reply.Send(c, 10*i+1)
		}))
		if err != nil {
			log.Fatal(err)
		}
		shards = append(shards, shard)
	}
	answers := actor.AskAll(ctx, shards, func(r actor.Reply[int]) stockOf { return stockOf{"tea", r} })
	for i, a := range answers {
		fmt.Println(i, a.Value, a.Err)
	}
	if err := sys.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 1 <nil>
	// 1 0 no tea here
	// 2 21 <nil>
}

// Two of three replicas are enough.
func ExampleAskQuorum() {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	var replicas []actor.Ref[stockOf]
	for i := range 3 {
		replica, err := actor.Spawn(sys, actor.Func(func(c *actor.Context[stockOf], m stockOf) error {
			if i == 0 {
				return nil // It never answers.
			}
			return m.reply.Send(c, 7)
		}))
		if err != nil {
			log.Fatal(err)
		}
		replicas = append(replicas, replica)
	}
	answers, err := actor.AskQuorum(ctx, replicas, 2, func(r actor.Reply[int]) stockOf { return stockOf{"tea", r} })
	fmt.Println(answers[1].Value, answers[2].Value, err)
	fmt.Println(errors.Is(answers[0].Err, actor.ErrNotNeeded))
	if err := sys.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 7 7 <nil>
	// true
}
