package membership

import "errors"

// Errors of a node. Package cluster exports them, so their texts have its name.
var (
	// ErrNoQuorum is returned when the lease could not be renewed in time. The node may
	// become valid again under the same birth.
	ErrNoQuorum = errors.New("cluster: the lease is not renewed; the node owns nothing until the engine answers again")
	// ErrNodeLost is returned when this birth has ended: another node has ended its lease, or
	// the table has lost its entry. Only a new Join helps.
	ErrNodeLost = errors.New("cluster: the birth of the node has ended")
	// ErrLeft is returned after Leave.
	ErrLeft = errors.New("cluster: the node has left the cluster")
	// ErrNameTaken is returned by Join when another node of the name renews its lease.
	ErrNameTaken = errors.New("cluster: the name is taken")
	// ErrInvalid is returned for a setting that is not allowed.
	ErrInvalid = errors.New("not allowed")
)
