package report

import (
	"fmt"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Outcome is whether a figure has reached a target.
type Outcome struct {
	Of      suite.Quantity `json:"of"`
	AtMost  float64        `json:"at_most"`
	Reached bool           `json:"reached"`
}

// outcomes compares a line with the workload's targets. A target for a quantity
// that the line does not have, such as a ratio without a baseline, is left out.
func outcomes(w *suite.Workload, l *Line) []Outcome {
	var all []Outcome
	for _, t := range w.Targets {
		if t.Subject != l.Subject || t.Row != l.Workload {
			continue
		}
		if value := l.quantity(t.Of); value != nil {
			all = append(all, Outcome{Of: t.Of, AtMost: t.AtMost, Reached: *value <= t.AtMost})
		}
	}
	return all
}

func (l *Line) quantity(q suite.Quantity) *float64 {
	switch q {
	case suite.MedianFigure:
		return &l.Median
	case suite.RatioToBaseline:
		return l.Ratio
	case suite.Allocs:
		return l.Allocs
	}
	return nil
}

// describe says what the target is, in the words of the table's head.
func (o Outcome) describe(unit string) string {
	what := map[suite.Quantity]string{
		suite.MedianFigure:    "at most %g " + unit,
		suite.RatioToBaseline: "ratio at most %g",
		suite.Allocs:          "at most %g allocs/op",
	}[o.Of]
	return fmt.Sprintf(what, o.AtMost)
}

// mark is the outcome in one character.
func (o Outcome) mark() string {
	if o.Reached {
		return "✓"
	}
	return "✗"
}
