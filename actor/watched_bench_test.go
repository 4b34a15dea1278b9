package actor_test

import (
	"context"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// BenchmarkWatched is the price of a message whose handler is watched: for
// slowness, for a timeout, for a timeout that depends on the message's kind, or
// not at all.
func BenchmarkWatched(b *testing.B) {
	report := func(actor.HandlerReport) {}
	cases := []struct {
		name string
		cfg  actor.Config
		opts []actor.Option
	}{
		{"not", actor.Config{}, nil},
		{"slow", actor.Config{OnSlow: report, OnBlocked: report}, nil},
		{"timeout", actor.Config{}, []actor.Option{actor.WithHandlerTimeout(time.Second, actor.TimeoutStop)}},
		{"ask timeout", actor.Config{}, []actor.Option{actor.WithAskTimeout(time.Second, actor.TimeoutStop)}},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			sys := newSystem(b, c.cfg)
			n, total := 0, b.N
			done := make(chan struct{})
			ref := spawn(b, sys, func(_ *actor.Context[question], _ question) error {
				if n++; n == total {
					close(done)
				}
				return nil
			}, c.opts...)
			ctx := context.Background()
			b.ResetTimer()
			for i := range b.N {
				if err := ref.Send(ctx, question{n: i}); err != nil {
					b.Fatal(err)
				}
			}
			<-done
		})
	}
}
