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
	// To and Ratio are of a ratio to another subject than the baseline.
	To    string   `json:"to,omitempty"`
	Ratio *float64 `json:"ratio,omitempty"`
}

// outcomes compares a line with the workload's targets. A target for a quantity
// that the line does not have, such as a ratio without a baseline, is left out.
// RatioTo returns the ratio to a subject, or nil.
func outcomes(w *suite.Workload, l *Line, ratioTo func(subject string) *float64) []Outcome {
	var all []Outcome
	for _, t := range w.Targets {
		if t.Subject != l.Subject || t.Row != l.Workload {
			continue
		}
		o, value := Outcome{Of: t.Of, AtMost: t.AtMost, To: t.To}, l.quantity(t.Of)
		if t.To != "" {
			value = ratioTo(t.To)
			o.Ratio = value
		}
		if value != nil {
			o.Reached = *value <= t.AtMost
			all = append(all, o)
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
	if o.To != "" {
		return fmt.Sprintf("ratio to %s at most %g", o.To, o.AtMost)
	}
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
