// Bench measures troupe side by side with what people use: plain channels and
// goroutines, and other libraries. See README.md.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/troupe-go/troupe/bench/internal/growth"
	"github.com/troupe-go/troupe/bench/internal/headline"
	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench"
	"github.com/troupe-go/troupe/internal/bench/report"
	"github.com/troupe-go/troupe/internal/bench/runner"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == runner.ChildArg {
		os.Exit(runner.Child(everything, subjects, os.Args[2:], os.Stdout, os.Stderr))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the program, from its arguments to its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	var e *bench.Evaluation
	if err == nil {
		e, err = bench.New(o.Request, o.workloads(), subjects)
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "bench: %v\n", err)
		return 2
	}
	if err := do(ctx, o, e, stdout, stderr); err != nil {
		_, _ = fmt.Fprintf(stderr, "bench: %v\n", err)
		if errors.Is(err, bench.ErrInterrupted) {
			return 130
		}
		return 1
	}
	return 0
}

// everything is what a child can be told to do.
var everything = slices.Concat(workload.All, workload.Growth(workload.Crowds))

func (o options) workloads() []*suite.Workload {
	switch {
	case o.growth && o.Quick:
		return workload.Growth(workload.QuickCrowds)
	case o.growth:
		return workload.Growth(workload.Crowds)
	default:
		return workload.All
	}
}

// do does what the options say.
func do(ctx context.Context, o options, e *bench.Evaluation, stdout, stderr io.Writer) (err error) {
	if o.list {
		return bench.List(stdout, o.workloads(), subjects)
	}
	if o.report != "" {
		return tell(stdout, o)
	}
	if e.Runner.Command, err = bench.Self(); err != nil {
		return err
	}
	e.Runner.Stderr = stderr
	if !o.growth {
		return e.Run(ctx, stdout)
	}
	var failed error
	for _, procs := range workload.GrowthProcs {
		e.Runner.Env = []string{fmt.Sprintf("GOMAXPROCS=%d", procs)}
		if err := e.Run(ctx, stdout); err != nil {
			failed = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return failed
}

// tell prints the tables of a file, and draws the plots if there is a folder for
// them; or it writes the figures of a README.
func tell(stdout io.Writer, o options) error {
	file, err := os.Open(o.report)
	if err != nil {
		return err
	}
	lines, err := report.Read(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%s: %w", o.report, err)
	}
	if o.into != "" {
		return summarize(o, lines)
	}
	grown, others := growth.Split(lines)
	if o.plots != "" {
		if err := growth.Draw(grown, o.plots); err != nil {
			return err
		}
	}
	if err := growth.Tables(stdout, grown); err != nil {
		return err
	}
	return report.Markdown(stdout, workload.All, subjects, others)
}

// summarize writes the figures of a README, below what the file measured.txt beside
// the report says of the machine.
func summarize(o options, lines []report.Line) error {
	measured, err := os.ReadFile(filepath.Join(filepath.Dir(o.report), "measured.txt"))
	if err != nil {
		return err
	}
	table := bytes.NewBuffer(append(measured, '\n'))
	if err := headline.Table(table, lines); err != nil {
		return err
	}
	return headline.Into(o.into, table.String())
}
