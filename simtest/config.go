package simtest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Config says which schedules of a program are run. The zero value is a good
// one.
type Config struct {
	// Schedules is how many schedules are tried. Defaults to 100. The environment
	// variable TROUPE_SCHEDULES, a number, takes precedence over it and over the
	// default, so that one command can search for longer.
	Schedules int
	// Seed is where the search begins; schedule i is a function of Seed+i, the
	// program, and nothing else. Defaults to 1.
	Seed uint64
	// Strategy says how schedules are chosen. Defaults to [Mixed].
	Strategy Strategy
	// Depth is the d of [PCT]: how many scheduling decisions a fault may need
	// to go wrong to be found with the promised probability. Defaults to 3.
	Depth int
	// Steps bounds one schedule. A program that has not come to rest by then is
	// reported as one that never will. Defaults to 100,000.
	Steps int
	// Repeat has each n-th schedule of a search run two times more, with traces, and
	// fails the search if they differ: the program is not deterministic. By default, and with
	// -1, only the natural schedule is run twice, and a schedule that fails is repeated. The environment
	// variable TROUPE_REPEAT, a number, takes precedence over it.
	Repeat int
	// Forbid says what must not be left behind when the body returns. Defaults to
	// nothing, since programs may well leave that to the end of their systems.
	Forbid Leftovers
	// Leaks says that a program may leave schedulers or systems behind that were
	// not stopped. By default that is a failure.
	Leaks bool
}

// Strategy is a way to choose schedules.
type Strategy uint8

const (
	// Mixed alternates between Random and PCT.
	Mixed Strategy = iota
	// Random takes every decision by chance.
	Random
	// PCT gives actors and jobs random priorities, runs whatever has the highest,
	// and lowers the running one's priority at Depth-1 random moments. A fault
	// that needs d decisions is found with a probability of at least 1/(n*k^(d-1)),
	// where n is the number of actors and k the number of steps (Burckhardt, Kothari,
	// Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic
	// Guarantees of Finding Bugs, ASPLOS 2010).
	PCT
	// Exhaustive goes through all schedules, up to Schedules of them. It is for
	// tiny programs; that there are more is shown by go test -v, and is no failure.
	Exhaustive

	numStrategies
)

var strategyNames = [numStrategies]string{"mixed", "random", "PCT", "exhaustive"}

// String returns the strategy's name.
func (s Strategy) String() string {
	if s < numStrategies {
		return strategyNames[s]
	}
	return fmt.Sprintf("Strategy(%d)", uint8(s))
}

// The environment variables by which one command changes a search.
const (
	envSchedules = "TROUPE_SCHEDULES"
	envRepeat    = "TROUPE_REPEAT"
	envReplay    = "TROUPE_REPLAY"
)

func (c Config) withDefaults() (Config, error) {
	switch {
	case c.Schedules < 0:
		return c, fmt.Errorf("simtest: Config.Schedules is %d; it must be positive, or 0 for the default", c.Schedules)
	case c.Steps < 0:
		return c, fmt.Errorf("simtest: Config.Steps is %d; it must be positive, or 0 for the default", c.Steps)
	case c.Depth < 0:
		return c, fmt.Errorf("simtest: Config.Depth is %d; it must be positive, or 0 for the default", c.Depth)
	case c.Repeat < -1:
		return c, fmt.Errorf("simtest: Config.Repeat is %d; it must be positive, or 0 or -1 for none", c.Repeat)
	case c.Strategy >= numStrategies:
		return c, fmt.Errorf("simtest: unknown strategy %d; use Mixed, Random, PCT or Exhaustive", uint8(c.Strategy))
	}
	if c.Forbid > Everything {
		return c, fmt.Errorf("simtest: Config.Forbid is %d, which has unknown bits; combine Actors, Tasks, Timers, Messages, Monitors and DeadLetters", c.Forbid)
	}
	if c.Schedules == 0 {
		c.Schedules = 100
	}
	for name, n := range map[string]*int{envSchedules: &c.Schedules, envRepeat: &c.Repeat} {
		if err := fromEnvironment(name, n); err != nil {
			return c, err
		}
	}
	if c.Seed == 0 {
		c.Seed = 1
	}
	if c.Depth == 0 {
		c.Depth = 3
	}
	if c.Steps == 0 {
		c.Steps = 100_000
	}
	return c, nil
}

// fromEnvironment sets n if there is a variable of that name.
func fromEnvironment(name string, n *int) error {
	text := os.Getenv(name)
	if text == "" {
		return nil
	}
	given, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || given < 1 {
		return fmt.Errorf("simtest: %s is %q; it must be a positive number", name, text)
	}
	*n = given
	return nil
}
