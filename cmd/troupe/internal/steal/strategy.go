package steal

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/sched"
)

// Strategy is how workers steal. It is a flag.
type Strategy sched.StealStrategy

// strategies are all of them, in the order in which a key goes through them.
var strategies = []sched.StealStrategy{sched.StealAdaptive, sched.StealSingle, sched.StealBatched, sched.StealLocal}

// String returns the strategy's name.
func (s Strategy) String() string { return sched.StealStrategy(s).String() }

// Set finds the strategy with a name.
func (s *Strategy) Set(name string) error {
	for _, known := range strategies {
		if name == known.String() {
			*s = Strategy(known)
			return nil
		}
	}
	return fmt.Errorf("the strategies are %s", StrategyNames())
}

// Type names the flag's value in the help.
func (s Strategy) Type() string { return "STRATEGY" }

// next is the strategy after s, and after the last the first.
func (s Strategy) next() Strategy {
	for i, known := range strategies {
		if Strategy(known) == s {
			return Strategy(strategies[(i+1)%len(strategies)])
		}
	}
	return Strategy(strategies[0])
}

// StrategyNames lists the strategies.
func StrategyNames() string {
	names := make([]string, len(strategies))
	for i, s := range strategies {
		names[i] = s.String()
	}
	return strings.Join(names, ", ")
}
