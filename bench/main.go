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
	"syscall"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench"
	"github.com/troupe-go/troupe/internal/bench/runner"
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
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	var e *bench.Evaluation
	if err == nil {
		e, err = bench.New(o.Request, workload.All, subjects)
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "bench: %v\n", err)
		return 2
	}
	if o.list {
		err = bench.List(stdout, workload.All, subjects)
	} else if e.Runner.Command, err = bench.Self(); err == nil {
		e.Runner.Stderr = stderr
		err = e.Run(ctx, stdout)
	}
	if err == nil {
		return 0
	}
	_, _ = fmt.Fprintf(stderr, "bench: %v\n", err)
	if errors.Is(err, bench.ErrInterrupted) {
		return 130
	}
	return 1
}
