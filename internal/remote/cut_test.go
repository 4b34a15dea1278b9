package remote_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/remote"
	"github.com/troupe-go/troupe/internal/session"
	"github.com/troupe-go/troupe/wire"
)

// number is a message; an ask if Reply is set.
type number struct {
	N     int
	Reply actor.Reply[int]
}

// place is one of the nodes of a test.
type place struct {
	sys     *actor.System
	node    *remote.Node
	letters chan actor.DeadLetter
}

// nodes joins systems of several nodes over one network. Sessions end when nothing was heard for the given time.
func nodes(t *testing.T, unreachable time.Duration, names ...string) (*memory.Network, []place) {
	t.Helper()
	network, err := memory.NewNetwork()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = network.Close() })
	r := &wire.Registry{}
	wire.Register[number]("number", wire.In(r))
	wire.Register[int]("int", wire.In(r))
	var all []place
	for _, name := range names {
		p := place{letters: make(chan actor.DeadLetter, 1024)}
		p.sys, err = actor.NewSystem(actor.Config{Workers: 2, OnDeadLetter: func(d actor.DeadLetter) {
			select {
			case p.letters <- d:
			default: // A test looks at the first ones.
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		p.node, err = remote.Join(remote.Config{System: p.sys, Self: session.Node{Name: name, Birth: 3}, Bus: network.Bus(name), Registry: r, Unreachable: unreachable, Heartbeat: unreachable / 8, Resend: 5 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	t.Cleanup(func() {
		for _, p := range all {
			if err := p.sys.Stop(patience.Context(t)); err != nil {
				t.Error(err)
			}
		}
		for _, p := range all {
			over, cancel := context.WithCancel(context.Background())
			cancel() // Nothing waits for messages that are not acknowledged by now.
			_ = p.node.Close(over)
		}
	})
	return network, all
}

func spawn(t *testing.T, p place, h func(*actor.Context[number], number) error) actor.Ref[number] {
	t.Helper()
	ref, err := actor.Spawn(p.sys, actor.Func(h))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// move returns a ref as another node has it.
func move(t *testing.T, ref actor.Ref[number], to place) actor.Ref[number] {
	t.Helper()
	data, err := wire.Export(ref)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := wire.Import[number](to.sys, data)
	if err != nil {
		t.Fatal(err)
	}
	return moved
}

func await[T any](t *testing.T, ctx context.Context, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-ctx.Done():
		t.Fatal("nothing has come")
	}
	return v
}

// TestACutIsToldToAllThatWait cuts two nodes from each other while an ask waits and the actor is watched. Both end
// with ErrUnreachable, and a message that can't be acknowledged is a dead letter of its sender.
func TestACutIsToldToAllThatWait(t *testing.T) {
	ctx := patience.Context(t)
	network, p := nodes(t, 3*time.Second, "a", "b") // A loaded machine must not stand still for so long.
	began := make(chan bool, 1)
	here := spawn(t, p[0], func(ctx *actor.Context[number], _ number) error {
		began <- true
		<-ctx.Done() // The node of the asker is lost.
		return nil
	})
	other := spawn(t, p[0], func(*actor.Context[number], number) error { return nil })
	there, free := move(t, here, p[1]), move(t, other, p[1])
	down, cancel := p[1].sys.Monitor(there.PID())
	defer cancel()
	result := make(chan error, 1)
	go func() {
		_, err := actor.Ask(ctx, there, func(r actor.Reply[int]) number { return number{Reply: r} })
		result <- err
	}()
	await(t, ctx, began)
	network.Cut("a", "b")
	if err := free.Send(ctx, number{N: 8}); err != nil && !errors.Is(err, wire.ErrUnreachable) { // It is in the session, unless that has ended.
		t.Fatal(err)
	} else if err == nil {
		d := await(t, ctx, p[1].letters)
		for d.To == there.PID() { // The message of the ask may have arrived without an acknowledgement.
			d = await(t, ctx, p[1].letters)
		}
		if !errors.Is(d.Reason, wire.ErrUnconfirmed) || d.Message.(number).N != 8 || d.To != free.PID() {
			t.Errorf("the dead letter is %+v", d)
		}
	}
	if err := await(t, ctx, result); !errors.Is(err, wire.ErrUnreachable) || !errors.Is(err, actor.ErrNoReply) {
		t.Errorf("the ask got %v", err)
	}
	if e := await(t, ctx, down); !errors.Is(e.Reason, wire.ErrUnreachable) {
		t.Errorf("the watcher got %+v", e)
	}
	if err := free.Send(ctx, number{N: 9}); !errors.Is(err, wire.ErrUnreachable) {
		t.Errorf("a send over the cut got %v", err)
	}
	if err := there.Err(); err != nil {
		t.Fatalf("an actor that is out of reach has ended (%v)", err)
	}
	network.Heal("a", "b")
	for {
		err := there.Send(ctx, number{N: 10})
		if err == nil {
			break
		}
		if ctx.Err() != nil || !errors.Is(err, wire.ErrUnreachable) { // It may hear of the end of the session before.
			t.Fatalf("a send after the cut got %v", err)
		}
	}
	await(t, ctx, began)
	again, cancel := p[1].sys.Monitor(there.PID())
	defer cancel()
	awaitWatch(t, ctx, here)
	if err := here.Kill(); err != nil {
		t.Fatal(err)
	}
	if e := await(t, ctx, again); !errors.Is(e.Reason, actor.ErrKilled) {
		t.Errorf("the second watcher got %+v", e)
	}
	if err := there.Err(); !errors.Is(err, actor.ErrKilled) {
		t.Errorf("the actor has ended for %v", err)
	}
}

// awaitWatch returns when an actor is watched.
func awaitWatch(t *testing.T, ctx context.Context, ref actor.Ref[number]) {
	t.Helper()
	for {
		i, err := ref.Info()
		if err != nil || ctx.Err() != nil {
			t.Fatal("the watch has not arrived", err)
		}
		if i.MonitoredBy > 0 {
			return
		}
		runtime.Gosched()
	}
}

// TestAStopOfAnActorOutOfReachEnds has a caller wait for the end of an actor whose node is cut off.
func TestAStopOfAnActorOutOfReachEnds(t *testing.T) {
	ctx := patience.Context(t)
	network, p := nodes(t, 3*time.Second, "a", "b")
	began, done := make(chan bool, 1), make(chan bool)
	defer close(done)
	here := spawn(t, p[0], func(*actor.Context[number], number) error {
		began <- true
		<-done
		return nil
	})
	there := move(t, here, p[1])
	if err := there.Send(ctx, number{}); err != nil {
		t.Fatal(err)
	}
	await(t, ctx, began)
	over := there.Done()
	result := make(chan error, 1)
	go func() { result <- there.Stop(ctx) }()
	awaitWatch(t, ctx, here)
	network.Cut("a", "b")
	if err := await(t, ctx, result); !errors.Is(err, wire.ErrUnreachable) {
		t.Errorf("the stop got %v", err)
	}
	await(t, ctx, over)
}

// TestMessagesThatWaitWhenTheirNodeClosesAreDeadLetters closes a node that has accepted messages for a full lane.
func TestMessagesThatWaitWhenTheirNodeClosesAreDeadLetters(t *testing.T) {
	ctx := patience.Context(t)
	_, p := nodes(t, 0, "a", "b")
	began, done := make(chan bool, 1), make(chan bool)
	here, err := actor.Spawn(p[0].sys, actor.Func(func(_ *actor.Context[number], m number) error {
		if m.N == 0 {
			began <- true
			<-done
		}
		return nil
	}), actor.WithCapacity(actor.Data, 1))
	if err != nil {
		t.Fatal(err)
	}
	there := move(t, here, p[1])
	for i := range 6 {
		if err := there.Send(ctx, number{N: i}); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			await(t, ctx, began)
		}
	}
	for there.Backlog() != 4 { // One is being handled, and one is in the lane.
		if runtime.Gosched(); ctx.Err() != nil {
			t.Fatalf("the backlog is %d", there.Backlog())
		}
	}
	if err := p[1].node.Close(ctx); err != nil { // All is acknowledged by then.
		t.Fatal(err)
	}
	if err := p[0].node.Close(ctx); err != nil {
		t.Fatal(err)
	}
	for i := 2; i < 6; i++ {
		d := await(t, ctx, p[0].letters)
		if d.To != here.PID() || d.Message.(number).N != i || !errors.Is(d.Reason, session.ErrClosed) {
			t.Errorf("a dead letter is %+v, want message %d", d, i)
		}
	}
	close(done)
}

// TestAThirdNodeAnswers has the ask of one node handed on by another, and answered by a third.
func TestAThirdNodeAnswers(t *testing.T) {
	ctx := patience.Context(t)
	_, p := nodes(t, 0, "a", "b", "c")
	last := spawn(t, p[2], func(ctx *actor.Context[number], m number) error { return m.Reply.Send(ctx, m.N+1) })
	next := move(t, last, p[1])
	middle := spawn(t, p[1], func(ctx *actor.Context[number], m number) error {
		m.N *= 2
		return next.Send(ctx, m)
	})
	for i := range 20 {
		got, err := actor.Ask(ctx, move(t, middle, p[0]), func(r actor.Reply[int]) number { return number{N: i, Reply: r} })
		if err != nil || got != 2*i+1 {
			t.Fatalf("the answer to %d is %d (%v)", i, got, err)
		}
	}
}
