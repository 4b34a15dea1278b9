package jet_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/wire"
)

// request is a message between nodes.
type request struct {
	N     int
	Reply actor.Reply[int]
}

// TestThreeNodesLoseOne joins three systems by three embedded servers, and closes one server. Its monitors and asks end with ErrNodeLost, and the two others go on.
func TestThreeNodesLoseOne(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	engines := openAll(t, cores(t, "nodes"))
	types := &wire.Registry{}
	wire.Register[request]("request", wire.In(types))
	wire.Register[int]("int", wire.In(types))
	var nodes []*cluster.Node
	for i, name := range []string{"a", "b", "c"} {
		sys, err := actor.NewSystem(actor.Config{Workers: 2, AskTimeout: -1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = sys.Stop(context.Background()) })
		// A loaded machine may be silent for long, and an election too: the lease is the default, and nothing ends before it.
		n, err := cluster.Join(ctx, sys, engines[i], cluster.Config{Name: name, Registry: types, Unreachable: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			over, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			_ = n.Leave(over) // The engines of some have ended.
			<-n.Done()
		})
		nodes = append(nodes, n)
	}
	spawn := func(n *cluster.Node, name string, h func(*actor.Context[request], request) error) {
		ref, err := actor.Spawn(n.System(), actor.Func(h))
		if err == nil {
			err = cluster.Register(ctx, n, name, ref)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	find := func(n *cluster.Node, name string) actor.Ref[request] {
		for {
			ref, err := cluster.Lookup[request](ctx, n, name)
			if err == nil {
				return ref
			}
			if ctx.Err() != nil || !errors.Is(err, cluster.ErrNoQuorum) && !errors.Is(err, cluster.ErrNoName) { // A read may be late.
				t.Fatal(err)
			}
		}
	}
	adder := func(ctx *actor.Context[request], r request) error { return r.Reply.Send(ctx, r.N+1) }
	ask := func(ref actor.Ref[request], n int) (int, error) {
		return actor.Ask(ctx, ref, func(r actor.Reply[int]) request { return request{n, r} })
	}
	spawn(nodes[0], "waits", func(ctx *actor.Context[request], _ request) error { <-ctx.Done(); return nil })
	spawn(nodes[0], "adds", adder)
	spawn(nodes[1], "goes-on", adder)
	for _, n := range nodes {
		if v, err := ask(find(n, "adds"), 1); v != 2 || err != nil {
			t.Fatalf("node %q asks: %d, %v", n.Name(), v, err)
		}
	}
	waits := find(nodes[2], "waits")
	down, stop := nodes[2].System().Monitor(waits.PID())
	defer stop()
	result := make(chan error, 1)
	go func() {
		_, err := ask(waits, 1)
		result <- err
	}()
	closeAll(t, engines[:1])
	for range 2 {
		select {
		case e := <-down:
			down = nil
			if !errors.Is(e.Reason, cluster.ErrNodeLost) {
				t.Errorf("the monitor got %v", e.Reason)
			}
		case err := <-result:
			result = nil
			if !errors.Is(err, cluster.ErrNodeLost) || !errors.Is(err, actor.ErrNoReply) {
				t.Errorf("the ask got %v", err)
			}
		case <-ctx.Done():
			t.Fatal("the loss of a node is not told")
		}
	}
	if v, err := ask(find(nodes[2], "goes-on"), 2); v != 3 || err != nil {
		t.Errorf("after the loss: %d, %v", v, err)
	}
	spawn(nodes[2], "adds", adder) // The name is free.
	if v, err := ask(find(nodes[1], "adds"), 3); v != 4 || err != nil {
		t.Errorf("the name's new actor: %d, %v", v, err)
	}
}
