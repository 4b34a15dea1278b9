package actor_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
)

// A display that is slow shows the latest readings and skips those between.
func ExampleWithBuffer() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		panic(err)
	}
	busy, goOn := make(chan struct{}), make(chan struct{})
	display, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[string], reading string) error {
		fmt.Println(reading)
		if reading == "18 °C" {
			close(busy)
			<-goOn // It draws for long.
		}
		return nil
	}), actor.WithBuffer(actor.Data, actor.Sliding), actor.WithCapacity(actor.Data, 2))
	if err != nil {
		panic(err)
	}
	_ = display.Send(ctx, "18 °C")
	<-busy
	for _, reading := range []string{"19 °C", "20 °C", "21 °C", "22 °C"} {
		_ = display.Send(ctx, reading) // It never waits.
	}
	close(goOn)
	_ = display.Drain(ctx)
	fmt.Println(sys.Stats().Dropped, "dropped")
	_ = sys.Stop(ctx)
	// Output:
	// 18 °C
	// 21 °C
	// 22 °C
	// 2 dropped
}

// An actor that can't keep up gives up: its parent, such as a supervisor, may
// restart it with an empty mailbox.
func ExampleWithMailboxLimit() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		panic(err)
	}
	stuck, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[[]byte], _ []byte) error {
		<-ctx.Done()
		return nil
	}), actor.WithMailboxLimit(actor.MailboxLimit{Bytes: 1 << 20, Then: actor.LimitRestart}))
	if err != nil {
		panic(err)
	}
	for range 100 {
		_ = stuck.Send(ctx, make([]byte, 64<<10))
	}
	<-stuck.Done()
	fmt.Println(errors.Is(stuck.Err(), actor.ErrMailboxLimit))
	_ = sys.Stop(ctx)
	// Output: true
}
