package diagnosis

import (
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers/stacks"
)

// stackCache knows where handlers are. To find out stops the whole program, so it is done once for a handler, for all new
// ones together, and seldom if it takes long.
type stackCache struct {
	known map[actor.PID]located
	next  time.Time // Not before.
}

// located is the place of one handler, which is known by when it began.
type located struct {
	place
	goroutine uint64
	began     time.Time
}

const (
	// costFactor is for how many times of what a dump has cost there is none: it takes at most 1 % of the time.
	costFactor = 100
	// slack is by how much two looks may differ about when a handler began, as its time is measured coarsely.
	slack = 200 * time.Millisecond
)

func (l located) is(r actor.HandlerReport, now time.Time) bool {
	return l.goroutine == r.Goroutine && l.began.Sub(now.Add(-r.For)).Abs() < slack
}

// places returns where handlers are, as far as that is known. The next dump forgets all handlers that are not among the reports.
func (c *stackCache) places(now time.Time, reports []actor.HandlerReport) map[actor.PID]place {
	all := make(map[actor.PID]place, len(reports))
	missing := false
	for _, r := range reports {
		if l, ok := c.known[r.PID]; ok && l.is(r, now) {
			all[r.PID] = l.place
		} else {
			missing = true
		}
	}
	if !missing || now.Before(c.next) {
		return all
	}
	began := time.Now()
	dump := stacks.All()
	c.known = make(map[actor.PID]located, len(reports))
	for _, r := range reports {
		p := placeOf(dump.Of(r.Goroutine))
		c.known[r.PID], all[r.PID] = located{p, r.Goroutine, now.Add(-r.For)}, p
	}
	c.next = now.Add(costFactor * time.Since(began))
	return all
}
