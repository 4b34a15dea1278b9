package membership

import "errors"

// Errors of a node.
var (
	// ErrNoQuorum is returned when the lease could not be renewed in time. The node may
	// become valid again under the same birth.
	ErrNoQuorum = errors.New("membership: the lease is not renewed; the node owns nothing until the table answers again")
	// ErrNodeLost is returned when this birth has ended: another node has ended its lease, or
	// the table has lost its entry. Only a new Join helps.
	ErrNodeLost = errors.New("membership: this birth of the node has ended; stop what it owns, and join again")
	// ErrLeft is returned after Leave.
	ErrLeft = errors.New("membership: the node has left the cluster")
	// ErrNameTaken is returned by Join when another node of the name renews its lease.
	ErrNameTaken = errors.New("membership: a node of this name is alive; give each node a name of its own")
	// ErrInvalid is returned for a setting that is not allowed.
	ErrInvalid = errors.New("not allowed")
)
