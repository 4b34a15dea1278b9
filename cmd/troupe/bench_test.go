package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	main "github.com/troupe-go/troupe/cmd/troupe"
	"github.com/troupe-go/troupe/internal/lane"
)

func TestBenchSchedJSON(t *testing.T) {
	lane.Short(t)
	t.Parallel()
	status, stdout, stderr := run(t, "bench", "sched", "--quick", "--json", "--workload", "flat,start-idle-p50", "--subject", "troupe,workers")
	if status != 0 || stderr != "" {
		t.Fatalf("the status is %d: %s", status, stderr)
	}
	seen := map[string]bool{}
	for text := range strings.Lines(stdout) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		for _, field := range []string{"workload", "subject", "unit", "median", "min", "max", "allocs", "ratio_to_baseline"} {
			if _, ok := line[field]; !ok {
				t.Errorf("no field %q in %s", field, text)
			}
		}
		seen[line["workload"].(string)+" "+line["subject"].(string)] = true
		// The ratio of start-idle is to goroutines, which do not take part.
		if aimed := line["workload"] == "flat" && line["subject"] == "troupe"; aimed != (line["targets"] != nil) {
			t.Errorf("the targets are %v in %s", line["targets"], text)
		}
	}
	if len(seen) != 4 || !seen["flat workers"] || !seen["start-idle-p50 troupe"] {
		t.Errorf("the lines are of %v, want two workloads and two subjects", seen)
	}
}

func TestBenchSchedText(t *testing.T) {
	lane.Short(t)
	t.Parallel()
	status, stdout, stderr := run(t, "bench", "sched", "--quick", "--workload", "one-flooded")
	if status != 0 || stderr != "" {
		t.Fatalf("the status is %d: %s", status, stderr)
	}
	for _, want := range []string{"  troupe ", "  balanced ", "  workers ", "ratio at most 1.15", "Targets, "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report lacks %q:\n%s", want, stdout)
		}
	}
}

func TestBenchSchedList(t *testing.T) {
	status, stdout, _ := run(t, "bench", "sched", "--list")
	for _, want := range []string{"fib", "urgent-loop", "queued", "goroutines"} {
		if status != 0 || !strings.Contains(stdout, want) {
			t.Errorf("the list (status %d) lacks %q:\n%s", status, want, stdout)
		}
	}
}

func TestBenchSchedInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	status := main.Run(ctx, []string{"bench", "sched"}, &out, &errs)
	if status != 130 || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("the status is %d with %q, want 130", status, errs.String())
	}
}

func TestBenchSchedBrokenOutput(t *testing.T) {
	lane.Short(t)
	t.Parallel()
	var errs bytes.Buffer
	args := []string{"bench", "sched", "--quick", "--workload", "one-flooded", "--subject", "balanced"}
	if status := main.Run(t.Context(), args, brokenWriter{}, &errs); status != 1 {
		t.Errorf("the status is %d, want 1: %s", status, errs.String())
	}
	if !strings.Contains(errs.String(), "writing the report") {
		t.Errorf("the message is %q", errs.String())
	}
}

// skipMeasuresInRace is for tests of what is printed. The workloads
// run under the race detector in the tests of their own package.
func skipMeasuresInRace(t *testing.T) {
	t.Helper()
	if raceEnabled {
		t.Skip("measuring takes half a minute under the race detector")
	}
}
