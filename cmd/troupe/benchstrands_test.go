package main_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
)

func TestBenchStrandsJSON(t *testing.T) {
	lane.Short(t)
	t.Parallel()
	skipMeasuresInRace(t)
	status, stdout, stderr := run(t, "bench", "strands", "--quick", "--json", "--workload", "switch,echo")
	if status != 0 || stderr != "" {
		t.Fatalf("the status is %d: %s", status, stderr)
	}
	aims := map[string]float64{}
	lines := 0
	for text := range strings.Lines(stdout) {
		var line struct {
			Workload, Subject, Unit string
			Median                  float64
			Ratio                   *float64 `json:"ratio_to_baseline"`
			Targets                 []struct {
				Of      string  `json:"of"`
				AtMost  float64 `json:"at_most"`
				Reached *bool   `json:"reached"`
			}
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		if lines++; line.Median <= 0 || line.Unit == "" || line.Ratio == nil {
			t.Errorf("incomplete: %s", text)
		}
		for _, target := range line.Targets {
			if target.Reached == nil {
				t.Errorf("not told whether it is reached: %s", text)
			}
			aims[line.Workload+" "+line.Subject] = target.AtMost
		}
	}
	if lines != 5 || len(aims) != 3 || aims["switch strands"] != 100 || aims["echo strands"] != 1 || aims["echo actors"] != 1.11 {
		t.Errorf("%d lines with the targets %v:\n%s", lines, aims, stdout)
	}
}

func TestBenchStrandsList(t *testing.T) {
	status, stdout, _ := run(t, "bench", "strands", "--list")
	for _, want := range []string{"switch-many", "million", "connections", "actors", "goroutines"} {
		if status != 0 || !strings.Contains(stdout, want) {
			t.Errorf("the list (status %d) lacks %q:\n%s", status, want, stdout)
		}
	}
	if status, _, stderr := run(t, "bench", "strands", "--workload", "flat"); status != 2 || !strings.Contains(stderr, "flat") {
		t.Errorf("a workload of jobs has status %d: %s", status, stderr)
	}
}
