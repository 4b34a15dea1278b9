package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/bench/report"
	"github.com/troupe-go/troupe/internal/bench/runner"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

var race = &suite.Workload{Name: "race", About: "who is first", Unit: "ns/lap", Baseline: "base"}

// cell has a round for each value, with one allocation of 16 bytes.
func cell(name string, values ...float64) *runner.Cell {
	one, sixteen := 1.0, 16.0
	c := &runner.Cell{
		Subject: &suite.Subject{Name: name, Notes: map[string]string{"race": "runs " + name}}, Procs: 2,
	}
	for _, v := range values {
		c.Rounds = append(c.Rounds, map[string]suite.Figure{"race": {Row: "race", Value: v, Allocs: &one, Bytes: &sixteen}})
	}
	return c
}

func TestRatioIsTheMedianOfTheRoundsRatios(t *testing.T) {
	// The second round was slow for all; the median of ratios does not mind.
	lines := report.Lines(race, "race", []*runner.Cell{cell("fast", 10, 300, 11), cell("base", 20, 400, 44)})
	if len(lines) != 2 {
		t.Fatalf("%d lines, want 2", len(lines))
	}
	l := lines[0]
	if l.Median != 11 || l.Min != 10 || l.Max != 300 || *l.Ratio != 0.5 || *l.Allocs != 1 || *l.Bytes != 16 {
		t.Errorf("line = %+v with ratio %v, want median 11, min 10, max 300, ratio 0.5", l, *l.Ratio)
	}
	if *lines[1].Ratio != 1 {
		t.Errorf("the baseline's ratio is %v", *lines[1].Ratio)
	}
}

func TestNoBaselineNoRatio(t *testing.T) {
	failed := cell("base", 1)
	failed.Failed = true
	for name, cells := range map[string][]*runner.Cell{
		"absent": {cell("fast", 10)},
		"failed": {cell("fast", 10), failed},
	} {
		if lines := report.Lines(race, "race", cells); len(lines) != 1 || lines[0].Ratio != nil {
			t.Errorf("%s: lines = %+v, want one without a ratio", name, lines)
		}
	}
}

func TestJSONLines(t *testing.T) {
	var out strings.Builder
	cells := []*runner.Cell{cell("fast", 10), cell("base", 20), {Subject: &suite.Subject{Name: "unable"}, Cannot: "too old"}}
	if err := report.JSON(&out, race, "race", cells); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	want := `{"workload":"race","subject":"fast","procs":2,"unit":"ns/lap","median":10,"min":10,"max":10,` +
		`"allocs":1,"bytes":16,"ratio_to_baseline":0.5}`
	if len(lines) != 2 || lines[0] != want {
		t.Errorf("got %d lines, the first is\n%s\nwant 2 and\n%s", len(lines), lines[0], want)
	}
	for _, l := range lines {
		if !json.Valid([]byte(l)) {
			t.Errorf("not JSON: %s", l)
		}
	}
}

func TestTable(t *testing.T) {
	failed := cell("broken", 1)
	failed.Failed = true
	unable := &runner.Cell{Subject: &suite.Subject{Name: "unable", Notes: map[string]string{"other": "not here"}}, Cannot: "too old"}
	var out strings.Builder
	err := report.Table(&out, race, "race", []*runner.Cell{cell("fast", 10), cell("base", 20), failed, unable})
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string][]string{}
	for l := range strings.Lines(out.String()) {
		if f := strings.Fields(l); len(f) > 0 {
			fields[f[0]] = f[1:]
		}
	}
	for name, want := range map[string]string{
		"fast":   "10.0 10.0 10.0 1.000 16.0 0.50",
		"base":   "20.0 20.0 20.0 1.000 16.0 1.00",
		"broken": "FAILED",
		"unable": "cannot: too old",
	} {
		if got := strings.Join(fields[name], " "); got != want {
			t.Errorf("the line of %s is %q, want %q", name, got, want)
		}
	}
	for _, part := range []string{"who is first", "Note: fast: runs fast.", "ratio is to base"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("the table lacks %q:\n%s", part, out.String())
		}
	}
	if strings.Contains(out.String(), "not here") {
		t.Error("the table has a note on another workload")
	}
}
