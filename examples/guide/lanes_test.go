package guide_test

import (
	"context"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
)

// start starts a printer of texts that is busy until release is called.
func start(opts ...actor.Option) (sys *actor.System, ref actor.Ref[string], release func()) {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	busy, done := make(chan struct{}), make(chan struct{})
	ref, err = actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], text string) error {
		if text == "work" {
			close(busy)
			<-done
		}
		fmt.Println("handled", text)
		return nil
	}), opts...)
	if err != nil {
		log.Fatal(err)
	}
	if err := ref.Send(context.Background(), "work"); err != nil {
		log.Fatal(err)
	}
	<-busy
	return sys, ref, func() { close(done) }
}

// A lane that holds two messages is full with the third. A Control message goes before what waits.
func Example_lanes() {
	//guide:begin lanes
	ctx := context.Background()
	sys, ref, release := start(actor.WithCapacity(actor.Data, 2)) // It is busy with "work".

	fmt.Println(ref.TrySend(ctx, "first"))
	fmt.Println(ref.TrySend(ctx, "second"))
	fmt.Println(ref.TrySend(ctx, "third"))                    // The lane is full. Send would wait for room.
	fmt.Println(ref.On(actor.Control).TrySend(ctx, "urgent")) // Control has room of its own.
	release()
	//guide:end lanes
	fmt.Println(ref.Drain(ctx))
	fmt.Println(sys.Stop(ctx))
	// Output:
	// <nil>
	// <nil>
	// send to <0.1>: actor: the lane is full: the data lane takes 2 messages; Send and Offer wait for room
	// <nil>
	// handled work
	// handled urgent
	// handled first
	// handled second
	// <nil>
	// <nil>
}

// A sliding lane drops the oldest message that waits.
func Example_sliding() {
	ctx := context.Background()
	//guide:begin sliding
	sys, ref, release := start(actor.WithBuffer(actor.Data, actor.Sliding), actor.WithCapacity(actor.Data, 1))
	for _, price := range []string{"101", "102", "103"} {
		fmt.Println(ref.Send(ctx, price)) // It never waits.
	}
	release()
	//guide:end sliding
	fmt.Println(ref.Drain(ctx))
	fmt.Println(sys.Stop(ctx))
	// Output:
	// <nil>
	// <nil>
	// <nil>
	// handled work
	// handled 103
	// <nil>
	// <nil>
}
