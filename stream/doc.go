// Package stream carries messages from publishers to all their subscribers.
//
//	ticks, err := stream.NewLive[tick](sys, stream.LiveConfig{Name: "ticks"})
//	sub, err := ticks.Subscribe(ctx, chart) // Chart is the Ref of an actor that takes ticks.
//	sub, err = stream.Subscribe(ctx, ticks, stream.Subscriber[tick, event]{
//		To:       desk, // An actor with messages of its own.
//		Wrap:     func(t tick) event { return event{tick: t} },
//		Where:    func(t tick) bool { return t.symbol == "GO" },
//		Buffer:   100,
//		WhenFull: stream.DropOldest,
//	})
//	err = ticks.Publish(ctx, tick{"GO", 126})
//	for t := range ticks.All(ctx) { // In a goroutine that is no actor.
//		fmt.Println(t)
//	}
//
// # Live topics
//
// A [Live] topic stores nothing. [Live.Publish] puts a copy of the message into the lane of
// each subscriber, where Publish is called: there is no actor in between, and no allocation.
// It waits for the slowest subscriber, in a handler without holding a worker. So a publisher
// is never faster than the subscribers handle its messages, unless a subscription has a buffer of
// its own, or may lose messages; see [WhenFull]. Lost messages are counted; see [LiveStats].
//
// [Mult] and [Mix] are sets of subscribers and of sources, in which members are added, removed,
// paused, muted and soloed while messages flow. [Pipe] connects a topic with a
// connection, [PipeReader] and [PipeWriter] with other streams of bytes. A subscriber that is
// slow stops the reading there.
//
// # Stored topics
//
// A [Topic] keeps its messages in an engine until all its consumers have handled them. [Open] opens one,
// [Topic.Publish] returns when a message is stored, and [Consume] delivers messages to an actor, which
// acknowledges each by [Delivery.Ack]. A message whose handler fails comes again, and is a dead letter in the end.
//
// The guides say how [live topics] and [stored topics] behave.
//
// [live topics]: https://github.com/troupe-go/troupe/blob/main/docs/guide/streams.md
// [stored topics]: https://github.com/troupe-go/troupe/blob/main/docs/guide/topics.md
package stream
