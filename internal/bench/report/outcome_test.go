package report_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/bench/report"
	"github.com/troupe-go/troupe/internal/bench/runner"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

var aimed = &suite.Workload{
	Name: "race", About: "who is first", Unit: "ns/lap", Baseline: "base",
	Targets: []suite.Target{
		{Subject: "fast", Row: "race", Of: suite.RatioToBaseline, AtMost: 0.5},
		{Subject: "fast", Row: "race", Of: suite.Allocs, AtMost: 0},
		{Subject: "fast", Row: "race", Of: suite.MedianFigure, AtMost: 9.5},
		{Subject: "slow", Row: "other", Of: suite.MedianFigure, AtMost: 1},
	},
}

func TestOutcomes(t *testing.T) {
	lines := report.Lines(aimed, "race", []*runner.Cell{cell("fast", 10), cell("base", 20), cell("slow", 30)})
	want := []report.Outcome{
		{Of: suite.RatioToBaseline, AtMost: 0.5, Reached: true},
		{Of: suite.Allocs, AtMost: 0, Reached: false},
		{Of: suite.MedianFigure, AtMost: 9.5, Reached: false},
	}
	if got := lines[0].Targets; len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("outcomes = %+v, want %+v", got, want)
	}
	if len(lines[1].Targets)+len(lines[2].Targets) > 0 {
		t.Errorf("others have targets too: %+v", lines)
	}
	alone := report.Lines(aimed, "race", []*runner.Cell{cell("fast", 10)})
	if len(alone[0].Targets) != 2 {
		t.Errorf("without a baseline the outcomes are %+v, want none of the ratio", alone[0].Targets)
	}
}

// TestATargetBesideTheBaseline has ratios to other subjects than the baseline, one
// of which does not take part.
func TestATargetBesideTheBaseline(t *testing.T) {
	w := *aimed
	w.Targets = []suite.Target{
		{Subject: "fast", Row: "race", Of: suite.RatioToBaseline, AtMost: 0.5},
		{Subject: "fast", Row: "race", Of: suite.RatioToBaseline, AtMost: 0.3, To: "slow"},
		{Subject: "fast", Row: "race", Of: suite.RatioToBaseline, AtMost: 0.3, To: "absent"},
	}
	cells := []*runner.Cell{cell("fast", 10), cell("base", 20), cell("slow", 30)}
	got := report.Lines(&w, "race", cells)[0].Targets
	if len(got) != 2 || !got[0].Reached || got[1].Reached || got[1].Ratio == nil || *got[1].Ratio < 0.33 || *got[1].Ratio > 0.34 {
		t.Fatalf("outcomes = %+v, want 0.5 of the baseline, and 0.33 of slow, which is too much", got)
	}
	var out strings.Builder
	var summary report.Summary
	summary.Add(&w, "race", cells)
	if err := summary.Write(&out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "slow: 30.0 ns/lap  0.33   ratio to slow at most 0.3  ✗") || strings.Contains(text, "absent") {
		t.Errorf("the summary is\n%s", text)
	}
}

func TestTargetsInEveryOutput(t *testing.T) {
	cells := []*runner.Cell{cell("fast", 10), cell("base", 20)}
	var json, table, sum strings.Builder
	var summary report.Summary
	summary.Add(aimed, "race", cells)
	for _, err := range []error{
		report.JSON(&json, aimed, "race", cells), report.Table(&table, aimed, "race", cells), summary.Write(&sum),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{json.String(), `"targets":[{"of":"ratio_to_baseline","at_most":0.5,"reached":true},{"of":"allocs",`},
		{table.String(), "ratio at most 0.5 ✓, at most 0 allocs/op ✗, at most 9.5 ns/lap ✗\n"},
		{sum.String(), "Targets, 1 of 3 reached:\n"},
		{sum.String(), "base: 20.0 ns/lap"},
	} {
		if !strings.Contains(c.text, c.want) {
			t.Errorf("%q is not in\n%s", c.want, c.text)
		}
	}
}

func TestNoTargetsNoSummary(t *testing.T) {
	var out strings.Builder
	var summary report.Summary
	summary.Add(race, "race", []*runner.Cell{cell("fast", 10)})
	if err := summary.Write(&out); err != nil || out.Len() > 0 {
		t.Errorf("got %q, %v, want nothing", out.String(), err)
	}
}
