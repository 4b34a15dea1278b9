package actor

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"

	"github.com/troupe-go/troupe/sched"
)

// SpareLimit tells that handlers block all workers, and that there are as many spares as
// Config.MaxSpares allows.
type SpareLimit struct {
	MaxSpares int // The limit of the scheduler.
	Blocked   int // How many workers are blocked.
	Ghosts    int // How many handlers were killed and have not returned; see Config.MaxGhosts.
	// Longest has the work, ten pieces at most, that has blocked a worker for longest. Get their
	// stacks by [sched.StackOf] with their Goroutine.
	Longest []sched.Held
}

// String names the limit and the work that has blocked a worker for longest.
func (l SpareLimit) String() string {
	s := fmt.Sprintf("%d workers are blocked, and Config.MaxSpares is %d", l.Blocked, l.MaxSpares)
	for i, h := range l.Longest {
		if i == 0 {
			s += "; for longest by "
		} else {
			s += ", "
		}
		s += fmt.Sprintf("%s (%v)", h.Work, h.For)
	}
	return s
}

// defaultMaxGhosts was picked out of thin air: a tenth of the threads that the Go runtime
// allows.
const defaultMaxGhosts = 1000

// limitDefaults fills in the limits that are about blocked handlers, and reports limits
// that make no sense.
func (c *Config) limitDefaults() error {
	switch {
	case c.MaxSpares < -1:
		return fmt.Errorf("actor: Config.MaxSpares is %d; it must be positive, 0 for the default, or -1 for none", c.MaxSpares)
	case c.AskTimeout < -1:
		return fmt.Errorf("actor: Config.AskTimeout is %v; it must be positive, 0 for the default of %v, or -1 for no limit", c.AskTimeout, defaultAskTimeout)
	case c.MaxGhosts < -1:
		return fmt.Errorf("actor: Config.MaxGhosts is %d; it must be positive, 0 for the default, or -1 for no limit", c.MaxGhosts)
	case c.MaxGhosts == 0:
		c.MaxGhosts = defaultMaxGhosts
	}
	return nil
}

// tellSpareLimit is called by the scheduler when it runs out of spares.
func (s *System) tellSpareLimit() {
	const named = 10
	held := s.Scheduler().Held()
	l := SpareLimit{MaxSpares: s.scheduler.MaxSpares(), Blocked: len(held), Ghosts: int(s.ghosts.Load())}
	slices.SortFunc(held, func(a, b sched.Held) int { return cmp.Compare(b.For, a.For) })
	l.Longest = held[:min(named, len(held))]
	s.log().Warn("no worker is free: handlers block all of them", slog.String("system", s.cfg.Name),
		slog.Int("ghosts", l.Ghosts), slog.String("why", l.String()))
	if tell := s.cfg.OnSpareLimit; tell != nil {
		s.tellContained("OnSpareLimit", func() { tell(l) })
	}
}

// explainLate adds to the cause by which a wait has ended that no worker was free.
func (s *System) explainLate(cause error) error {
	if s.simulated {
		s.traceLate(cause)
	}
	if !s.scheduler.Exhausted() {
		return cause
	}
	return fmt.Errorf("%w (no worker is free: handlers block all of them, and Config.MaxSpares is %d)", cause, s.scheduler.MaxSpares())
}
