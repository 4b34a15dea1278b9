package stream_test

import (
	"context"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/netio"
	"github.com/troupe-go/troupe/strand"
	"github.com/troupe-go/troupe/stream"
)

type tick struct {
	symbol string
	price  int
}

// Event is the type of all messages of an actor that has others as well.
type event struct{ tick tick }

// A chart gets all ticks, and a desk the ticks of one symbol, as messages of its own type.
func ExampleLive() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = sys.Stop(ctx) }()
	chart, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[tick], t tick) error {
		fmt.Println("chart:", t.symbol, t.price)
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	prices := make(chan int, 10)
	desk, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[event], e event) error {
		prices <- e.tick.price
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}

	ticks, err := stream.NewLive[tick](sys, stream.LiveConfig{Name: "ticks"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := ticks.Subscribe(ctx, chart); err != nil {
		log.Fatal(err)
	}
	if _, err := stream.Subscribe(ctx, ticks, stream.Subscriber[tick, event]{
		To:       desk,
		Wrap:     func(t tick) event { return event{t} },
		Where:    func(t tick) bool { return t.symbol == "GO" },
		Buffer:   100,
		WhenFull: stream.DropOldest,
	}); err != nil {
		log.Fatal(err)
	}
	for _, t := range []tick{{"GO", 126}, {"C", 23}, {"GO", 127}} {
		if err := ticks.Publish(ctx, t); err != nil {
			log.Fatal(err)
		}
	}
	if err := ticks.Close(ctx); err != nil {
		log.Fatal(err)
	}
	if err := chart.Drain(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println("desk:", <-prices, <-prices)
	// Output:
	// chart: GO 126
	// chart: C 23
	// chart: GO 127
	// desk: 126 127
}

// Two sensors are merged into one topic. While one is soloed, the messages of the other are dropped, and counted.
func ExampleMix() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = sys.Stop(ctx) }()
	newTopic := func(name string) *stream.Live[string] {
		topic, err := stream.NewLive[string](sys, stream.LiveConfig{Name: name})
		if err != nil {
			log.Fatal(err)
		}
		return topic
	}
	all, north, south := newTopic("all"), newTopic("north"), newTopic("south")
	inputs, err := stream.Mix(ctx, all, north, south)
	if err != nil {
		log.Fatal(err)
	}
	screen, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[string], s string) error {
		fmt.Println(s)
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := stream.Mult(ctx, all, screen); err != nil {
		log.Fatal(err)
	}
	publish := func(to *stream.Live[string], s string) {
		if err := to.Publish(ctx, s); err != nil {
			log.Fatal(err)
		}
	}
	publish(north, "north: 1")
	publish(south, "south: 1")
	if err := inputs.Solo(north, true); err != nil {
		log.Fatal(err)
	}
	publish(south, "south: 2")
	publish(north, "north: 2")
	if err := screen.Drain(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println("dropped:", south.Stats().Dropped)
	// Output:
	// north: 1
	// south: 1
	// north: 2
	// dropped: 1
}

// A chat room is a topic: what one peer sends comes to all.
func ExamplePipe() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = sys.Stop(ctx) }()
	room, err := stream.NewLive[string](sys, stream.LiveConfig{Name: "room"})
	if err != nil {
		log.Fatal(err)
	}
	near, far := strand.Pipe() // In a server, what a listener has accepted.
	pipe, err := stream.Pipe(ctx, sys, near, stream.PipeConfig[string, string]{Codec: netio.Lines{}, In: room, Out: room})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := far.Write(ctx, []byte("hello\n")); err != nil {
		log.Fatal(err)
	}
	line, err := far.ReadLine(ctx)
	fmt.Println(line, err)
	if err := far.Close(); err != nil {
		log.Fatal(err)
	}
	<-pipe.Done()
	// Output: hello <nil>
}
