package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench"
	"github.com/troupe-go/troupe/internal/bench/report"
	"github.com/troupe-go/troupe/internal/bench/runner"
	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/internal/lane"
)

// TestMain makes the test binary a child.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == runner.ChildArg {
		os.Exit(runner.Child(everything, subjects, os.Args[2:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestEveryWorkloadWithEverySubject(t *testing.T) {
	lane.Check(t)
	self, err := bench.Self()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range slices.Concat(workload.All, workload.Growth(workload.Crowds[:1])) {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel() // Much of the time is starts of processes, and pauses.
			e, err := bench.New(bench.Request{
				Workloads: []string{w.Name}, Rounds: 1, Limit: 5 * time.Minute, JSON: true, // The first run of a program compiles it.
			}, everything, subjects)
			if err != nil {
				t.Fatal(err)
			}
			var stdout, stderr strings.Builder
			e.Named, e.Runner.Command, e.Runner.Smoke, e.Runner.Stderr = true, self, true, &stderr
			if err := e.Run(t.Context(), &stdout); err != nil || stderr.Len() > 0 {
				t.Fatalf("%v: %s", err, stderr.String())
			}
			lines := decode(t, stdout.String())
			for _, s := range subjects {
				for _, row := range w.Rows() {
					l, ok := lines[[2]string{row, s.Name}]
					if can := s.Cannot(w) == ""; ok != can {
						t.Errorf("%s, %s: can do it: %v, has a result: %v", row, s.Name, can, ok)
					}
					if ok && (l.Median <= 0 || l.Procs < 1 || l.Unit == "" || l.Ratio == nil) {
						t.Errorf("%s, %s: incomplete: %+v", row, s.Name, l)
					}
				}
			}
		})
	}
}

func decode(t *testing.T, text string) map[[2]string]report.Line {
	t.Helper()
	lines := map[[2]string]report.Line{}
	for text := range strings.Lines(text) {
		var l report.Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		lines[[2]string{l.Workload, l.Subject}] = l
	}
	return lines
}

// TestRegistration keeps names from being misspelt.
func TestRegistration(t *testing.T) {
	byName := map[string]*suite.Subject{}
	for _, s := range subjects {
		if byName[s.Name] != nil || s.About == "" || len(s.Runs) == 0 {
			t.Errorf("subject %q is there twice or lacks something", s.Name)
		}
		byName[s.Name] = s
	}
	known := map[string]bool{"": true}
	for _, w := range workload.All {
		if known[w.Name] || w.About == "" || w.Unit == "" || w.Family == "" {
			t.Errorf("workload %q is there twice or lacks something", w.Name)
		}
		known[w.Name] = true
		if b := byName[w.Baseline]; b == nil || b.Runs[w.Name] == nil {
			t.Errorf("the baseline of %s, %q, can't do it", w.Name, w.Baseline)
		}
		if byName["troupe"].Runs[w.Name] == nil {
			t.Errorf("troupe does not do %s", w.Name)
		}
		for _, target := range w.Targets {
			if byName[target.Subject] == nil || !slices.Contains(w.Rows(), target.Row) {
				t.Errorf("%s has a target for what does not exist: %+v", w.Name, target)
			}
		}
	}
	for _, w := range workload.Growth(workload.Crowds) {
		known[w.Name] = true
	}
	for _, s := range subjects {
		for name := range s.Runs {
			if !known[name] || name == "" {
				t.Errorf("%s runs an unknown workload %q", s.Name, name)
			}
		}
		for name := range s.Notes {
			if !known[name] {
				t.Errorf("%s has a note on an unknown workload %q", s.Name, name)
			}
		}
	}
}
