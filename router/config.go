package router

import (
	"fmt"
	"math"

	"github.com/troupe-go/troupe/actor"
)

// Config configures a [Router]. The zero value is a round robin without
// routees.
type Config[M any] struct {
	// Name is for people; it appears in errors and statistics. Defaults to
	// "router".
	Name string
	// Strategy says which routee gets a message. Defaults to [RoundRobin].
	Strategy Strategy
	// Routees are those to begin with; see [Router.Add]. Defaults to none.
	Routees []actor.Ref[M]
	// Key finds out the key of a message. ConsistentHash and BoundedHash need it,
	// the others have no use for it. Defaults to none.
	Key Key[M]
	// LoadFactor is by how much the backlog of a routee may exceed the mean of all
	// under BoundedHash; it must be more than 1. Defaults to 1.25.
	LoadFactor float64
	// WhenEmpty says what a send does if there are no routees. Defaults to
	// [FailWhenEmpty].
	WhenEmpty EmptyPolicy
	// WhenFull says what a send does if the chosen routee's lane is full. Defaults
	// to [TryOthers].
	WhenFull FullPolicy
}

func (c Config[M]) withDefaults() (Config[M], error) {
	switch {
	case c.Strategy >= numStrategies:
		return c, fmt.Errorf("router: unknown Config.Strategy %d; use RoundRobin or another of the constants", uint8(c.Strategy))
	case c.WhenEmpty >= numEmptyPolicies:
		return c, fmt.Errorf("router: unknown Config.WhenEmpty %d; use FailWhenEmpty or WaitWhenEmpty", uint8(c.WhenEmpty))
	case c.WhenFull >= numFullPolicies:
		return c, fmt.Errorf("router: unknown Config.WhenFull %d; use TryOthers or WaitForChosen", uint8(c.WhenFull))
	case c.Strategy.hashes() && c.Key == nil:
		return c, fmt.Errorf("router: Config.Key is nil; the strategy %v needs it, see By", c.Strategy)
	case !c.Strategy.hashes() && c.Key != nil:
		return c, fmt.Errorf("router: Config.Key is given, but the strategy %v does not go by keys; use ConsistentHash or BoundedHash", c.Strategy)
	case c.LoadFactor != 0 && c.Strategy != BoundedHash:
		return c, fmt.Errorf("router: Config.LoadFactor is %v, but the strategy %v has no use for it; use BoundedHash", c.LoadFactor, c.Strategy)
	case c.LoadFactor != 0 && !(c.LoadFactor > 1) || math.IsInf(c.LoadFactor, 1):
		return c, fmt.Errorf("router: Config.LoadFactor is %v; it must be more than 1, or 0 for the default", c.LoadFactor)
	}
	if c.Name == "" {
		c.Name = "router"
	}
	if c.LoadFactor == 0 {
		c.LoadFactor = 1.25
	}
	return c, nil
}
