package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/troupe-go/troupe/cmd/troupe/internal/steal"
)

const stealHelp = `Steal runs a scheduler under load and shows its workers: what each does, how long its queues are,
and what it takes from which other. In a terminal it is a live view with these keys:

  c  submit 10 critical jobs            t  steal by the next strategy
  b  block a worker for 3 s             p  stop feeding jobs, or go on
  s  loop for 3 s, no checkpoint        +  feed more, -  feed fewer
  u  flood one worker, 10,000 jobs      ?  help, q  quit

The load is trees of jobs: each job from outside submits eight others of 200 µs on its worker, from
where the others steal them. A critical job comes ten times a second; how long it and those of the
key c take to begin is what the latencies are about.

Where standard output or input is no terminal, or TERM is dumb, lines are written instead, one every
--interval. --keys presses keys by itself, one every --interval.

Exit status:
  0    ended by the key q or after --duration
  1    something failed
  2    the command line is wrong
  130  interrupted by Ctrl-C, SIGINT or SIGTERM; the summary is written nevertheless`

const stealExample = `  troupe steal                         the live view
  troupe steal --workers 8 --load 0.9  with eight workers that have little time to spare
  troupe steal --keys bcu | cat        lines, while a worker blocks, critical jobs come, and one is flooded
  troupe steal --duration 5s --json | jq .critical`

type stealFlags struct {
	config   steal.Config
	keys     string
	interval time.Duration
	duration time.Duration
	json     bool
}

func newSteal() *cobra.Command {
	flags := &stealFlags{}
	cmd := &cobra.Command{
		Use:     "steal",
		Short:   "Watch workers steal, and disturb them",
		Long:    stealHelp,
		Example: stealExample,
		Args:    atMost(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flags.complete(cmd); err != nil {
				return usageError{err}
			}
			return flags.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags.define(cmd.Flags())
	return cmd
}

func (f *stealFlags) define(set *pflag.FlagSet) {
	set.SortFlags = false
	set.IntVar(&f.config.Workers, "workers", 0, "`number` of the scheduler's workers (default GOMAXPROCS)")
	set.Var(&f.config.Strategy, "strategy", "how workers steal: "+steal.StrategyNames())
	set.Float64Var(&f.config.Load, "load", 0.6, "`part` of the workers' time that jobs are fed for, from 0 to 4")
	set.StringVar(&f.keys, "keys", "", "`keys` to press, one every --interval")
	set.DurationVar(&f.interval, "interval", time.Second, "`time` between two lines, and between two of --keys")
	set.DurationVar(&f.duration, "duration", 0, "`time` to run (default until the key q; 10s where there is no live view)")
	set.BoolVar(&f.json, "json", false, "no live view; a summary as one JSON object at the end, lines to standard error")
}

// complete checks what the flags' types don't say.
func (f *stealFlags) complete(cmd *cobra.Command) (err error) {
	for name, value := range map[string]time.Duration{"interval": f.interval, "duration": f.duration} {
		if cmd.Flag(name).Changed && value < steal.MinEvery {
			return fmt.Errorf("--%s must be at least %v, not %v", name, steal.MinEvery, value)
		}
	}
	if cmd.Flag("workers").Changed && f.config.Workers < 1 {
		return fmt.Errorf("--workers must be at least 1, not %d", f.config.Workers)
	}
	f.config.ScriptEvery = f.interval
	if f.config.Script, err = steal.Acts(f.keys); err != nil {
		return fmt.Errorf("--keys: %w", err)
	}
	return nil
}

func (f *stealFlags) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	stage, err := steal.Open(f.config)
	if err != nil {
		return err
	}
	defer func() {
		if closed := closeStage(stage); err == nil {
			err = closed
		}
	}()
	interrupted, err := f.show(ctx, stage, stdin, stdout, stderr)
	if err != nil {
		return err
	}
	summary := stage.Summary(interrupted)
	write := summary.WriteText
	if f.json {
		write = summary.WriteJSON
	}
	if err := write(stdout); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	if interrupted {
		return errInterrupted
	}
	return nil
}

// show shows the stage until it is to end.
func (f *stealFlags) show(ctx context.Context, stage *steal.Stage, stdin io.Reader, stdout, stderr io.Writer) (interrupted bool, err error) {
	if !f.json && isScreen(stdin) && isScreen(stdout) && os.Getenv("TERM") != "dumb" {
		return steal.Live(ctx, stage, stdin, stdout, os.Environ(), f.duration)
	}
	lines := stdout
	if f.json {
		lines = stderr
	}
	duration := f.duration
	if duration == 0 {
		const short = 10 * time.Second
		duration = short
	}
	err = steal.Report(ctx, stage, lines, f.interval, duration)
	return ctx.Err() != nil, err
}

// closeStage gives what runs a moment to return.
func closeStage(stage *steal.Stage) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return stage.Close(ctx)
}

// isScreen reports whether a stream is a terminal that knows its size. Terminals that
// programs make for programs often have no size.
func isScreen(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	return err == nil && width > 0 && height > 0
}
