package jobs_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// subjects has the subjects for jobs and for tasks.
var subjects = append(slices.Clone(jobs.Subjects), &jobs.Errgroup)

func TestEveryWorkloadWithEverySubject(t *testing.T) {
	lane.Short(t)
	for _, w := range jobs.All {
		for _, s := range subjects {
			f := s.Runs[w.Name]
			if f == nil {
				if s.Notes[w.Name] == "" && s.In(w.Family) {
					t.Errorf("%s can't do %s, and does not say why", s.Name, w.Name)
				}
				continue
			}
			figures, err := suite.Smoke(w, f)
			if err != nil {
				t.Errorf("%s, %s: %v", w.Name, s.Name, err)
			}
			for _, f := range figures {
				if f.Value <= 0 {
					t.Errorf("%s, %s: %+v", w.Name, s.Name, f)
				}
			}
		}
	}
}

// TestRegistration keeps names from being misspelt.
func TestRegistration(t *testing.T) {
	byName, rows := map[string]*suite.Subject{}, map[string]bool{}
	for _, s := range subjects {
		byName[s.Name] = s
	}
	for _, w := range jobs.All {
		rows[w.Name] = true
		if b := byName[w.Baseline]; b == nil || b.Runs[w.Name] == nil {
			t.Errorf("the baseline of %s, %q, can't do it", w.Name, w.Baseline)
		}
		if len(w.Targets) == 0 {
			t.Errorf("%s has no target", w.Name)
		}
		own := map[string]bool{}
		for _, row := range w.Rows() {
			own[row] = true
		}
		for _, target := range w.Targets {
			if byName[target.Subject] == nil || !own[target.Row] {
				t.Errorf("%s has a target for what does not exist: %+v", w.Name, target)
			}
		}
	}
	for _, s := range subjects {
		for name := range s.Notes {
			if name != "" && !rows[name] {
				t.Errorf("%s has a note on an unknown workload %q", s.Name, name)
			}
		}
	}
}

func TestFib(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 2: 1, 10: 55, 20: 6765, 27: 196418} {
		if got := jobs.Fib(n); got != want {
			t.Errorf("Fib(%d) = %d, want %d", n, got, want)
		}
	}
}

var errClosed = errors.New("closed")

func refuse(func()) error { return errClosed }

func run(n int) *suite.Run { return &suite.Run{N: n, Size: n, Workload: &suite.Workload{}} }

func TestRefusedSubmissionsEndTheRun(t *testing.T) {
	for name, f := range map[string]suite.Func{
		"flat":       jobs.RunFlat(func(int, func()) error { return errClosed }),
		"spawn-join": jobs.RunSpawnJoin(func(int, func(int)) error { return errClosed }),
		"yield":      jobs.RunYield(func(_, _ jobs.Party) error { return errClosed }),
		"start-idle": jobs.RunStartIdle(refuse),
		"urgent, busy": func(r *suite.Run) (int64, error) {
			begun := 0
			return jobs.RunUrgent(r, func(body func(func())) error {
				if begun++; begun == jobs.Procs() {
					return errClosed
				}
				go body(func() {})
				return nil
			}, refuse)
		},
		"urgent, critical": func(r *suite.Run) (int64, error) {
			return jobs.RunUrgent(r, func(body func(func())) error { go body(func() {}); return nil }, refuse)
		},
		"one-flooded": func(r *suite.Run) (int64, error) {
			return jobs.RunOneFlooded(r, func(int, func()) error { return errClosed })
		},
		"first-success": jobs.RunFirstSuccess(func(int, func(int) time.Duration) (int, error) { return 0, errClosed }),
		"cancel":        jobs.RunCancel(func(int, func(), func()) (int, error) { return 0, errClosed }),
		"queued": func(r *suite.Run) (int64, error) {
			return jobs.RunQueued(r, func(int, func()) error { return errClosed }, func() error { return nil })
		},
	} {
		if _, err := f(run(3)); !errors.Is(err, errClosed) {
			t.Errorf("%s: error = %v, want that of the submission", name, err)
		}
	}
}

func TestYieldToNobodyIsNoticed(t *testing.T) {
	n, err := jobs.RunYield(func(a, b jobs.Party) error {
		a.Live(func() {})
		b.Live(func() {})
		return nil
	})(run(100))
	if n == 100 || err != nil {
		t.Errorf("%d switches, %v: two that never switch count as such", n, err)
	}
}

func TestSpawnJoinMissesNothing(t *testing.T) {
	n, err := jobs.RunSpawnJoin(func(k int, task func(i int)) error {
		for i := range k - 1 {
			task(i)
		}
		return nil
	})(run(100))
	if n != 99 || err != nil {
		t.Errorf("%d values, %v, want 99: one task did not run", n, err)
	}
}

func TestFirstSuccessMustNotBeEarly(t *testing.T) {
	_, err := jobs.RunFirstSuccess(func(int, func(int) time.Duration) (int, error) { return 0, nil })(run(1))
	if err == nil {
		t.Error("a success before its time was not noticed")
	}
}

func TestEachTaskMustBeCancelled(t *testing.T) {
	n, err := jobs.RunCancel(func(k int, begun, ready func()) (int, error) {
		for range k {
			begun()
		}
		ready()
		return k - 1, nil
	})(run(3))
	if n != 0 || err != nil {
		t.Errorf("%d times all were cancelled, %v, want none: one task was not", n, err)
	}
}

func TestQueuedJobsMustNotRunEarly(t *testing.T) {
	_, err := jobs.RunQueued(run(3), func(k int, job func()) error { job(); return nil }, func() error { return nil })
	if err == nil {
		t.Error("a job that ran while all were to be queued was not noticed")
	}
}
