// Package report turns what the rounds brought into a table, or into JSON.
package report

import (
	"github.com/troupe-go/troupe/internal/bench/runner"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Line is the result of one subject in one row. Its JSON is the output of the flag json.
type Line struct {
	Workload string  `json:"workload"`
	Subject  string  `json:"subject"`
	Procs    int     `json:"procs"`
	Unit     string  `json:"unit"`
	Median   float64 `json:"median"`
	Min      float64 `json:"min"`
	Max      float64 `json:"max"`
	// Allocs and Bytes are per operation; null where the figure is not one of
	// operations.
	Allocs *float64 `json:"allocs"`
	Bytes  *float64 `json:"bytes"`
	// Ratio is the median of the rounds' ratios to the baseline in the same
	// round; null if the baseline did not run or failed.
	Ratio *float64 `json:"ratio_to_baseline"`
	// Targets are the targets of this subject in this row; left out if there is none.
	Targets []Outcome `json:"targets,omitempty"`
}

// Lines returns the results of a row, one for each cell that has some.
func Lines(w *suite.Workload, row string, cells []*runner.Cell) []Line {
	var lines []Line
	for _, c := range cells {
		if l, ok := line(w, row, c, cells); ok {
			lines = append(lines, l)
		}
	}
	return lines
}

func line(w *suite.Workload, row string, c *runner.Cell, cells []*runner.Cell) (Line, bool) {
	l := Line{Workload: row, Subject: c.Subject.Name, Procs: c.Procs, Unit: w.Unit}
	if c.Failed || len(c.Rounds) == 0 {
		return l, false
	}
	var values, allocs, bytes []float64
	for _, figures := range c.Rounds {
		f := figures[row]
		values = append(values, f.Value)
		if f.Allocs != nil && f.Bytes != nil {
			allocs, bytes = append(allocs, *f.Allocs), append(bytes, *f.Bytes)
		}
	}
	ratioTo := func(subject string) *float64 { return ratioOf(row, c, subject, cells) }
	l.Median, l.Min, l.Max = suite.Median(values), suite.Percentile(values, 0), suite.Percentile(values, 100)
	l.Allocs, l.Bytes, l.Ratio = medianOrNil(allocs), medianOrNil(bytes), ratioTo(w.Baseline)
	l.Targets = outcomes(w, &l, ratioTo)
	return l, true
}

// ratioOf returns the median of a cell's ratios to a subject in the same round, or
// nil if that did not run or failed.
func ratioOf(row string, c *runner.Cell, subject string, cells []*runner.Cell) *float64 {
	var ratios []float64
	for _, other := range cells {
		if other.Subject.Name != subject || other.Failed {
			continue
		}
		for i := range min(len(c.Rounds), len(other.Rounds)) {
			if base := other.Rounds[i][row].Value; base > 0 {
				ratios = append(ratios, c.Rounds[i][row].Value/base)
			}
		}
	}
	return medianOrNil(ratios)
}

func medianOrNil(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	m := suite.Median(values)
	return &m
}
