package router

import (
	"fmt"
	"time"
)

// Sample is what an [Elastic] has seen of its members at one look.
type Sample struct {
	At      time.Time
	Members int
	// Backlog is how many messages a member had to do, in the mean; see
	// [actor.Ref.Backlog].
	Backlog float64
	// Latency is an estimate of how long a message takes, with its waiting, by
	// Little's law: all that the members had to do, divided by how much they have
	// handled in the time since the look before. If they have handled nothing
	// although there was something, it is for how long. So it costs the messages
	// nothing, and follows the load by one look.
	Latency time.Duration
}

// ScaleReason says why an [Elastic] has changed.
type ScaleReason uint8

// The reasons, in the order in which they are considered.
const (
	Unchanged   ScaleReason = iota
	BelowMin                // Members were missing: at the start, or since some have stopped for good.
	BacklogHigh             // The mean backlog was above UpBacklog.
	LatencyHigh             // The latency was above UpLatency.
	LoadLow                 // Backlog and latency were below DownBacklog and DownLatency.

	numReasons = 5
)

// String returns the reason in lower case.
func (r ScaleReason) String() string {
	if r < numReasons {
		return [numReasons]string{"unchanged", "below min", "backlog high", "latency high", "load low"}[r]
	}
	return fmt.Sprintf("ScaleReason(%d)", uint8(r))
}

// Scaling is a change in the number of an [Elastic]'s members, and what was seen
// that led to it.
type Scaling struct {
	Sample
	Reason   ScaleReason
	From, To int
	// Err is why not all of the members could be started, if so; there will be
	// another attempt at the next look.
	Err error
}

// String tells what has happened, and why, in one line.
func (s Scaling) String() string {
	text := fmt.Sprintf("from %d to %d members: %v, backlog %.1f, latency %v", s.From, s.To, s.Reason, s.Backlog, s.Latency)
	if s.Err != nil {
		text += ": " + s.Err.Error()
	}
	return text
}

// decide returns how many members there shall be. The last change was at changed.
func (c *ElasticConfig[M]) decide(s Sample, changed time.Time) (to int, why ScaleReason) {
	if s.Members < c.Min {
		return c.Min, BelowMin
	}
	if c.Cooldown > 0 && !changed.IsZero() && s.At.Sub(changed) < c.Cooldown {
		return s.Members, Unchanged
	}
	up := s.Members + min(c.StepUp, max(0, c.Max-s.Members))
	down := max(s.Members-c.StepDown, c.Min)
	switch {
	case up > s.Members && c.UpBacklog > 0 && s.Backlog > c.UpBacklog:
		return up, BacklogHigh
	case up > s.Members && c.UpLatency > 0 && s.Latency > c.UpLatency:
		return up, LatencyHigh
	case down < s.Members && s.Backlog < c.DownBacklog && (c.UpLatency <= 0 || s.Latency < c.DownLatency):
		return down, LoadLow
	}
	return s.Members, Unchanged
}
