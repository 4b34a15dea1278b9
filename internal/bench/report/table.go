package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/troupe-go/troupe/internal/bench/runner"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// JSON writes a row as one line for each subject that has a result.
func JSON(out io.Writer, w *suite.Workload, row string, cells []*runner.Cell) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for _, l := range Lines(w, row, cells) {
		if err := e.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

// Table writes a row as a table, with a line for each cell: also for those that
// can't do the workload, with the reason, and "not run" if the evaluation was
// interrupted.
func Table(out io.Writer, w *suite.Workload, row string, cells []*runner.Cell) error {
	lines := map[string]Line{}
	procs, last := 0, ""
	for _, l := range Lines(w, row, cells) {
		lines[l.Subject], procs = l, l.Procs
		if len(l.Targets) > 0 {
			last = "target\t"
		}
	}
	var body, foot strings.Builder
	fmt.Fprintf(&body, "subject\tmedian\tmin\tmax\tallocs/op\tbytes/op\tratio\t%s\n", last)
	for _, c := range cells {
		l, ok := lines[c.Subject.Name]
		fmt.Fprintf(&body, "%s\t%s\n", c.Subject.Name, figures(c, l, ok, w.Unit))
	}
	fmt.Fprintf(&foot, "  The ratio is to %s, in the same round.\n", w.Baseline)
	for _, c := range cells {
		if note := notes(c.Subject, w.Name); note != "" && c.Cannot == "" {
			fmt.Fprintf(&foot, "  Note: %s: %s.\n", c.Subject.Name, note)
		}
	}
	head := fmt.Sprintf("\n%s, %s, %d procs: %s\n", row, w.Unit, procs, w.About)
	_, err := io.WriteString(out, head+aligned(body.String())+foot.String())
	return err
}

// figures are the columns of a subject, each ended by a tab.
func figures(c *runner.Cell, l Line, ok bool, unit string) string {
	switch {
	case ok:
		columns := []string{number(&l.Median), number(&l.Min), number(&l.Max), number(l.Allocs), number(l.Bytes), ratio(l.Ratio), ""}
		if len(l.Targets) > 0 {
			columns = append(columns[:6], targets(l, unit), "")
		}
		return strings.Join(columns, "\t")
	case c.Failed:
		return "FAILED\t"
	case c.Cannot == "":
		return "not run\t"
	default:
		return "  cannot: " + c.Cannot // Not a column, since no tab ends it.
	}
}

// aligned sets the columns of tab-separated lines one below the other.
func aligned(text string) string {
	var out strings.Builder
	t := tabwriter.NewWriter(&out, 10, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = io.WriteString(t, text) // A strings.Builder takes everything.
	_ = t.Flush()
	return out.String()
}

func targets(l Line, unit string) string {
	var all []string
	for _, o := range l.Targets {
		all = append(all, o.describe(unit)+" "+o.mark())
	}
	return strings.Join(all, ", ")
}

func notes(s *suite.Subject, workload string) string {
	var all []string
	for _, note := range []string{s.Notes[""], s.Notes[workload]} {
		if note != "" {
			all = append(all, note)
		}
	}
	return strings.Join(all, "; ")
}

// number formats a figure with three or four digits.
func number(v *float64) string {
	switch {
	case v == nil:
		return ""
	case *v != 0 && *v < 0.0005:
		return "0.000"
	case *v >= 100 || *v == 0:
		return fmt.Sprintf("%.0f", *v)
	case *v >= 10:
		return fmt.Sprintf("%.1f", *v)
	default:
		return fmt.Sprintf("%.3f", *v)
	}
}

func ratio(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", *v)
}
