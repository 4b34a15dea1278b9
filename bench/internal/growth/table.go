package growth

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"

	"github.com/troupe-go/troupe/internal/bench/report"
)

// Tables writes a table in Markdown for each kind: a line for each number of
// actors, a column for each subject and number of processors.
func Tables(out io.Writer, lines []report.Line) error {
	var text strings.Builder
	for _, kind := range kinds {
		if curves, unit := collect(lines, kind); len(curves) > 0 {
			table(&text, kind, unit, curves)
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

func table(text *strings.Builder, kind, unit string, curves map[curve]plotter.XYs) {
	columns := sorted(curves)
	fmt.Fprintf(text, "\n### %s, %s\n\n| actors |", kind, unit)
	var sizes []float64
	for _, c := range columns {
		fmt.Fprintf(text, " %s, %d |", c.subject, c.procs)
		for _, point := range curves[c] {
			if !slices.Contains(sizes, point.X) {
				sizes = append(sizes, point.X)
			}
		}
	}
	slices.Sort(sizes)
	text.WriteString("\n|---:|" + strings.Repeat("---:|", len(columns)) + "\n")
	for _, size := range sizes {
		fmt.Fprintf(text, "| %.0f |", size)
		for _, c := range columns {
			i := slices.IndexFunc(curves[c], func(p plotter.XY) bool { return p.X == size })
			if i < 0 {
				text.WriteString(" |")
				continue
			}
			fmt.Fprintf(text, " %s |", rounded(curves[c][i].Y))
		}
		text.WriteString("\n")
	}
}

// rounded formats a figure with at least three digits.
func rounded(v float64) string {
	if v < 100 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}
