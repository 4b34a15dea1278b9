package actor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Actors run beside the workers where their handlers block, or need a thread to
// themselves. They are used like all others.
func ExampleWithBackend() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	handler := func(ctx *actor.Context[question], q question) error { return q.reply.Send(ctx, q.n+1) }
	for _, b := range []actor.Backend{actor.OnScheduler, actor.OnBlocking, actor.OnOwnThread} {
		ref, err := actor.Spawn(sys, actor.Func(handler), actor.WithBackend(b))
		if err != nil {
			log.Fatal(err)
		}
		n, err := actor.Ask(ctx, ref, func(r actor.Reply[int]) question { return question{41, r} })
		fmt.Println(b, n, err)
	}
	// Output:
	// scheduler 42 <nil>
	// blocking 42 <nil>
	// own thread 42 <nil>
}

// The main goroutine runs the handlers of an actor that has to draw, until the
// system is stopped.
func ExampleSystem_RunMain() {
	ctx := context.Background()
	sys := exampleSystem()
	window, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[string], text string) error {
		fmt.Println("drawing:", text)
		return nil
	}), actor.WithBackend(actor.OnMainThread))
	if err != nil {
		log.Fatal(err)
	}
	go func() { // The program proper.
		_ = window.Send(ctx, "hello")
		_ = window.Drain(ctx)
		stop(sys)
	}()
	fmt.Println(sys.RunMain(ctx))
	// Output:
	// drawing: hello
	// <nil>
}

// A loop of frames, as of a game, gives its actors 2 ms of each.
func ExamplePump() {
	ctx := context.Background()
	sys := exampleSystem()
	wake := make(chan struct{}, 1)
	pump, err := actor.NewPump(sys, func() {
		select {
		case wake <- struct{}{}:
		default: // The loop has not taken the last one yet.
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	score := 0 // Belongs to the loop, and needs no lock.
	board, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[int], points int) error {
		score += points
		return nil
	}), actor.WithPump(pump))
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		_ = board.Send(ctx, 40)
		_ = board.Send(ctx, 2)
		_ = board.Drain(ctx)
		stop(sys)
	}()
	for score < 42 {
		hint, err := pump.Run(2 * time.Millisecond)
		if err != nil {
			log.Fatal(err)
		}
		if hint == actor.ParkWait && score < 42 {
			<-wake // Together with the loop's own events.
		}
	}
	fmt.Println("score:", score)
	for running := true; running; { // The actors of a pump end by it too.
		select {
		case <-board.Done():
			running = false
		case <-wake:
			_, _ = pump.Run(time.Second)
		}
	}
	// Output:
	// score: 42
}

// A configuration file says where actors run.
func ExampleParseBackend() {
	var cfg struct {
		Render, Storage actor.Backend
	}
	err := json.Unmarshal([]byte(`{"render": "own-thread", "storage": "blocking"}`), &cfg)
	fmt.Println(cfg.Render, cfg.Storage, err)
	_, err = actor.ParseBackend("fiber")
	fmt.Println(err)
	// Output:
	// own thread blocking <nil>
	// actor: "fiber" is no backend; use scheduler, blocking, own thread or main thread
}
