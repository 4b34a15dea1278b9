package shards

import "errors"

// Errors of the ownership of shards.
var (
	// ErrCount is returned by Open if the cluster has another number of shards.
	ErrCount = errors.New("shards: the number of shards can't change, since it decides where everything belongs")
	// ErrNoShard is returned for a number that is no shard.
	ErrNoShard = errors.New("shards: there is no such shard")
	// ErrNoHost is returned by Move for a node that hosts no shards now.
	ErrNoHost = errors.New("shards: the node hosts no shards")
	// ErrHandOver is the cause of the context of a Release that has reached its limit.
	ErrHandOver = errors.New("shards: the hand-over of the shard has reached its limit; what still runs in it is fenced off")
	// ErrLeft is returned after Leave, and is why a shard is lost then.
	ErrLeft = errors.New("shards: the node has left")
	// ErrMoved is why a shard is lost whose entry names another node, or has a new revision.
	ErrMoved = errors.New("shards: the entry of the shard has changed")
	// ErrInvalid is returned for a setting that is not allowed.
	ErrInvalid = errors.New("not allowed")
)
