package steal_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/cmd/troupe/internal/steal"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/sched"
)

// open opens a stage and closes it at the end of the test.
func open(t *testing.T, cfg steal.Config) *steal.Stage {
	t.Helper()
	st, err := steal.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(patience.Context(t)); err != nil {
			t.Error(err)
		}
	})
	return st
}

func perform(t *testing.T, st *steal.Stage, acts string) {
	t.Helper()
	all, err := steal.Acts(acts)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if err := st.Perform(a); err != nil {
			t.Fatalf("%v: %v", a, err)
		}
	}
}

// sees waits for a snapshot.
func sees(t *testing.T, st *steal.Stage, ok func(s *steal.Snapshot) bool) {
	t.Helper()
	patience.Until(t, patience.Context(t), func() bool {
		s := st.Snapshot()
		return ok(&s)
	})
}

func TestBadConfigs(t *testing.T) {
	for want, cfg := range map[string]steal.Config{
		"workers must be from 1 to 256, not 257":          {Workers: 257},
		"workers must be from 1 to 256, not -1":           {Workers: -1},
		"the load must be from 0 to 4, not 4.5":           {Load: 4.5},
		"the load must be from 0 to 4, not NaN":           {Load: math.NaN()},
		"the time between two acts must be at least 10ms": {ScriptEvery: time.Millisecond},
	} {
		st, err := steal.Open(cfg)
		if !errors.Is(err, steal.ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want ErrInput with %q", err, want)
		}
		if st != nil {
			t.Errorf("%q: there is a stage nevertheless", want)
		}
	}
}

// TestLoadIsShared has a load that lets workers run out of work now and then.
func TestLoadIsShared(t *testing.T) {
	st := open(t, steal.Config{Workers: 2, Load: 0.2})
	sees(t, st, func(s *steal.Snapshot) bool {
		return s.Total.Jobs > 100 && s.Critical.Jobs > 0 && len(s.Workers) >= 2 && s.Workers[0].From[1]+s.Workers[1].From[0] > 0
	})
}

func TestPausedStageGetsNoJobs(t *testing.T) {
	st := open(t, steal.Config{Workers: 2, Load: 1})
	perform(t, st, "p")
	sees(t, st, func(s *steal.Snapshot) bool { return s.Paused && s.Unfinished == 0 })
	if _, due := st.Due(); due != 0 {
		t.Errorf("work of %v is due while paused", due)
	}
	perform(t, st, "p")
	if _, due := st.Due(); due != 2 {
		t.Errorf("work of %v is due, want 2", due)
	}
}

func TestStageIsFedAtItsRate(t *testing.T) {
	st := open(t, steal.Config{Workers: 2})
	perform(t, st, "+++++") // Half of two workers.
	for _, c := range []struct {
		after      time.Duration
		unfinished int64
		trees      uint64
	}{
		{time.Millisecond, 0, 0},
		{33 * time.Millisecond, 0, 20}, // 1.6 ms each.
		{time.Hour, 0, 62},             // Of 100 ms, no more.
		{time.Hour, 30_000, 0},
	} {
		if trees, err := st.Feed(c.after, c.unfinished); trees != c.trees || err != nil {
			t.Errorf("after %v with %d unfinished: %d trees, %v, want %d", c.after, c.unfinished, trees, err, c.trees)
		}
	}
}

func TestCriticalJobsAreMeasured(t *testing.T) {
	st := open(t, steal.Config{Workers: 2})
	perform(t, st, "c")
	sees(t, st, func(s *steal.Snapshot) bool {
		return s.Critical.Jobs >= 10 && s.Critical.P50 > 0 && s.Critical.Max >= s.Critical.P50
	})
}

func TestHeldWorkersAreShown(t *testing.T) {
	for key, kind := range map[string]string{"b": "block", "s": "spin"} {
		t.Run(kind, func(t *testing.T) {
			st := open(t, steal.Config{Workers: 1, Load: 0.5})
			perform(t, st, key)
			sees(t, st, func(s *steal.Snapshot) bool {
				return len(s.Workers) > 0 && s.Workers[0].State == sched.WorkerBlocked && s.Workers[0].Running == kind && s.Spares > 0
			})
		})
	}
}

func TestFloodIsStolenFrom(t *testing.T) {
	st := open(t, steal.Config{Workers: 2})
	perform(t, st, "u")
	sees(t, st, func(s *steal.Snapshot) bool {
		return s.Total.Jobs >= 10_000 && s.Unfinished == 0 && s.Workers[0].From[1]+s.Workers[1].From[0] > 0 &&
			strings.Contains(s.Note, "flooded with 10000 jobs")
	})
}

func TestLoadHasLimits(t *testing.T) {
	st := open(t, steal.Config{Workers: 1, Load: 0.1})
	perform(t, st, "--")
	if s := st.Snapshot(); s.Load != 0 {
		t.Errorf("the load is %v, want 0", s.Load)
	}
	perform(t, st, "p"+strings.Repeat("+", 50))
	if s := st.Snapshot(); s.Load != steal.MaxLoad {
		t.Errorf("the load is %v, want %v", s.Load, steal.MaxLoad)
	}
}

func TestStrategyKeyCycles(t *testing.T) {
	st := open(t, steal.Config{Workers: 1})
	first := st.Snapshot().Strategy
	seen := map[steal.Strategy]bool{}
	for s := first; !seen[s]; s = st.Snapshot().Strategy {
		seen[s] = true
		if inUse := st.Scheduler().StealStrategy(); inUse != sched.StealStrategy(s) {
			t.Errorf("the scheduler steals by %v, the stage says %v", inUse, s)
		}
		perform(t, st, "t")
	}
	if got := st.Snapshot().Strategy; got != first {
		t.Errorf("after the last strategy comes %v, not %v", got, first)
	}
	if names := strings.Split(steal.StrategyNames(), ", "); len(seen) != len(names) || len(names) < 4 {
		t.Errorf("%d strategies came, want %v", len(seen), names)
	}
}

func TestStrategyFlag(t *testing.T) {
	var s steal.Strategy
	for _, name := range strings.Split(steal.StrategyNames(), ", ") {
		if err := s.Set(name); err != nil || s.String() != name {
			t.Errorf("%s: got %v, %v", name, s, err)
		}
	}
	if err := s.Set("greedy"); err == nil || !strings.Contains(err.Error(), "adaptive") {
		t.Errorf("error = %v, want one that names the strategies", err)
	}
}

func TestScriptIsPerformed(t *testing.T) {
	st := open(t, steal.Config{Workers: 1, Script: []steal.Act{steal.Critical, steal.Pause}, ScriptEvery: 10 * time.Millisecond})
	sees(t, st, func(s *steal.Snapshot) bool { return s.Paused && s.Critical.Jobs >= 10 })
}

func TestClosedStage(t *testing.T) {
	st := open(t, steal.Config{Workers: 1})
	st.HoldFor(time.Hour)
	perform(t, st, "bsu")
	sees(t, st, func(s *steal.Snapshot) bool {
		held := map[string]bool{}
		for _, w := range s.Workers {
			held[w.Running] = true
		}
		return held["block"] && held["spin"]
	})
	for range 2 {
		if err := st.Close(patience.Context(t)); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Perform(steal.Critical); !errors.Is(err, sched.ErrStopped) {
		t.Errorf("error = %v, want ErrStopped", err)
	}
	if err := st.Perform(steal.Act(99)); !errors.Is(err, steal.ErrInput) {
		t.Errorf("error = %v, want ErrInput", err)
	}
}

func TestFeederFailureIsReported(t *testing.T) {
	st, err := steal.Open(steal.Config{Workers: 1, Script: []steal.Act{99}, ScriptEvery: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	patience.Until(t, patience.Context(t), func() bool { return st.Err() != nil })
	if err := st.Close(patience.Context(t)); !errors.Is(err, steal.ErrInput) {
		t.Errorf("error = %v, want that of the act", err)
	}
}

func TestFeederPanicIsContained(t *testing.T) {
	st := open(t, steal.Config{Workers: 1})
	st.Contained(func() { panic("a planted panic") })
	if err := st.Err(); err == nil || !strings.Contains(err.Error(), "a planted panic") {
		t.Errorf("error = %v, want that of the panic", err)
	}
	st.Forget()
}
