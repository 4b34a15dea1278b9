package report

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/troupe-go/troupe/internal/bench/runner"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Summary collects the rows that have a target.
type Summary struct {
	rows    strings.Builder
	reached int
	all     int
}

// Add notes a row's targets and what came of them.
func (s *Summary) Add(w *suite.Workload, row string, cells []*runner.Cell) {
	lines := Lines(w, row, cells)
	for _, l := range lines {
		for _, o := range l.Targets {
			base, to, times := "", w.Baseline, l.Ratio
			if o.To != "" {
				to, times = o.To, o.Ratio
			}
			if b := find(lines, to); b != nil && b.Subject != l.Subject {
				base = withSubject(b)
			}
			fmt.Fprintf(&s.rows, "  %s\t%s\t%s\t%s\t%s\t%s\n",
				row, withSubject(&l), base, ratio(times), o.describe(w.Unit), o.mark())
			s.all++
			if o.Reached {
				s.reached++
			}
		}
	}
}

func withSubject(l *Line) string {
	return fmt.Sprintf("%s: %s %s", l.Subject, number(&l.Median), l.Unit)
}

func find(lines []Line, subject string) *Line {
	for i := range lines {
		if lines[i].Subject == subject {
			return &lines[i]
		}
	}
	return nil
}

// Write prints the rows, if there are any.
func (s *Summary) Write(out io.Writer) error {
	if s.all == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(out, "\nTargets, %d of %d reached:\n", s.reached, s.all); err != nil {
		return err
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, err := io.WriteString(t, "  workload\tmedian\tbaseline\tratio\ttarget\n"+s.rows.String())
	return errors.Join(err, t.Flush())
}
