// Bench measures troupe side by side with what people use: plain channels and
// goroutines, and other libraries. See README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/troupe-go/troupe/bench/internal/report"
	"github.com/troupe-go/troupe/bench/internal/runner"
	"github.com/troupe-go/troupe/bench/internal/suite"
	"github.com/troupe-go/troupe/bench/internal/workload"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == runner.ChildArg {
		os.Exit(runner.Child(workload.All, subjects, os.Args[2:], os.Stdout, os.Stderr))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the program, from its arguments to its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, workload.All, subjects, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "bench: %v\n", err)
		return 2
	}
	if o.list {
		return listed(stdout, stderr)
	}
	self, err := os.Executable()
	if err == nil && o.profile != "" {
		err = os.MkdirAll(o.profile, 0o777)
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "bench: %v\n", err)
		return 1
	}
	return evaluate(ctx, &o, &runner.Config{
		Command: []string{self, runner.ChildArg}, Rounds: o.rounds, Target: o.target, Limit: o.limit,
		ProfileDir: o.profile, Stderr: stderr,
	}, stdout)
}

// evaluate runs and reports workload after workload. It returns the exit status.
func evaluate(ctx context.Context, o *options, c *runner.Config, stdout io.Writer) int {
	status := 0
	for _, w := range o.workloads {
		cells := c.Workload(ctx, w, candidates(o, w))
		for _, cell := range cells {
			if cell.Failed {
				status = 1
			}
		}
		print := report.Table
		if o.json {
			print = report.JSON
		}
		for _, row := range w.Rows() {
			if !o.rows[row] {
				continue
			}
			if err := print(stdout, w, row, cells); err != nil {
				_, _ = fmt.Fprintf(c.Stderr, "bench: %v\n", err)
				return 1
			}
		}
		if ctx.Err() != nil {
			_, _ = fmt.Fprintln(c.Stderr, "bench: interrupted")
			return 130
		}
	}
	return status
}

// candidates are the subjects that were named or else are of the workload's
// family.
func candidates(o *options, w *suite.Workload) []*suite.Subject {
	if o.named {
		return o.subjects
	}
	var fit []*suite.Subject
	for _, s := range o.subjects {
		if s.In(w.Family) {
			fit = append(fit, s)
		}
	}
	return fit
}

func listed(stdout, stderr io.Writer) int {
	var text strings.Builder
	text.WriteString("workloads:\n")
	for _, w := range workload.All {
		fmt.Fprintf(&text, "  %s\t%s\n", w.Name, w.About)
	}
	text.WriteString("subjects:\n")
	for _, s := range subjects {
		fmt.Fprintf(&text, "  %s\t%s\n", s.Name, s.About)
	}
	t := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	_, err := io.WriteString(t, text.String())
	if err = errors.Join(err, t.Flush()); err != nil {
		_, _ = fmt.Fprintf(stderr, "bench: %v\n", err)
		return 1
	}
	return 0
}
