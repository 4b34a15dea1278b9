package strands_test

import (
	"testing"

	"github.com/troupe-go/troupe/cmd/troupe/internal/strands"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/internal/lane"
)

func TestEveryWorkloadWithEverySubject(t *testing.T) {
	lane.Short(t)
	for _, w := range strands.Workloads {
		for _, s := range strands.Subjects {
			f := s.Runs[w.Name]
			if f == nil {
				if s.In(w.Family) {
					t.Errorf("%s can't do %s", s.Name, w.Name)
				}
				continue
			}
			figures, err := suite.Smoke(w, f)
			if err != nil || len(figures) != 1 {
				t.Errorf("%s, %s: %v, %v", w.Name, s.Name, figures, err)
			}
			// The few of a smoke run may fit into what a process has anyway.
			if w.Kind != suite.Memory && figures[0].Value <= 0 {
				t.Errorf("%s, %s: %+v", w.Name, s.Name, figures)
			}
		}
	}
}

// TestRegistration checks that no name is misspelt, and that none is the name of
// another workload of the same command.
func TestRegistration(t *testing.T) {
	byName, rows := map[string]*suite.Subject{}, map[string]bool{}
	for _, s := range strands.Subjects {
		byName[s.Name] = s
	}
	for _, w := range strands.Workloads {
		rows[w.Name] = true
		if b := byName[w.Baseline]; b == nil || b.Runs[w.Name] == nil {
			t.Errorf("the baseline of %s, %q, can't do it", w.Name, w.Baseline)
		}
		if len(w.Targets) == 0 {
			t.Errorf("%s has no target", w.Name)
		}
		for _, target := range w.Targets {
			if s := byName[target.Subject]; s == nil || s.Runs[w.Name] == nil || target.Row != w.Name {
				t.Errorf("%s has a target for what does not exist: %+v", w.Name, target)
			}
		}
	}
	for _, s := range strands.Subjects {
		for name := range s.Runs {
			if !rows[name] {
				t.Errorf("%s does %q, which is no workload", s.Name, name)
			}
		}
	}
	for _, w := range jobs.All {
		if rows[w.Name] {
			t.Errorf("%s is a workload of jobs, too", w.Name)
		}
	}
}
