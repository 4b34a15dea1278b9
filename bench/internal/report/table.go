package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/troupe-go/troupe/bench/internal/runner"
	"github.com/troupe-go/troupe/bench/internal/suite"
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

// Table writes a row as a table, with a line for each cell: "-" says that the
// subject can't do the workload.
func Table(out io.Writer, w *suite.Workload, row string, cells []*runner.Cell) error {
	lines := map[string]Line{}
	procs := 0
	for _, l := range Lines(w, row, cells) {
		lines[l.Subject], procs = l, l.Procs
	}
	var head, body, foot strings.Builder
	fmt.Fprintf(&head, "\n%s, %s, %d procs: %s\n", row, w.Unit, procs, w.About)
	fmt.Fprintf(&body, "subject\tmedian\tmin\tmax\tallocs/op\tbytes/op\tratio\t\n")
	for _, c := range cells {
		l, ok := lines[c.Subject.Name]
		switch {
		case ok:
			fmt.Fprintf(&body, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", l.Subject, number(&l.Median), number(&l.Min), number(&l.Max),
				number(l.Allocs), number(l.Bytes), ratio(l.Ratio))
		case c.Failed:
			fmt.Fprintf(&body, "%s\tFAILED\t\t\t\t\t\t\n", c.Subject.Name)
		default:
			fmt.Fprintf(&body, "%s\t-\t\t\t\t\t\t\n", c.Subject.Name)
		}
	}
	fmt.Fprintf(&foot, "  The ratio is to %s, in the same round.\n", w.Baseline)
	for _, c := range cells {
		if note := notes(c.Subject, w.Name); note != "" && (c.Can || c.Subject.Notes[w.Name] != "") {
			fmt.Fprintf(&foot, "  Note: %s: %s.\n", c.Subject.Name, note)
		}
	}
	_, err := io.WriteString(out, head.String()+aligned(body.String())+foot.String())
	return err
}

// aligned sets the columns of tab-separated lines one below the other.
func aligned(text string) string {
	var out strings.Builder
	t := tabwriter.NewWriter(&out, 10, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = io.WriteString(t, text) // A strings.Builder takes everything.
	_ = t.Flush()
	return out.String()
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
