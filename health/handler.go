package health

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Config configures a handler. The zero value is a good one.
type Config struct {
	// Deadline is how long actors may take to answer, and how long the system may
	// take besides to run one that is spawned for the question. Defaults to 1 second.
	// With a negative one the handler answers 503, and the reason says why.
	Deadline time.Duration
	// NotReadyIfDegraded says that a system that is degraded gets no work either.
	// Defaults to false.
	NotReadyIfDegraded bool
}

// defaultDeadline was picked out of thin air.
const defaultDeadline = time.Second

func (c Config) deadline() time.Duration { return cmp.Or(c.Deadline, defaultDeadline) }

// refused answers for a configuration that makes no sense, and reports whether it has.
func (c Config) refused(w http.ResponseWriter, r *http.Request) bool {
	if c.Deadline >= 0 {
		return false
	}
	answer(w, r, &Report{Level: actor.Unhealthy, Reason: fmt.Sprintf(
		"health: Config.Deadline is %v; it must be positive, or 0 for %v", c.Deadline, defaultDeadline)}, false)
	return true
}

// Ready returns a handler that answers with the [Report] on the system: with the
// status 200 if it can be given work, and 503 if it is unhealthy.
func Ready(sys *actor.System, cfg Config) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if cfg.refused(w, r) {
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), cfg.deadline())
		defer cancel()
		report := Check(ctx, sys)
		if report.Level < actor.Unhealthy && !runs(ctx, sys, cfg) {
			report.Level, report.Reason = actor.Unhealthy, "the system does not run actors"
		}
		worst := actor.Degraded
		if cfg.NotReadyIfDegraded {
			worst = actor.Healthy
		}
		answer(w, r, report, report.Level <= worst)
	})
}

// Live returns a handler that answers with 200 as long as the system runs
// actors, however well they do, and with 503 if it has stopped, or if an actor
// that is spawned for it does not get its turn in time: then only a new process
// helps.
func Live(sys *actor.System, cfg Config) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if cfg.refused(w, r) {
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), cfg.deadline())
		defer cancel()
		report := &Report{}
		if !runs(ctx, sys, cfg) {
			report.Level, report.Reason = actor.Unhealthy, "the system does not run actors"
		}
		answer(w, r, report, report.Level == actor.Healthy)
	})
}

// runs reports whether an actor gets its turn in time. The time is its own: it may
// be over already for others who were late.
func runs(ctx context.Context, sys *actor.System, cfg Config) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.deadline())
	defer cancel()
	ref, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[actor.Reply[bool]], r actor.Reply[bool]) error {
		ctx.Stop()
		return r.Send(ctx, true)
	}), actor.WithName("health probe"))
	if err != nil {
		return false
	}
	ok, err := actor.Ask(ctx, ref.On(actor.Control), func(r actor.Reply[bool]) actor.Reply[bool] { return r })
	if err != nil {
		_ = ref.Kill() // It has not run, and shall not.
	}
	return ok && err == nil
}

func answer(w http.ResponseWriter, r *http.Request, report *Report, ok bool) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if !ok {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	if r.Method == http.MethodHead {
		return
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(report) // It fails if the client has gone, and then nobody needs the report.
}
