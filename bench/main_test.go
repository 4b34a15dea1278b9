package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/bench/internal/report"
	"github.com/troupe-go/troupe/bench/internal/runner"
	"github.com/troupe-go/troupe/bench/internal/suite"
	"github.com/troupe-go/troupe/bench/internal/workload"
)

// TestMain makes the test binary a child that can run the planted subjects too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == runner.ChildArg {
		os.Exit(runner.Child(append(workload.All, &planted), append(subjects, plantedSubjects...),
			os.Args[2:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// smoke evaluates with runs as small as they get.
func smoke(t *testing.T, o *options, limit time.Duration) (status int, stdout, stderr string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.rows = map[string]bool{}
	for _, w := range o.workloads {
		for _, row := range w.Rows() {
			o.rows[row] = true
		}
	}
	var out, errs strings.Builder
	status = evaluate(t.Context(), o, &runner.Config{
		Command: []string{self, runner.ChildArg}, Rounds: 1, Limit: limit, Smoke: true, Stderr: &errs,
	}, &out)
	return status, out.String(), errs.String()
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

func TestEveryWorkloadWithEverySubject(t *testing.T) {
	for _, w := range workload.All {
		t.Run(w.Name, func(t *testing.T) {
			o := &options{workloads: []*suite.Workload{w}, subjects: subjects, named: true, json: true}
			status, stdout, stderr := smoke(t, o, time.Minute)
			if status != 0 || stderr != "" {
				t.Fatalf("status %d: %s", status, stderr)
			}
			lines := decode(t, stdout)
			for _, s := range subjects {
				for _, row := range w.Rows() {
					l, ok := lines[[2]string{row, s.Name}]
					if can := s.Runs[w.Name] != nil; ok != can {
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

func TestFailuresAreLoudAndOthersGoOn(t *testing.T) {
	o := &options{workloads: []*suite.Workload{&planted}, subjects: plantedSubjects, json: true}
	status, stdout, stderr := smoke(t, o, 2*time.Second)
	if status != 1 {
		t.Errorf("status = %d, want 1", status)
	}
	for _, want := range []string{
		"FAILED: workload planted, subject wrong: exit status 1\n  wrong result: got 0, want 1",
		"FAILED: workload planted, subject panicking: exit status 2\n  panic: a planted panic",
		"FAILED: workload planted, subject hanging: it hangs: no result after 2s\n  SIGQUIT",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("standard error lacks %q:\n%s", want, stderr)
		}
	}
	lines := decode(t, stdout)
	if len(lines) != 2 || lines[[2]string{"planted", "right"}].Median <= 0 || lines[[2]string{"planted", "talking"}].Median <= 0 {
		t.Errorf("want results of right and talking only:\n%s", stdout)
	}

	o.json, o.subjects = false, []*suite.Subject{plantedSubjects[0], plantedSubjects[4], plantedSubjects[5]}
	_, stdout, _ = smoke(t, o, 2*time.Second)
	for name, want := range map[string]string{"wrong": "FAILED", "right": "1.00", "unable": "-"} {
		found := false
		for l := range strings.Lines(stdout) {
			f := strings.Fields(l)
			found = found || len(f) > 1 && f[0] == name && f[len(f)-1] == want
		}
		if !found {
			t.Errorf("the table lacks a line of %s that ends with %s:\n%s", name, want, stdout)
		}
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stderr strings.Builder
	o := &options{workloads: []*suite.Workload{&planted}, subjects: plantedSubjects}
	if status := evaluate(ctx, o, &runner.Config{Rounds: 1, Stderr: &stderr}, &stderr); status != 130 {
		t.Errorf("status = %d, want 130", status)
	}
}

// TestRegistration keeps names from being misspelt.
func TestRegistration(t *testing.T) {
	byName := map[string]*suite.Subject{}
	for _, s := range subjects {
		if byName[s.Name] != nil || s.About == "" || len(s.Families) == 0 {
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
