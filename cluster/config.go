package cluster

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/troupe-go/troupe/internal/membership"
	"github.com/troupe-go/troupe/wire"
)

// Config describes a node. Only Name is required.
type Config struct {
	// Name is the name of the node, of up to 32 letters, digits, '-' and '_'. No two live nodes of a cluster have one name.
	Name string
	// Labels describe the node to the others, such as zone: east. Defaults to none. Keys and values have 16 KiB in all at most.
	Labels map[string]string
	// Capacity says how much the node takes, beside others: one with 2 takes twice as much as one with 1. It is at most
	// 1,000,000. Defaults to 1.
	Capacity int
	// Registry has the types that may cross. Types that are registered after Join do not cross. Join registers the errors
	// of this package in it. Defaults to [wire.Default].
	Registry *wire.Registry
	// Lease is how long the others wait for a node that is silent before they take it for lost. All nodes must have the
	// same one. It is from 1 s to 1 h; below 15 s an election of the engine's leader may outlast it, and then nodes
	// own nothing for a while. Defaults to 15 s.
	Lease time.Duration
	// Unreachable is how long a node that lives may not answer this one before messages, asks and monitors end with
	// [wire.ErrUnreachable]. Where it is shorter than the time that the others need to find a node lost, that comes first, and
	// not [ErrNodeLost]. Defaults to twice Lease.
	Unreachable time.Duration
	// Logger gets a record when a node joins, leaves or is lost, and when the engine fails calls that this node
	// makes by itself. Defaults to [slog.Default], as it is at that time.
	Logger *slog.Logger

	clock func() time.Duration // Of leases, in tests; nil for the machine's.
}

// maxLabels bounds labels, since each renewal of a lease writes them.
const maxLabels = 16 << 10

func (c Config) checked() (Config, error) {
	if c.Registry == nil {
		c.Registry = wire.Default
	}
	if c.Lease == 0 {
		c.Lease = 15 * time.Second
	}
	if c.Unreachable == 0 {
		c.Unreachable = 2 * c.Lease
	}
	size := 0
	for key, value := range c.Labels { // In any order: it is a sum.
		if key == "" {
			return c, errors.New("cluster: Config.Labels has an empty key; give each label a name")
		}
		size += len(key) + len(value)
	}
	switch {
	case c.Lease < time.Second || c.Lease > time.Hour:
		return c, fmt.Errorf("cluster: Config.Lease is %v, which is %w; use 1s to 1h, or 0 for 15s", c.Lease, membership.ErrInvalid)
	case size > maxLabels:
		return c, fmt.Errorf("cluster: Config.Labels has %d bytes; the limit is %d", size, maxLabels)
	case c.Unreachable < time.Second || c.Unreachable > time.Hour:
		return c, fmt.Errorf("cluster: Config.Unreachable is %v; use 1s to 1h, or 0 for twice the lease", c.Unreachable)
	}
	c.Labels = maps.Clone(c.Labels)
	return c, nil
}

// member is what membership makes of the configuration.
func (c Config) member() membership.Config {
	return membership.Config{Name: c.Name, Labels: c.Labels, Capacity: c.Capacity, Lease: c.Lease, Clock: c.clock}
}
