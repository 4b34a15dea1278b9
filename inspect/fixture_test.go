package inspect_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/patience"
)

var (
	guarded = patience.Context
	until   = patience.Until
)

func newSystem(tb testing.TB, cfg actor.Config) *actor.System {
	tb.Helper()
	sys, err := actor.NewSystem(cfg)
	wantNoErr(tb, err)
	patience.StopAtEnd(tb, sys)
	return sys
}

// quiet has nothing done by itself.
var quiet = inspect.Config{ProbeEvery: -1, ScanEvery: -1, SlowAfter: -1, Remember: -1}

func newInspector(tb testing.TB, sys *actor.System, cfg inspect.Config) *inspect.Inspector {
	tb.Helper()
	i, err := inspect.New(sys, cfg)
	wantNoErr(tb, err)
	tb.Cleanup(i.Close)
	return i
}

func spawn[M any](tb testing.TB, at actor.Spawner, a actor.Actor[M], opts ...actor.Option) actor.Ref[M] {
	tb.Helper()
	ref, err := actor.Spawn(at, a, opts...)
	wantNoErr(tb, err)
	return ref
}

func send[M any](tb testing.TB, ctx context.Context, to actor.Ref[M], messages ...M) {
	tb.Helper()
	for _, m := range messages {
		wantNoErr(tb, to.Send(ctx, m))
	}
}

func wantNoErr(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func wantErr(tb testing.TB, got, want error) {
	tb.Helper()
	if !errors.Is(got, want) {
		tb.Fatalf("got error %v, want one that wraps %v", got, want)
	}
}

// next returns the next event.
func next(tb testing.TB, ctx context.Context, s *inspect.Subscriber) inspect.Event {
	tb.Helper()
	e, err := s.Next(ctx)
	wantNoErr(tb, err)
	return e
}

// gate is an actor that is held in its handler by each message until the test
// lets it go on.
type gate struct {
	entered, open chan struct{}
}

func newGate() *gate { return &gate{make(chan struct{}, 100), make(chan struct{})} }

func (g *gate) Receive(*actor.Context[int], int) error {
	g.entered <- struct{}{}
	<-g.open
	return nil
}

func (g *gate) hold(tb testing.TB, ctx context.Context, ref actor.Ref[int]) {
	tb.Helper()
	send(tb, ctx, ref, 0)
	select {
	case <-g.entered:
	case <-ctx.Done():
		tb.Fatal("the message is not handled")
	}
}

// sink takes what comes.
type sink struct{}

func (sink) Receive(*actor.Context[int], int) error { return nil }

var errWanted = errors.New("as <b>wanted</b>")

// failer fails with each message, by a panic or not.
type failer struct{}

func (failer) Receive(_ *actor.Context[bool], panics bool) error {
	if panics {
		panic(errWanted)
	}
	return errWanted
}

const soon = time.Millisecond
