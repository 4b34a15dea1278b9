package supervise

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Health is what the supervisor says of itself in an [actor.System.Checkup]: it
// is degraded while fewer children run than its MinHealthy, or some wait for
// their restart, and unhealthy before all have started once and while it stops.
func (sup *supervisorActor) Health(*actor.Context[command]) actor.Health {
	switch {
	case sup.ending:
		return actor.Health{Level: actor.Unhealthy, Reason: "it is stopping its children"}
	case !sup.booted:
		return actor.Health{Level: actor.Unhealthy, Reason: "it is starting its children"}
	case !sup.minimum.since.IsZero():
		return actor.Health{Level: actor.Degraded, Reason: fmt.Sprintf("%d of at least %d children run, for %v",
			sup.running, sup.cfg.MinHealthy, time.Since(sup.minimum.since).Round(time.Millisecond))}
	case sup.waiting > 0:
		return actor.Health{Level: actor.Degraded, Reason: fmt.Sprintf("%d of %d children wait for their restart", sup.waiting, sup.total)}
	}
	return actor.Health{}
}
