package supervise

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Status is a snapshot of a supervisor.
type Status struct {
	Path     string
	Strategy Strategy
	// Booted says that all children have started once.
	Booted bool
	// Ending says that the supervisor is stopping its children.
	Ending bool
	// Degraded says that fewer children run than Config.MinHealthy, since then; it
	// is zero if that is not so.
	Degraded time.Time
	// Restarts counts the restarts since the supervisor's start, Recent those
	// within the last Period.
	Restarts, Recent int
	Count            Count
}

// Count is how many children a supervisor has.
type Count struct {
	Specs       int // All that it knows, also those that are down.
	Active      int // Children that are not down.
	Running     int // Children that have started.
	Supervisors int // Children that are supervisors.
	Workers     int // The others.
}

// ChildInfo is a snapshot of a child.
type ChildInfo struct {
	Name        string
	Path        string
	PID         actor.PID // Zero if it has no actor.
	Supervisor  bool
	Policy      Policy
	Significant bool
	State       State
	Since       time.Time // Of the state.
	Restarts    int
	Failures    int   // In a row; see [Backoff].
	Reason      error // Why it ended last, unless its supervisor stopped it; or nil.
}

// Status returns a snapshot of the supervisor. It is answered at all times,
// whatever the children are doing; the cost grows with their number.
func (s *Supervisor) Status(ctx context.Context) (Status, error) {
	return question(ctx, s, func(r actor.Reply[Status]) command { return askStatus{r} })
}

// Children returns a snapshot of all children, in the order in which they are
// started.
func (s *Supervisor) Children(ctx context.Context) ([]ChildInfo, error) {
	return question(ctx, s, func(r actor.Reply[[]ChildInfo]) command { return askChildren{r} })
}

// Child returns a snapshot of the child with the given name.
func (s *Supervisor) Child(ctx context.Context, name string) (ChildInfo, error) {
	return question(ctx, s, func(r actor.Reply[ChildInfo]) command { return askChild{name, r} })
}

func question[T any](ctx context.Context, s *Supervisor, ask func(actor.Reply[T]) command) (T, error) {
	if err := s.inOnRestart(); err != nil {
		var none T
		return none, err
	}
	v, err := actor.Ask(ctx, s.self().On(actor.Control), ask)
	return v, s.explain(err)
}

type askStatus struct{ reply actor.Reply[Status] }

func (m askStatus) run(sup *supervisorActor, ctx *actor.Context[command]) {
	st := Status{
		Path: sup.path, Strategy: sup.cfg.Strategy, Booted: sup.booted, Ending: sup.ending, Degraded: sup.minimum.since,
		Restarts: sup.handle.Restarts(), Recent: sup.window.count(time.Now()),
	}
	for s := range sup.all() {
		if s.state != Down {
			st.Count.Active++
		}
		if s.supervisor {
			st.Count.Supervisors++
		}
	}
	st.Count.Specs, st.Count.Running = sup.total, sup.running
	st.Count.Workers = sup.total - st.Count.Supervisors
	_ = m.reply.Send(ctx, st) // It fails if the asker no longer waits.
}

type askChildren struct{ reply actor.Reply[[]ChildInfo] }

func (m askChildren) run(sup *supervisorActor, ctx *actor.Context[command]) {
	all := make([]ChildInfo, 0, sup.total)
	for s := range sup.all() {
		all = append(all, sup.info(s))
	}
	_ = m.reply.Send(ctx, all) // It fails if the asker no longer waits.
}

type askChild struct {
	name  string
	reply actor.Reply[ChildInfo]
}

func (m askChild) run(sup *supervisorActor, ctx *actor.Context[command]) {
	s, err := sup.find(who{name: m.name})
	if err != nil {
		_ = m.reply.Fail(ctx, err)
		return
	}
	_ = m.reply.Send(ctx, sup.info(s)) // It fails if the asker no longer waits.
}

func (sup *supervisorActor) info(s *slot) ChildInfo {
	return ChildInfo{
		Name: s.name, Path: sup.pathOf(s), PID: s.pid, Supervisor: s.supervisor, Policy: s.policy,
		Significant: s.significant, State: s.state, Since: s.since, Restarts: s.restarts, Failures: s.failures,
		Reason: s.reason,
	}
}

// explain names the supervisor in an error that does not.
func (s *Supervisor) explain(err error) error {
	if err == nil || strings.HasPrefix(err.Error(), "supervise: ") {
		return err
	}
	return fmt.Errorf("supervise: %s: %w", s.Path(), err)
}
