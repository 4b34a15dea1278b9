package steal

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/troupe-go/troupe/sched"
)

// ErrInput is returned when a Config can't be run.
var ErrInput = errors.New("steal: bad input")

// Limits of Config. They are low enough that a slip of the finger does not take
// the machine down.
const (
	MaxWorkers = 256
	MaxLoad    = 4.0
	// MinEvery is as often as lines can be read, or a screen be drawn.
	MinEvery = 10 * time.Millisecond
)

// Config says what to run. All fields are for the command line to fill in.
type Config struct {
	// Workers is the number of the scheduler's workers. Defaults to GOMAXPROCS; at
	// most MaxWorkers.
	Workers int
	// Strategy is how workers steal at the beginning.
	Strategy Strategy
	// Load is the work that is fed, in parts of what the workers can do: at 1 all
	// are busy. From 0 to MaxLoad.
	Load float64
	// Script is performed act by act, one every ScriptEvery.
	Script      []Act
	ScriptEvery time.Duration
}

func (c Config) withDefaults() Config {
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.ScriptEvery == 0 {
		c.ScriptEvery = time.Second
	}
	return c
}

func (c Config) validate() error {
	switch {
	case c.Workers < 1 || c.Workers > MaxWorkers:
		return fmt.Errorf("%w: workers must be from 1 to %d, not %d", ErrInput, MaxWorkers, c.Workers)
	case !(c.Load >= 0 && c.Load <= MaxLoad):
		return fmt.Errorf("%w: the load must be from 0 to %g, not %v", ErrInput, MaxLoad, c.Load)
	case c.ScriptEvery < MinEvery:
		return fmt.Errorf("%w: the time between two acts must be at least %v, not %v", ErrInput, MinEvery, c.ScriptEvery)
	}
	return nil
}

// scheduler returns the configuration of the scheduler.
func (c Config) scheduler() sched.Config {
	return sched.Config{Workers: c.Workers, MaxSpares: maxSpares, Steal: sched.StealStrategy(c.Strategy)}
}

// maxSpares is as many as a screen can show, and enough for a hand on the key b.
const maxSpares = 64
