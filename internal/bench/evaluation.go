package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/troupe-go/troupe/internal/bench/report"
	"github.com/troupe-go/troupe/internal/bench/runner"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// ErrFailed is returned when a run failed. The failure was
// written to Runner.Stderr, and the other runs were made.
var ErrFailed = errors.New("some runs failed")

// ErrInterrupted is returned when the context ended. The results until then
// were reported.
var ErrInterrupted = errors.New("interrupted; the report is partial")

// Evaluation runs workloads and reports them. [New] makes one; Runner.Command
// and Runner.Stderr are to be set before Run.
type Evaluation struct {
	Workloads []*suite.Workload
	Rows      map[string]bool // Which rows of them are reported.
	Subjects  []*suite.Subject
	Named     bool // The subjects were named: each appears in every table.
	JSON      bool
	Runner    runner.Config
}

// Self returns the command by which this program does one run in a process of
// its own. Its main function passes that on to [runner.Child].
func Self() ([]string, error) {
	self, err := os.Executable()
	return []string{self, runner.ChildArg}, err
}

// Run runs and reports workload after workload, and at the end which targets
// were reached.
func (e *Evaluation) Run(ctx context.Context, stdout io.Writer) error {
	if e.Runner.ProfileDir != "" {
		if err := os.MkdirAll(e.Runner.ProfileDir, 0o777); err != nil {
			return err
		}
	}
	var failed error
	var summary report.Summary
	for _, w := range e.Workloads {
		cells := e.Runner.Workload(ctx, w, e.candidates(w))
		for _, cell := range cells {
			if cell.Failed {
				failed = ErrFailed
			}
		}
		if err := e.report(stdout, w, cells, &summary); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
		if ctx.Err() != nil {
			failed = ErrInterrupted
			break
		}
	}
	if e.JSON {
		return failed
	}
	if err := summary.Write(stdout); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return failed
}

// report prints the rows that have a result, or have failed.
func (e *Evaluation) report(stdout io.Writer, w *suite.Workload, cells []*runner.Cell, summary *report.Summary) error {
	tried := false
	for _, c := range cells {
		tried = tried || c.Failed || len(c.Rounds) > 0
	}
	write := report.Table
	if e.JSON {
		write = report.JSON
	}
	for _, row := range w.Rows() {
		if !e.Rows[row] || !tried {
			continue
		}
		if err := write(stdout, w, row, cells); err != nil {
			return err
		}
		summary.Add(w, row, cells)
	}
	return nil
}

// candidates are the subjects that were named. If none was named, they are the subjects
// of the workload's family and others that can do it.
func (e *Evaluation) candidates(w *suite.Workload) []*suite.Subject {
	if e.Named {
		return e.Subjects
	}
	var fit []*suite.Subject
	for _, s := range e.Subjects {
		if s.In(w.Family) || s.Runs[w.Name] != nil {
			fit = append(fit, s)
		}
	}
	return fit
}

// List prints what there is to choose from.
func List(stdout io.Writer, workloads []*suite.Workload, subjects []*suite.Subject) error {
	var text strings.Builder
	text.WriteString("workloads:\n")
	for _, w := range workloads {
		fmt.Fprintf(&text, "  %s\t%s\n", w.Name, w.About)
	}
	text.WriteString("subjects:\n")
	for _, s := range subjects {
		fmt.Fprintf(&text, "  %s\t%s\n", s.Name, s.About)
	}
	t := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	_, err := io.WriteString(t, text.String())
	return errors.Join(err, t.Flush())
}
