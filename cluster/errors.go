package cluster

import (
	"errors"
	"sync"

	"github.com/troupe-go/troupe/internal/membership"
	"github.com/troupe-go/troupe/wire"
)

// Errors of nodes and names. They cross between nodes, so errors.Is finds them in the reasons of others.
var (
	// ErrNoQuorum is returned while the engine does not acknowledge this node's writes, as when most of its core nodes are
	// cut off. A node that owns something must not act as its owner meanwhile. It may become valid again under the same birth.
	ErrNoQuorum = membership.ErrNoQuorum
	// ErrNodeLost is the reason of what ends with a node: its actors for those that watch them, asks that it was to answer,
	// and sends to it. A node that the others have taken for lost returns it from Valid; it owns nothing, and may Join again.
	// [wire.ErrUnreachable] says instead that a node does not answer and may live.
	ErrNodeLost = membership.ErrNodeLost
	// ErrLeft is returned by a node after Leave.
	ErrLeft = membership.ErrLeft
	// ErrNameTaken is returned by Join when a live node has the name, and by Register when a live actor has it.
	// actor.ErrNameTaken is about the names of one system.
	ErrNameTaken = membership.ErrNameTaken
	// ErrNoName is returned by Lookup and Unregister for a name that no live actor has. actor.ErrNoName is about the
	// names of one system.
	ErrNoName = errors.New("cluster: no actor has this name")
	// ErrOtherType is returned by Lookup when the actor of a name takes messages of another type.
	ErrOtherType = errors.New("cluster: the actor takes messages of another type")
	// ErrElsewhere is returned by Register for an actor of another node. The names of a node's actors end with the node.
	ErrElsewhere = errors.New("cluster: the actor is on another node; register it there")
)

// registered has the registries in which the errors are.
var registered sync.Map

// registerErrors lets the errors cross.
func registerErrors(r *wire.Registry) {
	if _, done := registered.LoadOrStore(r, true); done {
		return
	}
	for _, e := range []struct {
		err  error
		name string
	}{
		{ErrNoQuorum, "cluster.ErrNoQuorum"},
		{ErrNodeLost, "cluster.ErrNodeLost"},
		{ErrLeft, "cluster.ErrLeft"},
		{ErrNameTaken, "cluster.ErrNameTaken"},
		{ErrNoName, "cluster.ErrNoName"},
		{ErrOtherType, "cluster.ErrOtherType"},
		{ErrElsewhere, "cluster.ErrElsewhere"},
	} {
		wire.Error(e.err, e.name, wire.In(r))
	}
}
