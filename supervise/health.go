package supervise

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Health is what the supervisor says of itself in an [actor.System.Checkup]: it
// is degraded while fewer children run than its MinHealthy, or some wait for
// their restart, and unhealthy before all have started once and while it stops.
func (k *keeper) Health(*actor.Context[command]) actor.Health {
	switch {
	case k.ending:
		return actor.Health{Level: actor.Unhealthy, Reason: "it is stopping its children"}
	case !k.booted:
		return actor.Health{Level: actor.Unhealthy, Reason: "it is starting its children"}
	case !k.minimum.since.IsZero():
		return actor.Health{Level: actor.Degraded, Reason: fmt.Sprintf("%d of at least %d children run, for %v",
			k.running, k.cfg.MinHealthy, time.Since(k.minimum.since).Round(time.Millisecond))}
	case k.waiting > 0:
		return actor.Health{Level: actor.Degraded, Reason: fmt.Sprintf("%d of %d children wait for their restart", k.waiting, k.total)}
	}
	return actor.Health{}
}
