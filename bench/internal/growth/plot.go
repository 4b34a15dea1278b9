// Package growth tells how costs grow, from the lines of a report: in tables, and
// in drawings made with
// gonum.org/v1/plot.
package growth

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/report"
)

// ErrNothing is returned when no line is about growth.
var ErrNothing = errors.New("no line is one of -growth: there is nothing to draw")

var kinds = []string{workload.GrowMessage, workload.GrowActor, workload.GrowMemory}

// curve is a subject with some number of processors.
type curve struct {
	subject string
	procs   int
}

// Draw writes an SVG for each kind of workload about growth that the lines have
// something of: grow-message.svg and so on. They replace what is there.
func Draw(lines []report.Line, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	drawn := 0
	for _, kind := range kinds {
		curves, unit := collect(lines, kind)
		if len(curves) == 0 {
			continue
		}
		drawn++
		if err := draw(curves, kind, unit, filepath.Join(dir, kind+".svg")); err != nil {
			return err
		}
	}
	if drawn == 0 {
		return ErrNothing
	}
	return nil
}

// Split returns the lines that are about growth, and the others.
func Split(lines []report.Line) (growth, others []report.Line) {
	for _, l := range lines {
		if isGrowth(l) {
			growth = append(growth, l)
		} else {
			others = append(others, l)
		}
	}
	return growth, others
}

func isGrowth(l report.Line) bool {
	for _, kind := range kinds {
		if strings.HasPrefix(l.Workload, kind+"-") {
			return true
		}
	}
	return false
}

// collect returns the points of each curve of one kind, in order.
func collect(lines []report.Line, kind string) (curves map[curve]plotter.XYs, unit string) {
	curves = map[curve]plotter.XYs{}
	for _, l := range lines {
		text, ok := strings.CutPrefix(l.Workload, kind+"-")
		size, err := strconv.Atoi(text)
		if !ok || err != nil || size <= 0 || l.Median <= 0 {
			continue
		}
		c := curve{l.Subject, l.Procs}
		curves[c] = append(curves[c], plotter.XY{X: float64(size), Y: l.Median})
		unit = l.Unit
	}
	for _, points := range curves {
		slices.SortFunc(points, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	}
	return curves, unit
}

func draw(curves map[curve]plotter.XYs, kind, unit, path string) error {
	p := plot.New()
	p.Title.Text = kind
	p.X.Label.Text, p.Y.Label.Text = "actors", unit
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Add(plotter.NewGrid())
	p.Legend.Top = true
	for _, c := range sorted(curves) {
		line, points, err := plotter.NewLinePoints(curves[c])
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		line.Color, points.Color = colour(c), colour(c)
		if c.subject != "troupe" {
			line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
		}
		p.Add(line, points)
		p.Legend.Add(fmt.Sprintf("%s, %d procs", c.subject, c.procs), line)
	}
	return p.Save(7*vg.Inch, 4.5*vg.Inch, path)
}

func sorted(curves map[curve]plotter.XYs) []curve {
	var all []curve
	for c := range curves {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b curve) int {
		return cmp.Or(-cmp.Compare(a.subject, b.subject), cmp.Compare(a.procs, b.procs))
	})
	return all
}

// colour is a blue for troupe and a red for others, the darker the more
// processors there are.
func colour(c curve) color.Color {
	light := uint8(200 / min(max(c.procs, 1), 8))
	if c.subject == "troupe" {
		return color.RGBA{light, light, 220, 255}
	}
	return color.RGBA{220, light, light, 255}
}
