package diagnosis

import (
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/workers/stacks"
)

// stackCache knows where handlers are. To find out stops the whole program, so it is done once for a handler, for all new
// ones together, and seldom if it takes long.
type stackCache struct {
	known map[uint64]place // By goroutine: an actor may have a handler, and an orphaned one.
	taken time.Time        // The time of the dump.
	next  time.Time        // No dump before.
}

// costFactor is for how many times of what a dump has cost there is none: it takes at most 1 % of the time.
const costFactor = 100

// places returns where handlers are, by goroutine, as far as that is known. It is called once in each look: the next dump
// forgets all handlers that are not among the reports.
func (c *stackCache) places(now time.Time, reports []actor.HandlerReport) map[uint64]place {
	all := make(map[uint64]place, len(reports))
	missing := false
	for _, r := range reports {
		// A handler that began after the dump is another one.
		if p, ok := c.known[r.Goroutine]; ok && !now.Add(-r.For).After(c.taken) {
			all[r.Goroutine] = p
		} else {
			missing = true
		}
	}
	if !missing || now.Before(c.next) {
		return all
	}
	began := time.Now()
	dump := stacks.All()
	c.known, c.taken = make(map[uint64]place, len(reports)), began
	for _, r := range reports {
		p := placeOf(dump.Of(r.Goroutine))
		c.known[r.Goroutine], all[r.Goroutine] = p, p
	}
	c.next = now.Add(costFactor * time.Since(began))
	return all
}
