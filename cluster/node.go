package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/internal/membership"
	"github.com/troupe-go/troupe/internal/remote"
	"github.com/troupe-go/troupe/internal/session"
	"github.com/troupe-go/troupe/wire"
)

// Config describes a node.
type Config struct {
	// Name is the name of the node, of up to 32 letters, digits, '-' and '_'. It is required.
	Name string
	// Registry has the types that may cross. Defaults to [wire.Default].
	Registry *wire.Registry
}

// A Node is a system that is a member of a cluster. Its methods may be called by several goroutines.
type Node struct {
	sys      *actor.System
	eng      engine.Engine
	member   *membership.Node
	remote   *remote.Node
	stop     context.CancelFunc // Of the goroutine that tells of lost nodes.
	watching sync.WaitGroup
}

// Join makes a system a node of the cluster that shares the engine. It waits while the engine has no quorum, and while an
// older birth of the name still has a lease. The ctx of Join does not end the node.
func Join(ctx context.Context, sys *actor.System, eng engine.Engine, cfg Config) (*Node, error) {
	table, err := eng.Table(ctx, "members")
	if err != nil {
		return nil, fmt.Errorf("cluster: join as %q: %w", cfg.Name, err)
	}
	member, err := membership.Join(ctx, table, membership.Config{Name: cfg.Name})
	if err != nil {
		return nil, fmt.Errorf("cluster: join as %q: %w", cfg.Name, err)
	}
	carrier, err := remote.Join(remote.Config{
		System: sys, Bus: eng.Bus(), Registry: cfg.Registry,
		Self: session.Node{Name: member.Name(), Birth: member.Birth()},
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cluster: join as %q: %w", cfg.Name, err), member.Leave(ctx))
	}
	n := &Node{sys: sys, eng: eng, member: member, remote: carrier}
	var watch context.Context
	watch, n.stop = context.WithCancel(context.Background())
	n.watching.Go(func() { n.follow(watch) })
	return n, nil
}

// follow tells the carrier which nodes have ended.
func (n *Node) follow(ctx context.Context) {
	for e := range n.member.Events(ctx) {
		if e.Kind != membership.Joined {
			n.remote.Lost(session.Node{Name: e.Member.Name, Birth: e.Member.Birth}, fmt.Errorf("%w: %v", membership.ErrNodeLost, e))
		}
	}
}

// System returns the system that has joined.
func (n *Node) System() *actor.System { return n.sys }

// Engine returns the engine of the cluster.
func (n *Node) Engine() engine.Engine { return n.eng }

// Name returns the name of the node.
func (n *Node) Name() string { return n.member.Name() }

// Birth returns the number of this life of the node. A later one of the same name has a greater number.
func (n *Node) Birth() uint64 { return n.member.Birth() }

// Valid returns nil while this node may act as the owner of what it owns. It asks nobody.
func (n *Node) Valid() error { return n.member.Valid() }

// Leave ends this birth of the node, and tells the others so. The system goes on alone.
func (n *Node) Leave(ctx context.Context) error {
	n.stop()
	n.watching.Wait()
	return errors.Join(n.remote.Close(ctx), n.member.Leave(ctx))
}
