package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/troupe-go/troupe/internal/bench"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

const benchSchedHelp = `Sched measures the scheduler beside goroutines and channel workers.

Each run is a process of its own. In each round every subject takes its turn, so that all see the
same weather on the machine; a ratio is to the baseline of the same round, and the tables have the
medians of the rounds. Every run checks its own result. The last table has the targets and a mark
for each that was reached. A full evaluation takes about three minutes.

Exit status:
  0    all runs were made, whatever the figures are
  1    a run failed: a wrong result, a crash, or longer than --limit
  2    the command line is wrong
  130  interrupted by SIGINT or SIGTERM: the tables have what there was until then`

const benchSchedExample = `  troupe bench sched                                 everything
  troupe bench sched --workload flat,fib --rounds 9  two of the workloads
  troupe bench sched --json | jq -c 'select(.subject == "troupe") | .targets[]?'
  troupe bench sched --quick                         to see that all works; the figures mean little`

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure this module beside plain Go",
		Args:  noSuchCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		SuggestionsMinimumDistance: 2,
	}
	cmd.AddCommand(benchSched.command(), benchStrands.command(), benchTasks.command(), benchJournal.command(), newBenchTerminal())
	return cmd
}

// evaluation is a command that makes one, of workloads and subjects of its own.
type evaluation struct {
	use, short, long, example string
	rounds                    int
	workloads                 []*suite.Workload
	subjects                  []*suite.Subject
}

var benchSched = evaluation{
	use: "sched", short: "Measure the scheduler beside goroutines and channel workers", long: benchSchedHelp, example: benchSchedExample,
	rounds: bench.DefaultRounds, workloads: jobs.Workloads, subjects: jobs.Subjects,
}

type benchFlags struct {
	request bench.Request
	list    bool
}

func (e *evaluation) command() *cobra.Command {
	flags := &benchFlags{}
	cmd := &cobra.Command{
		Use:     e.use,
		Short:   e.short,
		Long:    e.long,
		Example: e.example,
		Args:    atMost(0, "no arguments; workloads are chosen with --workload"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.request.Quick && !cmd.Flag("rounds").Changed {
				flags.request.Rounds = bench.QuickRounds
			}
			return flags.run(cmd.Context(), e, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags.define(cmd.Flags(), e.rounds)
	return cmd
}

func (f *benchFlags) define(set *pflag.FlagSet, rounds int) {
	set.SortFlags = false
	set.StringSliceVar(&f.request.Workloads, "workload", nil, "comma-separated `names` of workloads or of their rows (default all)")
	set.StringSliceVar(&f.request.Subjects, "subject", nil, "comma-separated `names` of subjects; a ratio needs its baseline among them (default all)")
	set.IntVar(&f.request.Rounds, "rounds", rounds, "`number` of turns of each subject; with --quick the default is 1")
	set.BoolVar(&f.request.Quick, "quick", false, "short runs: to see that all works, not to measure")
	set.DurationVar(&f.request.Limit, "limit", bench.DefaultLimit, "`time` after which a run counts as hanging")
	set.BoolVar(&f.request.JSON, "json", false, "one JSON object a line for each row and subject")
	set.BoolVar(&f.list, "list", false, "list workloads and subjects, and run nothing")
	set.StringVar(&f.request.ProfileDir, "cpuprofile", "", "`directory` for CPU profiles, one for each workload and subject")
}

func (f *benchFlags) run(ctx context.Context, of *evaluation, stdout, stderr io.Writer) error {
	e, err := bench.New(f.request, of.workloads, of.subjects)
	if err != nil {
		return usageError{err}
	}
	if f.list {
		return bench.List(stdout, of.workloads, of.subjects)
	}
	if e.Runner.Command, err = bench.Self(); err != nil {
		return err
	}
	e.Runner.Stderr = stderr
	err = e.Run(ctx, stdout)
	if errors.Is(err, bench.ErrInterrupted) {
		return errInterrupted
	}
	return err
}
