package supervise

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Window is the count of restarts on its own, to be tried with given times.
type Window struct{ w window }

// NewWindow returns a window of the given configuration.
func NewWindow(intensity int, period time.Duration) (*Window, error) {
	cfg, err := Config{Intensity: intensity, Period: period}.withDefaults()
	return &Window{window{intensity: cfg.Intensity, period: cfg.Period}}, err
}

// Allow counts a restart.
func (w *Window) Allow(now time.Time) bool { return w.w.allow(now) }

// Visits returns a function that says how many slots the supervisor's walks have
// come by. It may be called while the supervisor does nothing, or has stopped.
func (s *Supervisor) Visits(ctx context.Context) (func() int, error) {
	return question(ctx, s, func(r actor.Reply[func() int]) command { return askVisits{r} })
}

type askVisits struct{ reply actor.Reply[func() int] }

func (m askVisits) run(sup *supervisorActor, ctx *actor.Context[command]) {
	_ = m.reply.Send(ctx, func() int { return sup.visits })
}

// Delay returns the delay before the n-th restart in a row.
func (b Backoff) Delay(n int, random *rand.Rand) (time.Duration, error) {
	b, err := b.withDefaults()
	return b.delay(n, random), err
}
