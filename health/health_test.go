package health_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/health"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/internal/simulated"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/supervise"
)

// patient does as well as it is told.
type patient struct{ health actor.Health }

func (p *patient) Receive(_ *actor.Context[func(*patient) error], do func(*patient) error) error {
	return do(p)
}

func (p *patient) Health(*actor.Context[func(*patient) error]) actor.Health {
	if p.health.Reason == "panic" {
		panic("as wanted")
	}
	return p.health
}

type patientRef = actor.Ref[func(*patient) error]

// clinic is a supervisor with two patients, and one that nobody asks.
func clinic(tb testing.TB, sys *actor.System, backoff supervise.Backoff) (a, b patientRef, sup *supervise.Supervisor) {
	tb.Helper()
	spec := func(name string) supervise.Spec {
		return supervise.Child[func(*patient) error]{
			Name: name, New: func() actor.Actor[func(*patient) error] { return &patient{} },
		}
	}
	sup, err := supervise.Start(sys, supervise.Config{
		Name: "app", MinHealthy: 2, Period: time.Hour, Backoff: backoff,
		Children: []supervise.Spec{spec("a"), supervise.Nested{Config: supervise.Config{Name: "db", Children: []supervise.Spec{spec("b")}}}},
	})
	wantNoErr(tb, err)
	a, err = supervise.Ref[func(*patient) error](sup, "a")
	wantNoErr(tb, err)
	db, err := sup.Nested("db")
	wantNoErr(tb, err)
	b, err = supervise.Ref[func(*patient) error](db, "b")
	wantNoErr(tb, err)
	return a, b, sup
}

func wantNoErr(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func newSystem(tb testing.TB) *actor.System {
	tb.Helper()
	sys, err := actor.NewSystem(actor.Config{})
	wantNoErr(tb, err)
	patience.StopAtEnd(tb, sys)
	return sys
}

func become(tb testing.TB, ref patientRef, h actor.Health) {
	tb.Helper()
	wantNoErr(tb, ref.Send(context.Background(), func(p *patient) error { p.health = h; return nil }))
}

// becomeNow is become, and returns when it is so.
func becomeNow(tb testing.TB, ref patientRef, h actor.Health) {
	tb.Helper()
	done := make(chan struct{})
	wantNoErr(tb, ref.Send(patience.Context(tb), func(p *patient) error { p.health = h; close(done); return nil }))
	<-done
}

// find returns the report on a path.
func find(r *health.Report, path string) *health.Report {
	if r.Path == path {
		return r
	}
	for _, below := range r.Below {
		if found := find(below, path); found != nil {
			return found
		}
	}
	return nil
}

func TestLevelsPropagateToTheSupervisor(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		a, b, _ := clinic(s, sys, supervise.Backoff{})
		_, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error { return nil })) // Nobody asks it.
		wantNoErr(s, err)
		check := func(want map[string]actor.HealthLevel) *health.Report {
			s.Helper()
			s.RunUntilIdle()
			r := health.Check(s.Context(), sys)
			for path, level := range want {
				if got := find(r, path); got == nil || got.Level != level {
					s.Errorf("%q is %+v, want %v", path, got, level)
				}
			}
			return r
		}
		r := check(map[string]actor.HealthLevel{"": actor.Healthy, "/app": actor.Healthy, "/app/a": actor.Healthy, "/app/db/b": actor.Healthy})
		if len(r.Below) != 1 {
			s.Errorf("there are others: %+v", r.Below)
		}
		become(s, a, actor.Health{Level: actor.Degraded, Reason: "slow disk"})
		r = check(map[string]actor.HealthLevel{"": actor.Degraded, "/app": actor.Degraded, "/app/a": actor.Degraded, "/app/db": actor.Healthy})
		if r.Reason != "/app/a: slow disk" {
			s.Errorf("the reason is %q", r.Reason)
		}
		become(s, b, actor.Health{Level: actor.Unhealthy, Reason: "no disk"})
		r = check(map[string]actor.HealthLevel{"": actor.Unhealthy, "/app/db": actor.Unhealthy, "/app/db/b": actor.Unhealthy, "/app/a": actor.Degraded})
		if r.Reason != "/app/db/b: no disk" {
			s.Errorf("the reason is %q", r.Reason)
		}
	})
}

// An actor that does not answer in time is unhealthy, and holds nobody up.
func TestNoAnswer(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		a, _, _ := clinic(s, sys, supervise.Backoff{})
		s.Slow("a", time.Hour)
		become(s, a, actor.Health{})
		s.RunUntilIdle()
		begin := s.Now()
		r := health.Check(s.Context(), sys)
		if got := find(r, "/app/a"); got.Level != actor.Unhealthy || !strings.Contains(got.Reason, "no answer within 1s") {
			s.Errorf("it is %+v", got)
		}
		if got := find(r, "/app/db/b"); got.Level != actor.Healthy {
			s.Errorf("the other is %+v", got)
		}
		if d := s.Now().Sub(begin); d != time.Second {
			s.Errorf("it took %v", d)
		}
	})
}

// A supervisor whose children wait for their restart is degraded.
func TestSupervisorIsDegraded(t *testing.T) {
	simtest.Run(t, simtest.Config{Schedules: 20}, func(s *simtest.Sim) {
		sys := s.System(actor.Config{})
		a, _, _ := clinic(s, sys, supervise.Backoff{Min: time.Minute, Jitter: -1})
		wantNoErr(s, a.Send(s.Context(), func(*patient) error { return errors.New("as wanted") }))
		s.RunUntilIdle()
		r := health.Check(s.Context(), sys)
		if r.Level != actor.Unhealthy || find(r, "/app/a").Level != actor.Unhealthy {
			s.Errorf("a child that waits is %+v", find(r, "/app/a"))
		}
		for _, d := range sys.Checkup(s.Context()) {
			if d.Path == "/app" && (d.Level != actor.Degraded || !strings.Contains(d.Reason, "1 of at least 2")) {
				s.Errorf("the supervisor is %+v", d)
			}
		}
		s.Advance(time.Minute)
		if r := health.Check(s.Context(), sys); r.Level != actor.Healthy {
			s.Errorf("after the restart: %+v", r)
		}
	})
}

// A panic in Health is one of the actor, which its supervisor restarts.
func TestHealthThatPanics(t *testing.T) { simulated.Too(t, testHealthThatPanics) }

func testHealthThatPanics(t testing.TB) {
	sys := newSystem(t)
	a, _, sup := clinic(t, sys, supervise.Backoff{})
	becomeNow(t, a, actor.Health{Reason: "panic"})
	ctx := patience.Context(t)
	patience.Until(t, ctx, func() bool {
		got := find(health.Check(ctx, sys), "/app/a")
		return got.Level == actor.Unhealthy && strings.Contains(got.Reason, "panic") || sup.Restarts() > 0
	})
	patience.Until(t, ctx, func() bool { return health.Check(ctx, sys).Level == actor.Healthy })
	if n := sup.Restarts(); n != 1 {
		t.Errorf("there were %d restarts, want 1", n)
	}
}

func get(tb testing.TB, h http.Handler) (int, health.Report) {
	tb.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(patience.Context(tb), http.MethodGet, "/", nil))
	var r struct {
		Level, Reason string
	}
	wantNoErr(tb, json.Unmarshal(w.Body.Bytes(), &r))
	levels := map[string]actor.HealthLevel{"healthy": actor.Healthy, "degraded": actor.Degraded, "unhealthy": actor.Unhealthy}
	return w.Code, health.Report{Level: levels[r.Level], Reason: r.Reason}
}

func TestHandlers(t *testing.T) {
	sys, err := actor.NewSystem(actor.Config{})
	wantNoErr(t, err)
	a, _, _ := clinic(t, sys, supervise.Backoff{})
	want := func(when string, live, ready, strict int) {
		t.Helper()
		cfg := health.Config{Deadline: 10 * time.Second}
		for name, c := range map[string]struct {
			h    http.Handler
			want int
		}{
			"live": {health.Live(sys, cfg), live}, "ready": {health.Ready(sys, cfg), ready},
			"strict": {health.Ready(sys, health.Config{Deadline: cfg.Deadline, NotReadyIfDegraded: true}), strict},
		} {
			if code, r := get(t, c.h); code != c.want {
				t.Errorf("%s: %s is %d, want %d: %+v", when, name, code, c.want, r)
			}
		}
	}
	want("at first", 200, 200, 200)
	becomeNow(t, a, actor.Health{Level: actor.Degraded, Reason: "slow disk"})
	want("degraded", 200, 200, 503)
	becomeNow(t, a, actor.Health{Level: actor.Unhealthy, Reason: "no disk"})
	want("unhealthy", 200, 503, 503)
	if _, r := get(t, health.Ready(sys, health.Config{Deadline: 10 * time.Second})); r.Reason != "/app/a: no disk" {
		t.Errorf("the reason is %q", r.Reason)
	}
	wantNoErr(t, sys.Stop(patience.Context(t)))
	want("stopped", 503, 503, 503)
	if r := health.Check(patience.Context(t), sys); r.Level != actor.Unhealthy || !strings.Contains(r.Reason, "stopped") {
		t.Errorf("a stopped system is %+v", r)
	}
}

// A system that there is not is unhealthy, and says so; nothing panics.
func TestNoSystem(t *testing.T) {
	var ctx context.Context
	for _, sys := range []*actor.System{nil, {}} {
		if r := health.Check(ctx, sys); r.Level != actor.Unhealthy || !strings.Contains(r.Reason, "NewSystem") {
			t.Errorf("the report is %+v", r)
		}
		for name, h := range map[string]http.Handler{"live": health.Live(sys, health.Config{}), "ready": health.Ready(sys, health.Config{})} {
			if code, r := get(t, h); code != 503 || r.Level != actor.Unhealthy {
				t.Errorf("%s is %d: %+v", name, code, r)
			}
		}
	}
}
