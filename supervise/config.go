package supervise

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Config configures a [Supervisor]. The zero value is a good one.
type Config struct {
	// Name is for people; it appears in errors and logs. Defaults to
	// "supervisor".
	Name string
	// Strategy says who is restarted with a child. Defaults to OneForOne.
	Strategy Strategy
	// Children are started with the supervisor, one after the other in this
	// order, and stopped in the opposite one. More can be added later, by
	// [Spawn]. Defaults to none.
	Children []Spec
	// Troupe is a group of children that know each other; they start before
	// Children. Defaults to none. See [Troupe].
	Troupe Declaration
	// Intensity is how many restarts within Period are borne. One more stops
	// all children, and then the supervisor with [ErrIntensity]. The restart of
	// a group counts once. Defaults to 3; -1 means none.
	Intensity int
	// Period is the length of the window in which restarts are counted.
	// Defaults to 5 seconds.
	Period time.Duration
	// Backoff is the delay before a restart, of children that have none of their
	// own. Defaults to no delay.
	Backoff Backoff
	// AutoShutdown says when the supervisor stops because significant children
	// have ended. Defaults to Never.
	AutoShutdown AutoShutdown
	// MinHealthy is how many children must run for the supervisor to be healthy.
	// With fewer, when all have been started once, it is degraded, see [Status].
	// Defaults to none; -1 means the same.
	MinHealthy int
	// DegradedLimit is how long the supervisor may be degraded. After that, it stops all
	// children, and then itself with [ErrTooFew], so that the supervisor above it may act.
	// Defaults to no limit; -1 means the same.
	DegradedLimit time.Duration
	// OnRestart is called in the supervisor before each restart, and must not
	// wait. The supervisor's own methods that would wait for it return
	// [actor.ErrWouldDeadlock] in it. If it panics, the supervisor fails. Defaults
	// to nil.
	OnRestart func(Restart)
}

// Restart tells of a restart that is about to happen.
type Restart struct {
	PID    actor.PID
	Name   string
	Path   string
	Reason error // Why the incarnation ended; nil if it stopped itself.
	// Recent is how many restarts there were within the period, with this one.
	Recent int
	// Delay is how long the child is to wait for it, see Backoff.
	Delay time.Duration
}

func (c Config) withDefaults() (Config, error) {
	if err := c.check(); err != nil {
		return c, err
	}
	if c.Name == "" {
		c.Name = "supervisor"
	}
	switch c.Intensity {
	case 0:
		c.Intensity = 3
	case -1:
		c.Intensity = 0
	}
	if c.Period == 0 {
		c.Period = 5 * time.Second
	}
	var err error
	if c.Backoff, err = c.Backoff.withDefaults(); err != nil {
		return c, err
	}
	return c, c.Backoff.suits(c)
}

// check returns what is wrong with the configuration, the children apart.
func (c Config) check() error {
	switch {
	case c.Intensity < -1:
		return fmt.Errorf("Config.Intensity is %d; it must be positive, 0 for the default, or -1 for none", c.Intensity)
	case c.Period < 0:
		return fmt.Errorf("Config.Period is %v; it must be positive, or 0 for the default", c.Period)
	case c.Strategy >= numStrategies:
		return fmt.Errorf("Config.Strategy is %d; use OneForOne, OneForAll, RestForOne or Dynamic", uint8(c.Strategy))
	case c.AutoShutdown >= numAutoShutdowns:
		return fmt.Errorf("Config.AutoShutdown is %d; use Never, AnySignificant or AllSignificant", uint8(c.AutoShutdown))
	case c.Strategy == Dynamic && c.Troupe != nil:
		return fmt.Errorf("Config.Troupe is given, but a Dynamic supervisor begins without children; use another Strategy")
	case c.Strategy == Dynamic && len(c.Children) > 0:
		return fmt.Errorf("Config.Children has %d children, but a Dynamic supervisor begins with none; add them by Spawn", len(c.Children))
	case c.MinHealthy < -1:
		return fmt.Errorf("Config.MinHealthy is %d; it must be positive, or 0 or -1 for none", c.MinHealthy)
	case c.DegradedLimit < -1:
		return fmt.Errorf("Config.DegradedLimit is %v; it must be positive, or 0 or -1 for no limit", c.DegradedLimit)
	case c.DegradedLimit > 0 && c.MinHealthy <= 0:
		return fmt.Errorf("Config.DegradedLimit is %v, but MinHealthy is not set, so the supervisor is never degraded", c.DegradedLimit)
	}
	return nil
}
