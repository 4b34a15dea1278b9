package actor_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/simulated"
)

// tracked counts how many of the values that it made are still reachable.
type tracked struct{ live atomic.Int64 }

func (k *tracked) new() *[64]byte {
	k.live.Add(1)
	p := new([64]byte)
	runtime.AddCleanup(p, func(live *atomic.Int64) { live.Add(-1) }, &k.live)
	return p
}

// wantNone waits until the collector has found all values unreachable.
func (k *tracked) wantNone(t testing.TB, ctx context.Context) {
	t.Helper()
	for k.live.Load() != 0 {
		if ctx.Err() != nil {
			t.Fatalf("%d messages are kept alive", k.live.Load())
		}
		runtime.GC()
	}
}

type trackedMessage struct {
	data *[64]byte
	kind int
}

// trackedActor is an actor whose messages are tracked. Kind 1 holds it until
// open is closed, kind 2 makes it fail.
func trackedActor(entered, open chan struct{}) func(*actor.Context[trackedMessage], trackedMessage) error {
	return func(_ *actor.Context[trackedMessage], p trackedMessage) error {
		switch p.kind {
		case 1:
			entered <- struct{}{}
			<-open
		case 2:
			return errHook
		}
		return nil
	}
}

func TestHandledMessagesAreReleased(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var k tracked
	entered, open := make(chan struct{}), make(chan struct{})
	ref := spawn(t, sys, trackedActor(entered, open))
	for range 3 { // Small batches, then a big one.
		send(t, ctx, ref, trackedMessage{data: k.new()})
	}
	send(t, ctx, ref, trackedMessage{k.new(), 1})
	receive(t, ctx, entered)
	for range 1000 {
		send(t, ctx, ref, trackedMessage{data: k.new()})
	}
	close(open)
	until(t, ctx, func() bool { return actor.Idle(ref) })
	k.wantNone(t, ctx)
	send(t, ctx, ref, trackedMessage{}) // It is still there.
}

func TestDroppedAndWithdrawnMessagesAreReleased(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var k tracked
	entered, open := make(chan struct{}), make(chan struct{})
	ref := spawn(t, sys, trackedActor(entered, open), actor.WithCapacity(actor.Data, 1))
	send(t, ctx, ref, trackedMessage{kind: 1})
	receive(t, ctx, entered)
	send(t, ctx, ref, trackedMessage{})
	wantErr(t, ref.Send(ended(), trackedMessage{data: k.new()}), context.Canceled)
	wantErr(t, ref.TrySend(ctx, trackedMessage{data: k.new()}), actor.ErrFull)
	k.wantNone(t, ctx)

	send(t, ctx, ref.On(actor.Control), trackedMessage{data: k.new()})
	wantErr(t, ref.Stop(ended()), context.Canceled)
	close(open)
	wantNoErr(t, ref.Stop(ctx))
	wantErr(t, ref.Send(ctx, trackedMessage{data: k.new()}), actor.ErrStopped)
	k.wantNone(t, ctx)
	runtime.KeepAlive(ref)
}

func TestAnswersAreReleased(t *testing.T) { simulated.Too(t, testAnswersAreReleased) }

func testAnswersAreReleased(t testing.TB) {
	type request struct{ reply actor.Reply[*[64]byte] }
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var k tracked
	ref := spawn(t, sys, func(c *actor.Context[request], r request) error { return r.reply.Send(c, k.new()) })
	for range 10 {
		_, err := actor.Ask(ctx, ref, func(r actor.Reply[*[64]byte]) request { return request{r} })
		wantNoErr(t, err)
	}
	k.wantNone(t, ctx)
}

func TestStoppedActorsAreReleased(t *testing.T) {
	lane.Short(t)
	simulated.Too(t, testStoppedActorsAreReleased)
}

func testStoppedActorsAreReleased(t testing.TB) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	var k tracked
	func() {
		for range 100 {
			state := k.new()
			ref := spawn(t, sys, func(*actor.Context[int], int) error { state[0]++; return nil })
			send(t, ctx, ref, 1)
			wantNoErr(t, ref.Stop(ctx))
		}
	}()
	k.wantNone(t, ctx)
}

// A large buffer is let go when the burst is over.
func TestBuffersAreReleased(t *testing.T) {
	type large [512]byte // As large as messages are that lie in a lane by value.
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	for _, throughput := range []int{1 << 20, 7} { // In one batch, and in many.
		entered, open := make(chan struct{}), make(chan struct{})
		ref := spawn(t, sys, func(_ *actor.Context[large], m large) error {
			if m[0] == 1 {
				entered <- struct{}{}
				<-open
			}
			return nil
		}, actor.WithThroughput(throughput))
		send(t, ctx, ref, large{1})
		receive(t, ctx, entered)
		for range 1000 {
			send(t, ctx, ref, large{})
		}
		close(open)
		until(t, ctx, func() bool { return actor.Idle(ref) })
		if n := actor.BufferBytes(ref); n > 200<<10 {
			t.Errorf("an idle actor has buffers of %d KB", n>>10)
		}
	}
}
