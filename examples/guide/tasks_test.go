package guide_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/task"
)

//guide:begin best

// best asks for the lowest price of several exchanges.
type best struct{ cents actor.Reply[int64] }

// broker asks all of its exchanges at the same time.
type broker struct {
	exchanges []func(ctx context.Context) (int64, error)
}

// Receive answers with the lowest price.
func (b *broker) Receive(ctx *actor.Context[best], m best) error {
	prices, err := task.Run(ctx, task.FirstFailure[int64](), func(_ context.Context, g *task.Group[int64]) error {
		for _, ask := range b.exchanges {
			if _, err := g.Go(ask); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return m.cents.Fail(ctx, err)
	}
	return m.cents.Send(ctx, slices.Min(prices))
}

//guide:end best

// exchange always has the same price.
func exchange(cents int64) func(context.Context) (int64, error) {
	return func(context.Context) (int64, error) { return cents, nil }
}

// Tasks of a handler end with it.
func Example_tasks() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	b := &broker{exchanges: []func(context.Context) (int64, error){exchange(103), exchange(99), exchange(101)}}
	ref, err := actor.Spawn(sys, b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(actor.Ask(ctx, ref, func(r actor.Reply[int64]) best { return best{r} }))
	fmt.Println(sys.Stop(ctx))
	// Output:
	// 99 <nil>
	// <nil>
}

//guide:begin pipe

// toBoard is any message to a board: a request to refresh, or the result of one.
type toBoard struct {
	refresh bool
	cents   int64
	err     error
}

// board shows a price. It goes on with other messages while a refresh is under way.
type board struct {
	fetch func(ctx context.Context) (int64, error)
	shown chan int64
}

// Receive handles one message.
func (b *board) Receive(ctx *actor.Context[toBoard], m toBoard) error {
	if m.refresh {
		return actor.PipeToSelf(ctx, b.fetch, func(cents int64, err error) toBoard {
			return toBoard{cents: cents, err: err}
		})
	}
	if m.err == nil {
		b.shown <- m.cents
	}
	return nil
}

//guide:end pipe

// The result of the work comes back as a message.
func Example_pipe() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	b := &board{fetch: exchange(98), shown: make(chan int64, 1)}
	ref, err := actor.Spawn(sys, b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ref.Send(ctx, toBoard{refresh: true}), <-b.shown)
	fmt.Println(sys.Stop(ctx))
	// Output:
	// <nil> 98
	// <nil>
}
