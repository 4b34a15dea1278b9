package terminal

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Gate bounds how far emulators may be behind the thread of their own: P99 of keystrokes under
// flood is at most so many times as long. P99 at rest is not looked at, since it differs by
// more than that from one run to the next. The zero Gate is none.
type Gate float64

// gated is the figure that a Gate is about.
const gated = underFlood + p99

// check returns an error for a gate that makes no sense, or has nothing to compare.
func (g Gate) check(subjects []string) error {
	switch v := float64(g); {
	case v == 0:
		return nil
	case math.IsNaN(v) || math.IsInf(v, 0) || v < 1:
		return fmt.Errorf("the gate must be a number from 1 on, such as 2, not %v", v)
	case !slices.Contains(subjects, Thread):
		return fmt.Errorf("the gate compares with the subject %s, which is not among the subjects %s", Thread, strings.Join(subjects, ", "))
	}
	return nil
}

// GateError is returned by an evaluation if its Gate is exceeded.
type GateError struct {
	Gate   Gate
	Behind []string // Says of each subject how far it is behind.
}

func (e *GateError) Error() string {
	return fmt.Sprintf("P99 of keystrokes under flood is more than %v times that of %s: %s", float64(e.Gate), Thread, strings.Join(e.Behind, "; "))
}

// judge returns a *GateError if a result exceeds the gate.
func (g Gate) judge(results []Result) error {
	at := slices.IndexFunc(results, func(r Result) bool { return r.Subject == Thread })
	if g == 0 || at < 0 {
		return nil
	}
	limit := results[at].Figures[gated].Median
	var behind []string
	for _, r := range emulators(results) {
		if v := r.Figures[gated].Median; v > float64(g)*limit {
			behind = append(behind, fmt.Sprintf("%s has %.0f µs, and %s %.0f µs", r.Subject, v, Thread, limit))
		}
	}
	if len(behind) == 0 {
		return nil
	}
	return &GateError{g, behind}
}
