package stream_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/stream"
)

func liveSystem(tb testing.TB, cfg actor.Config) *actor.System {
	tb.Helper()
	sys, err := actor.NewSystem(cfg)
	must(tb, err)
	patience.StopAtEnd(tb, sys)
	return sys
}

func liveTopic[T any](tb testing.TB, at actor.Spawner, name string) *stream.Live[T] {
	tb.Helper()
	topic, err := stream.NewLive[T](at, stream.LiveConfig{Name: name})
	must(tb, err)
	return topic
}

func liveSpawn[M any](tb testing.TB, at actor.Spawner, receive func(*actor.Context[M], M) error, opts ...actor.Option) actor.Ref[M] {
	tb.Helper()
	ref, err := actor.Spawn(at, actor.Func(receive), opts...)
	must(tb, err)
	return ref
}

func liveSubscribe[T any](tb testing.TB, topic *stream.Live[T], to actor.Ref[T]) *stream.Subscription {
	tb.Helper()
	return liveSubscribeBy(tb, topic, stream.Subscriber[T, T]{To: to})
}

func liveSubscribeBy[T, M any](tb testing.TB, topic *stream.Live[T], s stream.Subscriber[T, M]) *stream.Subscription {
	tb.Helper()
	sub, err := stream.Subscribe(liveContext(tb), topic, s)
	must(tb, err)
	return sub
}

// liveContext returns a context that ends a test that hangs.
func liveContext(tb testing.TB) context.Context {
	tb.Helper()
	if s, ok := tb.(interface{ Context() context.Context }); ok {
		if _, real := tb.(*testing.T); !real {
			return s.Context()
		}
	}
	return patience.Context(tb)
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func wantIs(tb testing.TB, got error, want ...error) {
	tb.Helper()
	for _, w := range want {
		if !errors.Is(got, w) {
			tb.Fatalf("got error %v, want one that wraps %v", got, w)
		}
	}
}

func wantSame[T any](tb testing.TB, what string, got, want T) {
	tb.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		tb.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// gathering is an actor that keeps what it gets, and can be held.
type gathering struct {
	ref  actor.Ref[int]
	got  chan int
	hold chan chan struct{}
}

const holdMark = -1

// newGathering starts one whose lane takes so many messages.
func newGathering(tb testing.TB, at actor.Spawner, capacity int) *gathering {
	tb.Helper()
	g := &gathering{got: make(chan int, 1<<14), hold: make(chan chan struct{}, 1)}
	g.ref = liveSpawn(tb, at, func(_ *actor.Context[int], m int) error {
		if m == holdMark {
			in := make(chan struct{})
			g.hold <- in
			<-in
			return nil
		}
		g.got <- m
		return nil
	}, actor.WithCapacity(actor.Data, capacity))
	return g
}

// stop makes the actor wait in its handler until the returned function is called.
func (g *gathering) stop(tb testing.TB) (release func()) {
	tb.Helper()
	must(tb, g.ref.Send(liveContext(tb), holdMark))
	in := <-g.hold
	return func() { close(in) }
}

// drained ends the actor when it has handled what it has, and returns what it got.
func (g *gathering) drained(tb testing.TB) (all []int) {
	tb.Helper()
	must(tb, g.ref.Drain(liveContext(tb)))
	close(g.got)
	for m := range g.got {
		all = append(all, m)
	}
	return all
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
