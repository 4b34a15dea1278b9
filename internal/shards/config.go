package shards

import (
	"context"
	"fmt"
	"maps"
	"time"
)

// A Handler has what lives in the shards of this node. The calls for one shard come one after the
// other, and those for several shards at the same time.
type Handler interface {
	// Acquire begins a shard. From now on [Owners.Owns] is true for it. Fence is greater than any
	// fence that this shard has had before, on whatever node.
	Acquire(shard int, fence uint64)
	// Release closes a shard, which is still owned, and returns when everything in it has ended.
	// If it has not when ctx ends, the hand-over goes on without it: the cause is [ErrHandOver], the shard is not
	// owned any more, and its Release may still run beside a later Acquire.
	Release(ctx context.Context, shard int)
	// Lost says that a shard is not owned any more, without a Release. If why is
	// [membership.ErrNoQuorum], the node may get the shard again by an Acquire with a greater fence.
	Lost(shard int, why error)
}

// Config describes what a node has to do with shards.
type Config struct {
	// Shards is the number of shards. It is written into the table by the first node, and can't change
	// then. Defaults to 1,024.
	Shards int
	// Capacity is the weight of this node in the placement, from 1 to 100. Defaults to 1.
	Capacity int
	// Labels describe the node to Prefer.
	Labels map[string]string
	// Prefer says which hosts a shard should be on. It is a hint: the others get the shard when those are
	// full or gone. It has to say the same on all nodes. Defaults to all hosts.
	Prefer func(shard int, h Host) bool
	// Handler has what lives in the shards.
	Handler Handler
	// HandOver is how long a Release may take. Defaults to 10 s.
	HandOver time.Duration
	// Parallel is how many writes of entries this node makes at once. Defaults to 64.
	Parallel int
	// Moves is how many shards of the cluster move at once for balance. -1 has none move by themselves.
	// Defaults to 32.
	Moves int
	// Pace is the time between two looks at the own lease, at writes that have failed and at the balance.
	// Defaults to 500 ms.
	Pace time.Duration
}

func (c Config) checked() (Config, error) {
	defaults := func(v *int, otherwise int) {
		if *v == 0 {
			*v = otherwise
		}
	}
	defaults(&c.Shards, 1024)
	defaults(&c.Capacity, 1)
	defaults(&c.Parallel, 64)
	defaults(&c.Moves, 32)
	if c.HandOver == 0 {
		c.HandOver = 10 * time.Second
	}
	if c.Pace == 0 {
		c.Pace = 500 * time.Millisecond
	}
	c.Labels = maps.Clone(c.Labels)
	refuse := func(what string, value any, instead string) error {
		return fmt.Errorf("shards: Config.%s %v is %w; use %s", what, value, ErrInvalid, instead)
	}
	switch {
	case c.Shards < 1 || c.Shards > maxShards:
		return c, refuse("Shards", c.Shards, "1 to 65,536")
	case c.Capacity < 1 || c.Capacity > maxCapacity:
		return c, refuse("Capacity", c.Capacity, "1 to 100")
	case c.Handler == nil:
		return c, refuse("Handler", "nil", "one that begins and ends shards")
	case c.HandOver < 0:
		return c, refuse("HandOver", c.HandOver, "a positive time")
	case c.Parallel < 0:
		return c, refuse("Parallel", c.Parallel, "at least 1")
	case c.Moves < -1:
		return c, refuse("Moves", c.Moves, "at least 1, or -1 for none")
	case c.Pace < time.Millisecond:
		return c, refuse("Pace", c.Pace, "at least 1ms")
	}
	return c, nil
}
